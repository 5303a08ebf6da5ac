"""Findings for programs: the shapes of every verb's JSON, versioned by `format_version`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from controlplane.cli.lint.report import LintReport, NotJudged
from controlplane.cli.views.findings_text import summary
from controlplane.diagnostics import Diagnostic, Edit, Remedy, render_path

FORMAT_VERSION = "1.0"


def render(findings: Sequence[Diagnostic], not_judged: Iterable[dict[str, Any]] = ()) -> str:
    """`{"format_version", "findings", "not_judged", "summary"}` as indented JSON."""
    document = {
        "format_version": FORMAT_VERSION,
        "findings": [finding_json(f) for f in sorted(findings)],
        "not_judged": list(not_judged),
        "summary": summary(findings),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def render_report(report: LintReport) -> str:
    """What `lint` found, and what it did not judge with the reason."""
    return render(report.findings, map(not_judged_json, report.not_judged))


def not_judged_json(skipped: NotJudged) -> dict[str, Any]:
    """Something that no rule looked at: the place, the object where it is known, and why."""
    span = skipped.span
    return {"file": span.file, "line": span.line, "object": skipped.object, "reason": skipped.reason}


def finding_json(finding: Diagnostic) -> dict[str, Any]:
    """One finding in the shared shape."""
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
        "remedy": _remedy(finding.remedy),
    }


def _remedy(remedy: Remedy | None) -> dict[str, Any] | None:
    if remedy is None:
        return None
    return {
        "text": remedy.text,
        "edits": [_edit(e) for e in remedy.edits],
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
