"""Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request.

The runner shows ten annotations of each level a step and drops the rest (GitHub's documentation, 2026), so the first
ten of a level are written as commands and the others as plain lines of the log. A text from a manifest can neither
begin a command of its own nor end ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from controlplane.cli.fingerprints import portable_name
from controlplane.cli.lint.report import LintReport
from controlplane.cli.terminal import printable
from controlplane.cli.views.findings_text import report_summary
from controlplane.diagnostics import Diagnostic, Severity

PER_LEVEL = 10

_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: LintReport) -> str:
    """Commands, errors first; then what there is no annotation for; then the summary."""
    lines = list(_crash(report))
    for severity, level in _LEVEL.items():
        findings = sorted(f for f in report.findings if f.severity is severity)
        shown = PER_LEVEL - len(lines) if severity is Severity.ERROR else PER_LEVEL
        lines += [_command(level, finding) for finding in findings[:shown]]
        lines += _rest(level, findings[shown:])
    return "\n".join([*lines, report_summary(report)])


def _crash(report: LintReport) -> Iterator[str]:
    if report.crashed is not None:
        yield f"::error title=controlplane::{_data(report.crashed)}"


def _command(level: str, finding: Diagnostic) -> str:
    span = finding.span
    properties = {"title": finding.rule}
    if span.file:
        properties |= {"file": portable_name(span.file), "line": str(span.line), "endLine": str(span.end_line)}
        # With an end on another line the runner takes no columns.
        if span.end_line == span.line:
            properties |= {"col": str(span.column), "endColumn": str(span.end_column)}
    written = ",".join(f"{name}={_property(value)}" for name, value in sorted(properties.items()))
    remedy = f"\n{finding.remedy.text}" if finding.remedy is not None else ""
    return f"::{level} {written}::{_data(finding.message + remedy)}"


def _rest(level: str, findings: Sequence[Diagnostic]) -> Iterator[str]:
    if findings:
        yield f"{len(findings)} more of level {level}, without an annotation:"
    for finding in findings:
        yield _plain(f"{level} {finding.span}: {finding.message} [{finding.rule}]")


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _plain(text: str) -> str:
    """One line that begins with a word of ours; the old form of commands (`##[`) is read anywhere in a line."""
    return printable(text).replace("\n", " ").replace("##[", "## [")
