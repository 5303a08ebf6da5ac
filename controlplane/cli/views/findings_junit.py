"""Findings as JUnit XML: a suite for each file, a failure for each error and warning.

Notes pass and keep their text as output; accepted findings are skipped, with the reason. Characters that XML 1.0
does not allow are shown as escapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from controlplane.cli.fingerprints import portable_name
from controlplane.cli.lint.report import LintReport, SuppressedFinding
from controlplane.cli.terminal import printable
from controlplane.diagnostics import Diagnostic, Severity
from controlplane.frozen import frozen
from controlplane.regex import regex

_NOT_XML = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@frozen
class _Case:
    """One test case: what stands inside it, and whether that is a failure, an error or a skip."""

    name: str
    suite: str
    line: int
    inside: str
    outcome: str


def render(report: LintReport) -> str:
    """A document that every JUnit reader takes; a clean run has one case that passed."""
    cases = [_case(finding) for finding in sorted(report.findings)]
    cases += [_skipped(entry) for entry in report.suppressed]
    if report.crashed is not None:
        inside = _element("error", report.crashed, "crash", "The run ended early; findings may be missing.")
        cases.append(_Case("lint", "controlplane", 1, inside, "error"))
    if not cases:
        cases.append(_Case("lint", "controlplane", 1, "", ""))
    suites: dict[str, list[_Case]] = {}
    for case in sorted(cases, key=lambda c: (c.suite, c.line)):
        suites.setdefault(case.suite, []).append(case)
    body = "\n".join(_suite(name, own) for name, own in suites.items())
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{head}\n<testsuites name="controlplane lint"{_counts(cases)}>\n{body}\n</testsuites>'


def _suite(name: str, cases: Sequence[_Case]) -> str:
    lines = [f"  <testsuite name={_attribute(name)}{_counts(cases)}>"]
    for case in cases:
        head = (
            f"    <testcase name={_attribute(case.name)} classname={_attribute(case.suite)} "
            f'file={_attribute(case.suite)} line="{case.line}"'
        )
        lines.append(f"{head}>\n{case.inside}\n    </testcase>" if case.inside else f"{head}/>")
    return "\n".join([*lines, "  </testsuite>"])


def _counts(cases: Sequence[_Case]) -> str:
    outcomes = [case.outcome for case in cases]
    names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    parts = [f' {name}="{outcomes.count(outcome)}"' for name, outcome in names.items()]
    return f' tests="{len(cases)}"' + "".join(parts)


def _case(finding: Diagnostic) -> _Case:
    text = _text(finding)
    if finding.severity is Severity.INFO:
        return _Case(_name(finding), _suite_of(finding), finding.span.line, _output(text), "")
    kind = f"{finding.severity.value}: {finding.rule}"
    inside = _element("failure", finding.message, kind, text)
    return _Case(_name(finding), _suite_of(finding), finding.span.line, inside, "failure")


def _skipped(entry: SuppressedFinding) -> _Case:
    finding = entry.finding
    inside = f"      <skipped message={_attribute(entry.reason)}/>"
    return _Case(_name(finding), _suite_of(finding), finding.span.line, inside, "skipped")


def _text(finding: Diagnostic) -> str:
    """The finding in one line and its remedy in another; no text of a manifest begins a line."""
    lines = [f"{finding.span}: {finding.severity.value}: {finding.message}"]
    lines += [f"remedy: {finding.remedy.text}"] if finding.remedy is not None else []
    return "\n".join(line.replace("\n", "\\n") for line in lines)


def _name(finding: Diagnostic) -> str:
    return f"{finding.rule} at {finding.span.line}:{finding.span.column}"


def _suite_of(finding: Diagnostic) -> str:
    return portable_name(finding.span.file) or "controlplane"


def _element(tag: str, message: str, kind: str, text: str) -> str:
    return f"      <{tag} message={_attribute(message)} type={_attribute(kind)}>{escape(_clean(text))}</{tag}>"


def _output(text: str) -> str:
    return f"      <system-out>{escape(_clean(text))}</system-out>"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\t": "&#9;"})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
