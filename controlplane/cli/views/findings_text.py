"""Findings for people: place, message, the line with a caret, evidence, remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controlplane.cli.terminal import paint, printable
from controlplane.diagnostics import Diagnostic, Severity
from controlplane.source import excerpt

_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


def render(findings: Sequence[Diagnostic], texts: Mapping[str, str], *, colour: bool) -> str:
    """All findings and a summary line; `texts` maps file names to their contents."""
    blocks = [_finding(f, texts.get(f.span.file), colour=colour) for f in sorted(findings)]
    return "\n\n".join([*blocks, summary(findings)])


def summary(findings: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`, or `no findings`."""
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[finding.severity] += 1
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [f"{n} {words[s]}{'' if n == 1 else 's'}" for s, n in counts.items() if n]
    return ", ".join(parts) or "no findings"


def _finding(finding: Diagnostic, text: str | None, *, colour: bool) -> str:
    severity = paint(finding.severity.value, _STYLE[finding.severity], "bold", colour=colour)
    place = paint(printable(str(finding.span)), "bold", colour=colour)
    lines = [f"{place}: {severity}: {printable(finding.message)} [{finding.rule}]"]
    if text is not None:
        lines += ["  " + line for line in excerpt(text, finding.span).splitlines()]
    lines += [f"  note: {printable(str(r.span))}: {printable(r.message)}" for r in finding.related]
    lines += [f"  evidence: {_evidence(e.fact, e.value, e.unit, e.source)}" for e in finding.evidence]
    if finding.remedy is not None:
        lines.append(paint("  remedy: ", "green", colour=colour) + printable(finding.remedy.text))
    return "\n".join(lines)


def _evidence(fact: str, value: object, unit: str, source: str) -> str:
    return printable(f"{fact} = {value}{' ' + unit if unit else ''} ({source})")
