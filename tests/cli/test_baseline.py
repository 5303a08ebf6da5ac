"""A baseline: what was there is told from what is new, however lines have moved."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from controlplane.cli.baseline import Baseline, BaselineError, apply, dump, load
from controlplane.diagnostics import Diagnostic, KeyPath, Layer, Severity, Span

TEXT = """\
kind: Pod
metadata: {name: one}
spec:
  containers:
  - name: a
    args: [--x, --y]
---
kind: Pod
metadata: {name: two}
spec:
  containers:
  - name: a
    args: [--x, --x]
"""
ARGS: KeyPath = ("spec", "containers", 0, "args")


def finding(line: int, column: int, item: int, rule: str = "vllm/x", file: str = "f") -> Diagnostic:
    span = Span(file, line, column, line, column + 3)
    return Diagnostic(rule, Severity.ERROR, Layer.VLLM, "message", span, (*ARGS, item))


FIRST, SECOND = finding(6, 12, 0), finding(6, 17, 1)
OTHER, TWIN = finding(13, 12, 0), finding(13, 17, 1)
ALL = (FIRST, SECOND, OTHER, TWIN)


def baseline_of(*findings: Diagnostic) -> Baseline:
    return load(dump(findings, {"f": TEXT}))


def test_what_is_in_the_baseline_is_known_and_the_rest_new() -> None:
    compared = apply(ALL, {"f": TEXT}, baseline_of(FIRST, OTHER))
    assert compared.new == (SECOND, TWIN)
    assert [entry.finding for entry in compared.known] == [FIRST, OTHER]
    assert {entry.kind for entry in compared.known} == {"baseline"}
    assert compared.gone == ()


def test_moved_lines_and_items_change_nothing() -> None:
    text = "# a comment\n" + TEXT.replace("[--x, --y]", "[--new, --x, --y]")
    first = replace(FIRST, span=Span("f", 7, 19, 7, 22), path=(*ARGS, 1))
    second = replace(SECOND, span=Span("f", 7, 24, 7, 27), path=(*ARGS, 2))
    compared = apply((first, second), {"f": text}, baseline_of(FIRST, SECOND))
    assert compared.new == ()
    assert compared.gone == ()


def test_same_finding_of_another_object_rule_or_file_is_new() -> None:
    known = baseline_of(FIRST)
    other_file = replace(FIRST, span=replace(FIRST.span, file="g"))
    texts = {"f": TEXT, "g": TEXT}
    for other in (OTHER, replace(FIRST, rule="vllm/y"), other_file):
        assert apply([other], texts, known).new == (other,)


def test_message_and_severity_may_change() -> None:
    changed = replace(FIRST, message="in other words", severity=Severity.WARNING)
    assert apply([changed], {"f": TEXT}, baseline_of(FIRST)).new == ()


def test_one_more_of_the_same_is_new() -> None:
    assert apply((OTHER, TWIN), {"f": TEXT}, baseline_of(OTHER)).new == (TWIN,)


def test_repaired_findings_are_gone_but_only_of_files_that_were_read() -> None:
    known = baseline_of(FIRST, SECOND)
    [gone] = apply([FIRST], {"f": TEXT}, known).gone
    assert (gone.file, gone.rule, gone.object) == ("f", "vllm/x", "Pod/one")
    assert gone.path == "spec.containers[0].args[1]"
    assert apply([], {"g": TEXT}, known).gone == ()


def test_file_is_called_the_same_however_it_was_named() -> None:
    dotted = replace(FIRST, span=replace(FIRST.span, file="./f"))
    assert apply([dotted], {"./f": TEXT}, baseline_of(FIRST)).new == ()


def test_dump_is_the_same_for_the_same_findings_and_holds_no_text_of_the_file() -> None:
    text = dump(ALL, {"f": TEXT})
    assert text == dump(ALL[::-1], {"f": TEXT})
    assert text.endswith("\n")
    assert "--x" not in text
    assert json.loads(text)["format_version"] == "1.0"
    assert len({entry["fingerprint"] for entry in json.loads(text)["findings"]}) == 4


def test_finding_in_a_file_that_cannot_be_read_is_known_again() -> None:
    broken = Diagnostic("yaml/syntax", Severity.ERROR, Layer.POLICY, "m", Span("f", 1, 3, 1, 4))
    assert apply([broken], {"f": "a: ["}, load(dump([broken], {"f": "a: ["}))).new == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format_version": "1.0"}',
        '{"format_version": "2.0", "findings": []}',
        '{"findings": []}',
        '{"format_version": "1.0", "findings": [{}]}',
        '{"format_version": "1.0", "findings": [3]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_baseline_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(BaselineError, match="--write-baseline"):
        load(text)


def test_later_format_of_the_same_kind_is_read() -> None:
    assert load('{"format_version": "1.7", "findings": [], "more": 1}').entries == ()
