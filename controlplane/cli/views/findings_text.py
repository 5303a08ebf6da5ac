"""Findings for people: place, message, the line with a caret, evidence, remedy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from controlplane.cli.lint.report import LintReport
from controlplane.cli.terminal import paint, printable
from controlplane.diagnostics import Diagnostic, Severity
from controlplane.plan.redaction import redact_text
from controlplane.source import excerpt, split_lines

_AROUND = 400
"""Characters before and behind the column that are searched for secrets; an excerpt shows fewer."""

_VALUE = re.compile(r"\bvalue[\"']?\s*:")
_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def render(findings: Sequence[Diagnostic], texts: Mapping[str, str], *, colour: bool) -> str:
    """All findings and a summary line; `texts` maps file names to their contents."""
    # Split once: a hostile file has as many findings as lines.
    lines = {name: split_lines(texts[name]) for name in {f.span.file for f in findings} if name in texts}
    blocks = [_finding(f, lines.get(f.span.file, ()), colour=colour) for f in sorted(findings)]
    return "\n\n".join([*blocks, summary(findings)])


def render_report(report: LintReport, *, colour: bool) -> str:
    """What `lint` found, and in one line for each reason what it did not judge."""
    skipped = Counter(entry.reason for entry in report.not_judged)
    first = {entry.reason: entry.span for entry in reversed(report.not_judged)}
    lines = [_skipped(reason, count, str(first[reason])) for reason, count in skipped.items()]
    return "\n".join([render(report.findings, report.texts, colour=colour), *lines])


def _skipped(reason: str, count: int, first: str) -> str:
    more = f" and {count - 1:,} more" if count > 1 else ""
    return printable(f"not judged: {first}{more}: {reason}")


def summary(findings: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`, or `no findings`."""
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[finding.severity] += 1
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [f"{n} {words[s]}{'' if n == 1 else 's'}" for s, n in counts.items() if n]
    return ", ".join(parts) or "no findings"


def _finding(finding: Diagnostic, source: Sequence[str], *, colour: bool) -> str:
    severity = paint(finding.severity.value, _STYLE[finding.severity], "bold", colour=colour)
    place = paint(printable(str(finding.span)), "bold", colour=colour)
    lines = [f"{place}: {severity}: {printable(finding.message)} [{finding.rule}]"]
    lines += ["  " + line for line in shown_source(finding, source)]
    lines += [f"  note: {printable(str(r.span))}: {printable(r.message)}" for r in finding.related]
    lines += [f"  evidence: {_evidence(e.fact, e.value, e.unit, e.source)}" for e in finding.evidence]
    if finding.remedy is not None:
        lines.append(paint("  remedy: ", "green", colour=colour) + printable(finding.remedy.text))
    return "\n".join(lines)


def shown_source(finding: Diagnostic, source: Sequence[str]) -> list[str]:
    """The line of a finding with carets below it, or less where it may hold a secret.

    Values of the environment are never shown. A line that cannot be read may be one of them.
    """
    span = finding.span
    if "env" in finding.path or not 1 <= span.line <= len(source):
        return []
    start = max(span.column - _AROUND, 0)
    near = source[span.line - 1][start : start + 2 * _AROUND]
    if redact_text(near) != near or (not finding.path and _VALUE.search(near)):
        return ["(the line may hold a secret, so it is not shown)"]
    return excerpt(source, span).splitlines()


def _evidence(fact: str, value: object, unit: str, source: str) -> str:
    return printable(f"{fact} = {value}{' ' + unit if unit else ''} ({source})")
