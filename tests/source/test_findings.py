from __future__ import annotations

from controlplane.diagnostics import Severity
from controlplane.source import Budget
from controlplane.source.findings import Findings
from controlplane.source.text import SourceText
from tests.source.reading import read


def _findings(limit: int) -> Findings:
    return Findings(SourceText("f", "abc\ndef"), limit)


def test_findings_come_in_the_order_of_the_text() -> None:
    findings = _findings(10)
    findings.add("policy/b", Severity.WARNING, "second", (4, 5))
    findings.add("policy/a", Severity.ERROR, "first", (1, 2))
    assert [d.message for d in findings.sorted()] == ["first", "second"]


def test_findings_beyond_the_limit_are_counted_in_one_more() -> None:
    findings = _findings(2)
    for index in range(5):
        findings.add("policy/a", Severity.WARNING, f"number {index}", (index, index))
    *_, last = findings.sorted()
    assert (last.rule, last.severity) == ("yaml/too-many-findings", Severity.WARNING)
    assert last.message == "5 findings; 2 are told one by one"


def test_untold_error_stays_an_error() -> None:
    findings = _findings(1)
    for severity in (Severity.WARNING, Severity.WARNING, Severity.ERROR):
        findings.add("policy/a", severity, "x", (0, 0))
    (summary,) = (d for d in findings.sorted() if d.rule == "yaml/too-many-findings")
    assert summary.severity is Severity.ERROR


def test_reading_stops_when_there_are_many_times_more_findings_than_are_told() -> None:
    result = read("a: 'x'\n---\n" + "- no\n" * 5_000, budget=Budget(findings=10))
    assert [doc.value for doc in result.documents] == [{"a": "x"}]
    (summary,) = (d for d in result.diagnostics if d.rule == "yaml/too-many-findings")
    assert summary.message == "111 findings; 10 are told one by one"


def test_file_full_of_mistakes_has_a_bounded_number_of_findings() -> None:
    assert len(read("- no\n" * 1_500).diagnostics) == 1_001
