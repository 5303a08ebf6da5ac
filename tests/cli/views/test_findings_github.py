"""Workflow commands: ten of a level, errors first, and nothing from a manifest that the runner would obey."""

from __future__ import annotations

from dataclasses import replace

from controlplane.cli.lint.report import LintReport
from controlplane.cli.views import findings_github
from controlplane.diagnostics import Severity
from tests.cli.views.reports import CLEAN, CRASHED, DIRTY, hostile, many


def test_finding_is_a_command_with_its_place() -> None:
    first, second, third, last = findings_github.render(DIRTY).splitlines()
    assert first == (
        "::error col=15,endColumn=29,endLine=10,file=deploy/chat app.yaml,line=10,title=vllm/argument-removed::"
        "--swap-space is gone since vLLM 0.15; the image has 0.20%0ARemove it."
    )
    assert second.startswith("::warning ")
    assert third.startswith("::notice ")
    assert last.startswith("1 error, 1 warning, 1 note; 1 accepted by comments; 1 in the baseline")


def test_columns_are_left_out_where_the_end_is_on_another_line() -> None:
    [finding] = many(1, Severity.ERROR)
    longer = replace(finding, span=replace(finding.span, end_line=3))
    command = findings_github.render(LintReport((longer,))).splitlines()[0]
    assert "col=" not in command.lower()
    assert "endLine=3" in command


def test_ten_of_each_level_are_commands_and_the_others_lines_of_the_log() -> None:
    report = LintReport((*many(12, Severity.WARNING), *many(11, Severity.ERROR)))
    lines = findings_github.render(report).splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert sum(line.startswith("::warning ") for line in lines) == 10
    assert "1 more of level error, without an annotation:" in lines
    assert "2 more of level warning, without an annotation:" in lines
    assert lines.index("error deploy/chat app.yaml:11:1: number 11 [vllm/x]") < lines.index(
        next(line for line in lines if line.startswith("::warning "))
    )


def test_crash_takes_the_first_of_the_ten_errors() -> None:
    lines = findings_github.render(LintReport(many(11, Severity.ERROR), crashed="boom")).splitlines()
    assert lines[0] == "::error title=controlplane::boom"
    assert sum(line.startswith("::error ") for line in lines) == 10


def test_text_of_a_manifest_neither_ends_a_command_nor_begins_one() -> None:
    report = LintReport((*hostile().findings * 12,))
    text = findings_github.render(report)
    commands = [line for line in text.split("\n") if line.lstrip().startswith("::")]
    assert len(commands) == 10
    assert all(line.startswith("::error ") for line in commands)
    assert "file=a%3Ab%2C" in commands[0]
    assert "100%25" in commands[0]
    plain = [line for line in text.split("\n") if not line.startswith("::")]
    assert all("##[" not in line for line in plain)
    assert "\r" not in text
    assert "\x1b" not in text


def test_clean_and_crashed_runs_have_a_summary() -> None:
    assert findings_github.render(CLEAN) == "no findings; 1 file"
    assert findings_github.render(CRASHED).splitlines()[0].startswith("::error title=controlplane::this is a bug")
