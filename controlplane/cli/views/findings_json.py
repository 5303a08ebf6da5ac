"""Findings for programs: the shapes of every verb's JSON, versioned by `format_version`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from controlplane.cli.lint.report import LintReport, NotJudged, SuppressedFinding, Undecided
from controlplane.cli.proposed_edits import Proposals, proposed_edits
from controlplane.cli.views.findings_text import report_summary, summary
from controlplane.diagnostics import Diagnostic, Edit, Remedy, Severity, render_path
from controlplane.regex import regex

FORMAT_VERSION = "1.0"

_SURROGATE = regex("[\ud800-\udfff]")


def render(findings: Sequence[Diagnostic], not_judged: Iterable[dict[str, Any]] = ()) -> str:
    """`{"format_version", "findings", "not_judged", "summary"}` as indented JSON."""
    document = {
        "format_version": FORMAT_VERSION,
        "findings": [finding_json(f) for f in sorted(findings)],
        "not_judged": list(not_judged),
        "summary": summary(findings),
    }
    return _written(document)


def render_report(report: LintReport) -> str:
    """The same of a whole run of lint, with what was accepted and what no rule could tell.

    Edits are those that `--fix` would make: applied as they are they give the same file. `crashed` is there only
    where the run ended early.
    """
    proposals = proposed_edits(report.findings, report.texts)
    document = {
        "format_version": FORMAT_VERSION,
        "tool_version": report.tool_version,
        "findings": [finding_json(f, proposals) for f in sorted(report.findings)],
        "suppressed": [_suppressed(entry) for entry in sorted(report.suppressed, key=lambda entry: entry.finding)],
        "not_judged": [_not_judged(entry) for entry in sorted(report.not_judged)],
        "undecided": [_undecided(entry) for entry in report.undecided],
        **({"crashed": report.crashed} if report.crashed is not None else {}),
        "counts": _counts(report),
        "summary": report_summary(report),
    }
    return _written(document)


def finding_json(finding: Diagnostic, proposals: Proposals | None = None) -> dict[str, Any]:
    """One finding in the shared shape; `proposals` has the edits that would be made, where they were worked out."""
    span = finding.span
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "layer": finding.layer.value,
        "message": finding.message,
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "path": render_path(finding.path),
        "evidence": [
            {k: v for k, v in zip(("fact", "value", "unit", "source", "time"), values, strict=True) if v is not None}
            for values in ((e.fact, e.value, e.unit, e.source, e.time) for e in finding.evidence)
        ],
        "remedy": _remedy(finding.remedy, None if proposals is None else proposals.get(finding, ())),
    }


def _remedy(remedy: Remedy | None, edits: Sequence[Edit] | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    return {
        "text": remedy.text,
        "edits": [_edit(e) for e in (remedy.edits if edits is None else edits)],
        "applicability": remedy.applicability.value,
    }


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "file": edit.span.file,
        "line": edit.span.line,
        "column": edit.span.column,
        "end_line": edit.span.end_line,
        "end_column": edit.span.end_column,
        "new_text": edit.new_text,
    }


def _suppressed(entry: SuppressedFinding) -> dict[str, Any]:
    return {**finding_json(entry.finding), "suppression": {"kind": entry.kind, "reason": entry.reason}}


def _not_judged(entry: NotJudged) -> dict[str, Any]:
    span = entry.span
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "object": entry.object,
        "reason": entry.reason,
    }


def _undecided(entry: Undecided) -> dict[str, Any]:
    place = {"file": entry.span.file, "line": entry.span.line, "column": entry.span.column} if entry.span else {}
    return {"rule": entry.rule, "needs": entry.needs, **place}


def _counts(report: LintReport) -> dict[str, int]:
    severities = Counter(finding.severity for finding in report.findings)
    return {
        **{severity.value: severities[severity] for severity in Severity},
        "suppressed": len(report.suppressed),
        "not_judged": len(report.not_judged),
        "files": report.files,
        "judged": report.judged,
    }


def _written(document: dict[str, Any]) -> str:
    """Readable JSON; half of a surrogate pair, which an escape in YAML can make, is no text and stays an escape."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
