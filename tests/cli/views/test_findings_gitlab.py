"""GitLab's Code Quality report: a list of issues, each known again by its fingerprint."""

from __future__ import annotations

import json
from dataclasses import replace

from controlplane.cli.lint.report import LintReport
from controlplane.cli.views import findings_gitlab
from controlplane.diagnostics import Severity
from tests.cli.views.reports import CLEAN, CRASHED, DIRTY, FILE, GPUS, TEXT, hostile, many


def test_issue_has_all_that_gitlab_needs() -> None:
    first, second, third = json.loads(findings_gitlab.render(DIRTY))
    assert first == {
        "description": "--swap-space is gone since vLLM 0.15; the image has 0.20; Remove it.",
        "check_name": "vllm/argument-removed",
        "fingerprint": first["fingerprint"],
        "severity": "major",
        "location": {"path": FILE, "lines": {"begin": 10, "end": 10}},
    }
    assert [second["severity"], third["severity"]] == ["minor", "info"]


def test_clean_run_is_an_empty_list() -> None:
    assert findings_gitlab.render(CLEAN) == "[]"


def test_crashed_run_begins_with_a_blocker() -> None:
    assert json.loads(findings_gitlab.render(CRASHED))[0]["severity"] == "blocker"


def test_fingerprints_differ_and_survive_lines_added_above() -> None:
    findings = many(3, Severity.ERROR)
    marks = [issue["fingerprint"] for issue in json.loads(findings_gitlab.render(LintReport(findings)))]
    assert len(set(marks)) == 3
    moved = replace(GPUS, span=replace(GPUS.span, line=12, end_line=12))
    [before] = json.loads(findings_gitlab.render(LintReport((GPUS,), texts={FILE: TEXT})))
    [after] = json.loads(findings_gitlab.render(LintReport((moved,), texts={FILE: f"# more\n{TEXT}"})))
    assert before["fingerprint"] == after["fingerprint"]


def test_hostile_texts_are_escaped() -> None:
    text = findings_gitlab.render(hostile())
    assert text.isascii()
    [issue] = json.loads(text)
    assert not {"\x1b", "\u202e", "\x00"} & set(issue["description"])
