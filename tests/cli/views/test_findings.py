"""Findings as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from controlplane.cli.lint.report import LintReport, NotJudged, Undecided
from controlplane.cli.views import findings_json, findings_text
from controlplane.diagnostics import (
    Applicability,
    Diagnostic,
    Edit,
    Evidence,
    Layer,
    RelatedSpan,
    Remedy,
    Severity,
    Span,
)
from tests.cli.views.reports import CLEAN, CRASHED, DIRTY, FILE, REMOVED, TEXT, hostile

SPAN = Span("p.yaml", 2, 4, 2, 6)
FINDING = Diagnostic(
    "yaml/ambiguous-scalar",
    Severity.ERROR,
    Layer.POLICY,
    "`no` is a string here and false to Kubernetes",
    SPAN,
    ("spec", "items", 0),
    Remedy("Quote it.", (Edit(SPAN, '"no"'),), Applicability.SAFE),
    (Evidence("read by Kubernetes as", False, "sigs.k8s.io/yaml 1.6"),),
    (RelatedSpan(Span("p.yaml", 1, 1, 1, 2), "used here"),),
)
TEXTS = {"p.yaml": "a:\n - no\n"}


def test_text_shows_place_line_caret_evidence_and_remedy() -> None:
    text = findings_text.render([FINDING], TEXTS, colour=False)
    lines = text.splitlines()
    assert lines[0] == "p.yaml:2:4: error: `no` is a string here and false to Kubernetes [yaml/ambiguous-scalar]"
    caret = next(line for line in lines if "^" in line)
    source = lines[lines.index(caret) - 1]
    assert source[caret.index("^") : caret.rindex("^") + 1] == "no"
    assert "  note: p.yaml:1:1: used here" in lines
    assert "  evidence: read by Kubernetes as = False (sigs.k8s.io/yaml 1.6)" in lines
    assert "  remedy: Quote it." in lines
    assert lines[-1] == "1 error"


def test_json_has_the_shared_shape() -> None:
    document = json.loads(findings_json.render([FINDING]))
    assert document["format_version"] == "1.0"
    assert document["summary"] == "1 error"
    [found] = document["findings"]
    assert (found["line"], found["column"], found["end_line"], found["end_column"]) == (2, 4, 2, 6)
    assert found["path"] == "spec.items[0]"
    assert found["evidence"] == [
        {"fact": "read by Kubernetes as", "value": False, "unit": "", "source": "sigs.k8s.io/yaml 1.6"}
    ]
    assert found["remedy"]["applicability"] == "safe"
    assert found["remedy"]["edits"][0]["new_text"] == '"no"'


def test_findings_are_sorted_by_place_whatever_their_order() -> None:
    later = Diagnostic("policy/x", Severity.WARNING, Layer.POLICY, "later", Span("p.yaml", 9, 1, 9, 2))
    assert findings_text.render([later, FINDING], TEXTS, colour=False) == findings_text.render(
        [FINDING, later], TEXTS, colour=False
    )


def test_nothing_found_says_so() -> None:
    assert findings_text.render([], {}, colour=False) == "no findings"


def test_report_ends_with_the_totals() -> None:
    text = findings_text.render_report(DIRTY, colour=False)
    assert text.splitlines()[-1] == (
        "1 error, 1 warning, 1 note; 1 accepted by comments; 1 in the baseline; 1 not judged; 3 files"
    )
    assert findings_text.render_report(CLEAN, colour=False) == "no findings; 1 file"


def test_report_shows_the_edit_that_would_be_made() -> None:
    lines = findings_text.render_report(DIRTY, colour=False).splitlines()
    remedy = lines.index("  remedy: Remove it. (--fix makes it)")
    assert lines[remedy + 1] == "    - 10 |             - --swap-space=4"
    assert not lines[remedy + 2].startswith("    +")


def test_edit_on_a_line_that_may_hold_a_secret_is_not_shown() -> None:
    text = TEXT.replace("--swap-space=4", "--api-key=hf_abcdefghijklmnop")
    span = replace(REMOVED.span, end_column=40)
    finding = replace(REMOVED, span=span, remedy=replace(REMOVED.remedy, edits=(Edit(span, "x"),)))
    shown = findings_text.render_report(LintReport((finding,), texts={FILE: text}), colour=False)
    assert "hf_abc" not in shown


def test_what_was_not_judged_is_told_once_for_each_reason() -> None:
    places = tuple(NotJudged(Span("a.yaml", line, 1, line, 1), "render it first", "Pod/x") for line in range(1, 6))
    unknown = Undecided("vllm/x", "the version of vLLM", Span("b.yaml", 2, 3, 2, 4))
    text = findings_text.render_report(LintReport(not_judged=places, undecided=(unknown,)), colour=False)
    assert "not judged: a.yaml:1:1 Pod/x, a.yaml:2:1 Pod/x, a.yaml:3:1 Pod/x and 2 more: render it first" in text
    assert "cannot tell [vllm/x]: b.yaml:2:3: the version of vLLM" in text


def test_crashed_report_says_that_findings_may_be_missing() -> None:
    text = findings_text.render_report(CRASHED, colour=False)
    assert "the run ended early, findings may be missing: this is a bug: KeyError" in text
    assert text.endswith("1 warning, before the run ended early")
    assert json.loads(findings_json.render_report(CRASHED))["crashed"] == "this is a bug: KeyError"


def test_text_of_a_manifest_begins_no_line_of_its_own() -> None:
    lines = findings_text.render_report(hostile(), colour=False).split("\n")
    assert not any(line.lstrip().startswith("::") for line in lines)
    assert not {"\x1b", "\u202e", "\x00", "\r"} & set("".join(lines))


def test_json_of_a_report_has_accepted_findings_and_counts() -> None:
    document = json.loads(findings_json.render_report(DIRTY))
    assert list(document) == [
        "format_version",
        "tool_version",
        "findings",
        "suppressed",
        "not_judged",
        "undecided",
        "counts",
        "summary",
    ]
    assert document["counts"] == {
        "error": 1,
        "warning": 1,
        "info": 1,
        "suppressed": 2,
        "not_judged": 1,
        "files": 3,
        "judged": 1,
    }
    assert [entry["suppression"]["kind"] for entry in document["suppressed"]] == ["comment", "baseline"]
    assert document["not_judged"][0]["reason"] == "it is a template; render it first"


def test_edits_in_json_are_those_that_would_be_made() -> None:
    document = json.loads(findings_json.render_report(DIRTY))
    [edit] = document["findings"][0]["remedy"]["edits"]
    lines = TEXT.splitlines(keepends=True)
    start = sum(map(len, lines[: edit["line"] - 1])) + edit["column"] - 1
    end = sum(map(len, lines[: edit["end_line"] - 1])) + edit["end_column"] - 1
    assert TEXT[:start] + edit["new_text"] + TEXT[end:] == TEXT.replace("            - --swap-space=4\n", "")


def test_json_holds_half_of_a_surrogate_pair_as_an_escape() -> None:
    text = findings_json.render_report(hostile())
    text.encode()
    assert "\\ud800" in text
    assert json.loads(text)["findings"][0]["message"] == hostile().findings[0].message
