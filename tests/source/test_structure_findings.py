from __future__ import annotations

import pytest

from controlplane.diagnostics import Severity
from controlplane.source import Budget, Dialect
from tests.source.reading import at, finding, place, read, rules


def test_duplicate_key_is_an_error_at_the_second_with_the_first_beside_it() -> None:
    result = read("spec:\n  gpus: 1\n  name: x\n  gpus: 2")
    (found,) = result.diagnostics
    assert (found.rule, found.severity, at(found), found.path) == (
        "yaml/duplicate-key",
        Severity.ERROR,
        (4, 3),
        ("spec", "gpus"),
    )
    assert found.message == "the key `gpus` is already on line 2; a mapping has each key once"
    assert [place(related.span) for related in found.related] == [(2, 3, 2, 7)]
    assert result.documents[0].value == {"spec": {"gpus": 1, "name": "x"}}


@pytest.mark.parametrize("dialect", [Dialect.KUBERNETES, Dialect.VLLM])
def test_other_readers_take_the_last_of_two_keys_with_a_warning(dialect: Dialect) -> None:
    result = read("a: 1\na: [2]\na: 3", dialect)
    assert [d.severity for d in result.diagnostics] == [Severity.WARNING, Severity.WARNING]
    assert result.documents[0].value == {"a": 3}


def test_same_key_in_other_quotes_is_a_duplicate() -> None:
    assert rules("a: 1\n\"a\": 2\n'a': 3") == ["yaml/duplicate-key", "yaml/duplicate-key"]


def test_same_key_in_two_mappings_is_no_duplicate() -> None:
    assert rules("a: {x: 1}\nb: {x: 1}\nc:\n- x: 1\n- x: 2") == []


def test_merge_key_brings_keys_in_and_replaces_none() -> None:
    result = read("a: &a {x: 1, z: 2}\nb:\n  x: 3\n  <<: *a")
    assert (result.diagnostics, result.documents[0].value) == ((), {"a": {"x": 1, "z": 2}, "b": {"x": 3, "z": 2}})


def test_first_of_several_merged_mappings_wins() -> None:
    (doc,) = read("a: &a {x: 1}\nb: &b {x: 2, z: 3}\nc: {<<: [*a, *b]}").documents
    assert isinstance(doc.value, dict)
    assert doc.value["c"] == {"x": 1, "z": 3}


def test_second_merge_key_is_an_error_with_the_first_beside_it() -> None:
    found = finding("a: &a {x: 1}\nb:\n  <<: *a\n  <<: {z: 1}")
    assert (found.rule, found.severity, at(found)) == ("yaml/merge-key", Severity.ERROR, (4, 3))
    assert [place(related.span) for related in found.related] == [(3, 3, 3, 5)]


def test_second_merge_key_is_a_warning_where_the_reader_takes_it() -> None:
    assert finding("a: &a {x: 1}\nb: {<<: *a, <<: {z: 1}}", Dialect.KUBERNETES).severity is Severity.WARNING


@pytest.mark.parametrize("value", ["1", "text", "[1]", "~", "[{a: 1}, 2]"])
def test_merge_of_what_is_no_mapping_is_an_error_at_the_value(value: str) -> None:
    found = finding(f"x:\n  <<: {value}")
    assert (found.rule, at(found)) == ("yaml/merge-key", (2, 7))


def test_quoted_merge_key_is_an_ordinary_key() -> None:
    result = read('"<<": 1')
    assert (result.diagnostics, result.documents[0].value) == ((), {"<<": 1})


def test_kubernetes_merge_that_replaces_a_key_before_it_is_a_warning() -> None:
    result = read("x: 1\n<<: {x: 2}\n", Dialect.KUBERNETES)
    (found,) = result.diagnostics
    assert (found.rule, at(found), result.documents[0].value) == ("yaml/merge-key", (2, 1), {"x": 2})


@pytest.mark.parametrize(("text", "column"), [("[1]: x", 1), ("? {a: 1}\n: x", 3), ("{[a]: b}", 2)])
def test_collection_as_a_key_is_an_error_at_the_key(text: str, column: int) -> None:
    found = finding(text)
    assert (found.rule, at(found)) == ("yaml/non-string-key", (1, column))


def test_alias_without_an_anchor_is_an_error_with_the_nearest_anchor() -> None:
    result = read("base: &base {x: 1}\nuse: *bsae")
    (found,) = result.diagnostics
    assert (found.rule, at(found), found.path, result.documents) == ("yaml/undefined-alias", (2, 6), ("use",), ())
    assert found.remedy is not None
    assert found.remedy.text.startswith("Write *base, or define")


def test_anchor_of_another_document_is_not_seen() -> None:
    result = read("a: &x 1\n---\nb: *x")
    assert [d.rule for d in result.diagnostics] == ["yaml/undefined-alias"]
    assert [d.index for d in result.documents] == [0]


def test_later_anchor_of_the_same_name_replaces_the_first() -> None:
    (doc,) = read("a: &x 1\nb: *x\nc: &x 2\nd: *x").documents
    assert doc.value == {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize("text", ["a: &a [1, *a]", "&a {b: *a}", "a: &a {<<: *a}", "a: &a {b: {c: [*a]}}"])
def test_alias_inside_its_own_anchor_is_an_error_at_the_alias(text: str) -> None:
    result = read(text)
    (found,) = result.diagnostics
    assert (found.rule, at(found), result.documents) == ("yaml/alias-cycle", (1, text.index("*") + 1), ())
    assert len(found.related) == 1


def test_unused_anchor_is_fine() -> None:
    assert rules("a: &unused 1\nb: &also [2]") == []


def bomb(levels: int) -> str:
    """Each level has ten aliases of the one before."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize("dialect", list(Dialect))
def test_alias_bomb_is_an_error_at_the_alias_that_is_too_much(dialect: Dialect) -> None:
    result = read(bomb(40), dialect)
    (found,) = result.diagnostics
    assert (found.rule, found.span.line, result.documents) == ("yaml/alias-expansion", 6, ())
    assert "1,000,000 are allowed" in found.message


def test_bomb_of_merge_keys_is_counted_too() -> None:
    lines = ["a0: &a0 {k: 1}"] + [
        f"a{n}: &a{n} {{x{n}: *a{n - 1}, z{n}: *a{n - 1}, <<: *a{n - 1}}}" for n in range(1, 60)
    ]
    assert "yaml/alias-expansion" in rules("\n".join(lines))


def test_aliases_within_the_budget_are_expanded() -> None:
    (doc,) = read(bomb(5)).documents
    assert len(doc.places) == 1 + sum(1 + 10 * _weight(n) for n in range(5))


def _weight(level: int) -> int:
    return 1 if level == 0 else 1 + 10 * _weight(level - 1)


@pytest.mark.parametrize(
    "text", ["[" * 101 + "]" * 101, "- " * 101 + "x", "".join(" " * n + "a:\n" for n in range(102))]
)
def test_nesting_beyond_the_budget_is_an_error_with_both_numbers(text: str) -> None:
    found = finding(text)
    assert (found.rule, found.message) == (
        "yaml/too-deep",
        "101 lists and mappings inside each other; 100 are allowed",
    )


def test_nesting_within_the_budget_is_read() -> None:
    assert rules("[" * 100 + "]" * 100) == []


@pytest.mark.parametrize(
    "text", ["[" * 200_000, "{" * 200_000, "- " * 200_000, "? " * 100_000, "[" * 100_000 + "]" * 100_000]
)
def test_nesting_that_libyaml_itself_refuses_is_the_same_finding(text: str) -> None:
    assert finding(text).rule == "yaml/too-deep"


def test_too_deep_document_does_not_hide_the_others() -> None:
    result = read("a: 1\n---\n" + "[" * 150 + "\n---\nb: 2")
    assert [d.value for d in result.documents] == [{"a": 1}, {"b": 2}]
    assert [d.rule for d in result.diagnostics] == ["yaml/too-deep"]


def test_more_values_than_the_budget_are_an_error_with_both_numbers() -> None:
    result = read("a: 1\n---\n- x\n- x\n- x\n- x", budget=Budget(nodes=5))
    (found,) = result.diagnostics
    assert (found.rule, at(found), found.message) == (
        "yaml/too-many-nodes",
        (5, 3),
        "6 values up to here; 5 are allowed",
    )
    assert [d.value for d in result.documents] == [{"a": 1}]


def test_keys_are_not_counted_as_values() -> None:
    assert read("a: {b: c}", budget=Budget(nodes=3)).diagnostics == ()


def test_more_documents_than_the_budget_are_an_error_with_both_numbers() -> None:
    found = finding("a\n--- b\n--- c\n", budget=Budget(documents=2))
    assert (found.rule, at(found)) == ("yaml/too-many-documents", (3, 1))
    assert found.message == "3 documents up to here; 2 are allowed"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\ufeff", "the file is empty"),
        ("\n \n# only a comment\n", "the file holds only blank lines, comments or document markers"),
        ("---\n...\n---\n", "the file holds only blank lines, comments or document markers"),
    ],
)
def test_file_with_nothing_in_it_is_a_finding(text: str, message: str) -> None:
    found = finding(text)
    assert (found.rule, found.severity, at(found), found.message) == (
        "yaml/empty-file",
        Severity.ERROR,
        (1, 1),
        message,
    )


def test_explicit_null_is_no_empty_file() -> None:
    result = read("--- ~\n")
    assert ([d.value for d in result.documents], result.diagnostics) == ([None], ())
