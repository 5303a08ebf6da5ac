"""Findings as SARIF 2.1.0 (OASIS, errata 01), valid in clean, dirty and crashed runs alike.

Without times and paths of the machine, so that the same input gives the same bytes. Source text is left out: it may
hold secrets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from controlplane.cli.fingerprints import fingerprints, object_names, portable_name
from controlplane.cli.lint.report import LintReport, SuppressedFinding
from controlplane.cli.proposed_edits import Proposals, proposed_edits
from controlplane.cli.terminal import printable
from controlplane.cli.views.rule_words import RuleWords, words_of
from controlplane.diagnostics import Diagnostic, Edit, Severity, Span, render_path

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
RESULTS = 25_000
"""GitHub refuses a file with more results in a run (its documentation, 2026)."""

_LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

Json = dict[str, Any]


def render(report: LintReport) -> str:
    """One SARIF log with one run."""
    words = words_of(report)
    kept, left = _kept(report)
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(report, words)},
                "invocations": [_invocation(report, left)],
                "columnKind": "unicodeCodePoints",
                "results": list(_results(report, kept, {rule.id: index for index, rule in enumerate(words)})),
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=True)


def _kept(report: LintReport) -> tuple[list[tuple[Diagnostic, SuppressedFinding | None]], int]:
    """What there is room for, errors first and accepted findings last, in the order of the text; and how many not."""
    entries: list[tuple[Diagnostic, SuppressedFinding | None]] = [(finding, None) for finding in report.findings]
    entries += [(entry.finding, entry) for entry in report.suppressed]
    severities = list(Severity)
    ranked = sorted(entries, key=lambda e: (e[1] is not None, severities.index(e[0].severity), e[0]))
    return sorted(ranked[:RESULTS], key=lambda e: (e[0], e[1] is not None)), len(ranked[RESULTS:])


def _driver(report: LintReport, words: Iterable[RuleWords]) -> Json:
    version = {"semanticVersion": report.tool_version} if report.tool_version else {}
    return {"name": "controlplane", **version, "rules": [_rule(rule) for rule in words]}


def _rule(rule: RuleWords) -> Json:
    help_text = f"{rule.why}\n\n{rule.remedy}".strip()
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": help_text, "markdown": help_text},
        "helpUri": rule.address,
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
        "properties": {"tags": sorted({rule.id.partition("/")[0], *filter(None, [rule.layer])})},
    }


def _invocation(report: LintReport, left: int) -> Json:
    notes = [_note("note", entry.reason, entry.span) for entry in sorted(report.not_judged)]
    if left:
        notes.append(_note("warning", f"{left} more results; {RESULTS} are taken in one run"))
    if report.crashed is not None:
        notes.append(_note("error", report.crashed))
    notifications = {"toolExecutionNotifications": notes} if notes else {}
    return {"executionSuccessful": report.crashed is None, **notifications}


def _note(level: str, message: str, span: Span | None = None) -> Json:
    locations = {"locations": [{"physicalLocation": _physical(span)}]} if span is not None and span.file else {}
    return {"level": level, "message": {"text": printable(message)}, **locations}


def _results(
    report: LintReport, kept: list[tuple[Diagnostic, SuppressedFinding | None]], indices: Mapping[str, int]
) -> Iterator[Json]:
    findings = [finding for finding, _ in kept]
    proposals = proposed_edits([finding for finding, accepted in kept if accepted is None], report.texts)
    names = object_names(findings, report.texts)
    marks = fingerprints(findings, report.texts)
    for (finding, accepted), name, mark in zip(kept, names, marks, strict=True):
        yield {
            "ruleId": finding.rule,
            "ruleIndex": indices[finding.rule],
            "level": _LEVEL[finding.severity],
            "message": {"text": _message(finding)},
            **_places(finding, name),
            "partialFingerprints": {"controlplane/v1": mark},
            **_fixes(finding, proposals),
            "suppressions": [_suppression(accepted)] if accepted is not None else [],
            "properties": {"layer": finding.layer.value},
        }


def _message(finding: Diagnostic) -> str:
    remedy = f" {finding.remedy.text}" if finding.remedy is not None else ""
    text = finding.message if finding.message.endswith(".") or not remedy else f"{finding.message}."
    return printable(text + remedy)


def _suppression(accepted: SuppressedFinding) -> Json:
    kind = "inSource" if accepted.kind == "comment" else "external"
    reason = {"justification": printable(accepted.reason)} if accepted.reason else {}
    return {"kind": kind, "status": "accepted", **reason}


def _places(finding: Diagnostic, object_name: str) -> Json:
    location: Json = {}
    if finding.span.file:
        location["physicalLocation"] = _physical(finding.span)
    path = "/".join(filter(None, [object_name, render_path(finding.path)]))
    if path:
        location["logicalLocations"] = [{"fullyQualifiedName": printable(path)}]
    related = [
        {"id": index, "message": {"text": printable(entry.message)}, "physicalLocation": _physical(entry.span)}
        for index, entry in enumerate(finding.related, start=1)
        if entry.span.file
    ]
    return {"locations": [location] if location else [], **({"relatedLocations": related} if related else {})}


def _physical(span: Span) -> Json:
    return {"artifactLocation": _artifact(span.file), "region": _region(span)}


def _region(span: Span) -> Json:
    """Lines and columns count from 1, and the end column lies behind the last character, as in a Span."""
    return {
        "startLine": max(span.line, 1),
        "startColumn": max(span.column, 1),
        "endLine": max(span.end_line, span.line, 1),
        "endColumn": max(span.end_column, 1),
    }


def _artifact(file: str) -> Json:
    name = portable_name(file)
    if Path(name).is_absolute() or name.startswith("../"):
        return {"uri": f"file://{quote(os.fsencode(Path(name).resolve()), safe='/')}"}
    return {"uri": quote(os.fsencode(name), safe="/"), "uriBaseId": ROOT}


def _fixes(finding: Diagnostic, proposals: Proposals) -> Json:
    edits = proposals.get(finding, ())
    if not edits or finding.remedy is None:
        return {}
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.span.file, []).append(edit)
    changes = [
        {"artifactLocation": _artifact(name), "replacements": [_replacement(edit) for edit in by_file[name]]}
        for name in sorted(by_file)
    ]
    return {"fixes": [{"description": {"text": printable(finding.remedy.text)}, "artifactChanges": changes}]}


def _replacement(edit: Edit) -> Json:
    inserted = {"insertedContent": {"text": edit.new_text}} if edit.new_text else {}
    return {"deletedRegion": _region(edit.span), **inserted}
