from __future__ import annotations

import pytest

from controlplane.source import Budget, Dialect, Document, ReadResult, read_yaml
from tests.source.reading import at, place, read


def test_documents_before_and_behind_a_broken_one_are_kept() -> None:
    result = read("a: 1\n---\nb: [\n---\nc: 3\n---\nd: {e\n...\n---\nf: 6\n")
    assert [(d.index, d.value) for d in result.documents] == [(0, {"a": 1}), (2, {"c": 3}), (4, {"f": 6})]
    assert [(d.rule, d.span.line) for d in result.diagnostics] == [
        ("yaml/syntax", 4),
        ("yaml/syntax", 8),
    ]


def test_places_behind_a_broken_document_are_exact() -> None:
    result = read("b: [é\n---\nc: &x {d: no}\ne: *x\n")
    (doc,) = result.documents
    assert place(doc.span_of(("c", "d"))) == (3, 11, 3, 13)
    assert place(doc.key_span(("e",))) == (4, 1, 4, 2)
    assert [at(d) for d in result.diagnostics] == [(2, 1), (3, 11)]


def test_ten_mistakes_of_ten_kinds_are_ten_findings_in_one_run() -> None:
    text = (
        "kind: Fleet\nkind: Fleet\non: x\nsize: 012\n1: x\ntag: !x y\nbig: 99999999999999999999\n"
        "<<: {a: 1}\n<<: {b: 1}\ntext: x\u200by\n---\na: *x\n---\nb: c: d\n"
    )
    rules = [d.rule.removeprefix("yaml/") for d in read(text).diagnostics]
    assert rules == [
        "duplicate-key", "ambiguous-scalar", "ambiguous-scalar", "non-string-key", "custom-tag", "unreadable-scalar",
        "merge-key", "invisible-character", "undefined-alias", "syntax",
    ]  # fmt: skip


def test_reading_stops_after_many_broken_documents_and_says_so() -> None:
    result = read("a: [\n---\n" * 1_000, budget=Budget(resumptions=3))
    assert [d.rule for d in result.diagnostics].count("yaml/syntax") == 4
    (last,) = (d for d in result.diagnostics if d.rule == "yaml/too-many-unreadable-documents")
    assert last.message == "4 documents up to here cannot be read; reading stops after 4"


def test_marker_inside_a_block_text_ends_the_document() -> None:
    result = read("a: |\n  x\n---\nb: 1")
    assert [d.value for d in result.documents] == [{"a": "x\n"}, {"b": 1}]


def test_same_bytes_give_the_same_result() -> None:
    data = b"a: &x [1, no]\nb: *x\nb: 2\n---\n: :\n"
    first, second = (read_yaml(data, "f", Dialect.POLICY) for _ in range(2))
    assert first == second
    assert isinstance(first, ReadResult)
    assert all(isinstance(doc, Document) for doc in first.documents)


@pytest.mark.parametrize("dialect", list(Dialect))
def test_json_is_yaml_in_every_dialect(dialect: Dialect) -> None:
    result = read('{"a": [1, 2.5, true, null, "no"], "b": {"c": "\\u00e9\\n"}}', dialect)
    assert (result.diagnostics, result.documents[0].value) == (
        (),
        {"a": [1, 2.5, True, None, "no"], "b": {"c": "é\n"}},
    )


def test_every_finding_is_of_the_policy_layer_with_a_place_and_a_remedy() -> None:
    result = read("a: no\na: *x\n---\nb: [\n---\n\t- c")
    assert len(result.diagnostics) == 5
    for found in result.diagnostics:
        assert (found.layer.value, found.span.file) == ("policy", "policy.yaml")
        assert found.rule.startswith("yaml/")
        assert found.remedy is not None
        assert found.remedy.text.endswith(".")


def test_file_of_many_values_is_read() -> None:
    result = read("- name: model\n  gpus: 8\n" * 10_000)
    assert result.diagnostics == ()
    assert len(result.documents[0].places) == 30_001
