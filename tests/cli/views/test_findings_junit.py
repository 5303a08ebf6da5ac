"""JUnit XML: well formed whatever a manifest holds, with counts that add up."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from controlplane.cli.lint.report import LintReport
from controlplane.cli.views import findings_junit
from tests.cli.views.reports import CLEAN, CRASHED, DIRTY, FILE, hostile


def parsed(report: LintReport) -> ElementTree.Element:
    return ElementTree.fromstring(findings_junit.render(report).encode())  # noqa: S314 - written by ourselves


def test_errors_and_warnings_fail_and_notes_pass() -> None:
    root = parsed(DIRTY)
    assert [c.get("name") for c in root.iter("testcase") if c.find("failure") is not None] == [
        "vllm/argument-removed at 10:15",
        "kubernetes/gpu-limit-missing at 11:15",
    ]
    [note] = [c for c in root.iter("testcase") if c.find("system-out") is not None]
    assert note.get("name") == "yaml/empty-file at 1:1"


def test_accepted_findings_are_skipped_with_the_reason() -> None:
    skipped = [element.get("message") for element in parsed(DIRTY).iter("skipped")]
    assert skipped == ["known", ""]


def test_suites_are_files_and_counts_add_up() -> None:
    root = parsed(DIRTY)
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {FILE, "empty.yaml"}
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert element.get("tests") == str(len(cases))
        assert element.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        assert element.get("skipped") == str(sum(case.find("skipped") is not None for case in cases))


def test_clean_run_has_one_case_that_passed() -> None:
    [case] = parsed(CLEAN).iter("testcase")
    assert list(case) == []


def test_crashed_run_has_an_error() -> None:
    root = parsed(CRASHED)
    assert root.get("errors") == "1"
    assert root.get("failures") == "1"


@pytest.mark.parametrize("report", [hostile(), LintReport(crashed="\x00\x1b]]>&<")])
def test_characters_that_xml_does_not_allow_are_escaped(report: LintReport) -> None:
    root = parsed(report)
    for element in root.iter():
        for text in (element.text or "", *element.attrib.values()):
            assert not {"\x00", "\x1b", "\u202e", "\ufffe"} & set(text)
    assert "]]>" not in findings_junit.render(report)
