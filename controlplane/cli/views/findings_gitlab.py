"""Findings as GitLab's Code Quality report: a list of issues with fingerprints that survive moved lines."""

from __future__ import annotations

import json
from typing import Any

from controlplane.cli.fingerprints import fingerprints, portable_name
from controlplane.cli.lint.report import LintReport
from controlplane.cli.terminal import printable
from controlplane.diagnostics import Diagnostic, Severity

_SEVERITY = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: LintReport) -> str:
    """A JSON list; empty where nothing was found. Accepted findings are not in it."""
    findings = sorted(report.findings)
    marks = fingerprints(findings, report.texts)
    issues = [_issue(finding, mark) for finding, mark in zip(findings, marks, strict=True)]
    if report.crashed is not None:
        issues.insert(0, _crash(report.crashed))
    return json.dumps(issues, indent=2, ensure_ascii=True)


def _issue(finding: Diagnostic, mark: str) -> dict[str, Any]:
    span = finding.span
    remedy = f" {finding.remedy.text}" if finding.remedy is not None else ""
    return {
        "description": printable(finding.message + (f";{remedy}" if remedy else "")),
        "check_name": finding.rule,
        "fingerprint": mark,
        "severity": _SEVERITY[finding.severity],
        "location": {"path": portable_name(span.file) or ".", "lines": {"begin": span.line, "end": span.end_line}},
    }


def _crash(message: str) -> dict[str, Any]:
    return {
        "description": printable(message),
        "check_name": "controlplane",
        "fingerprint": "controlplane-crashed",
        "severity": "blocker",
        "location": {"path": ".", "lines": {"begin": 1, "end": 1}},
    }
