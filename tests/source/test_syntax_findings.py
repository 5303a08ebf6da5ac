from __future__ import annotations

import pytest

from controlplane.diagnostics import Severity
from controlplane.source import Dialect
from tests.source.reading import at, edited, finding, place, read

MISTAKES = [
    ("a: b: c", (1, 5), "a colon that would begin a value"),
    ("a: 1\n  b: 2", (2, 4), "a colon that would begin a value"),
    ("a:\n  b: 1\n c: 2", (3, 2), "does not fit the mapping"),
    ("a:\n  - 1\n  b: 2", (3, 3), "does not fit the list"),
    ("a: - b", (1, 4), "a list item stands where none can be"),
    ("a: 1\nb\nc: 2", (3, 1), "a key has no colon"),
    ("a: @b", (1, 4), "a value cannot begin with @"),
    ("a: `b", (1, 4), "a value cannot begin with `"),
    ("a: %b", (1, 4), "a value cannot begin with %"),
    ("a: 'b\nc: 1", (2, 5), "the file ends inside a quoted text"),
    ('a: "b\n---\nc: 1', (2, 1), "the document ends inside a quoted text"),
    ("a: [1, 2\nb: 3", (2, 2), "a list in brackets is not closed"),
    ("a: {b: 1\nc: 3", (2, 2), "a mapping in braces is not closed"),
    ("a: [1\n", (2, 1), "a list in brackets is not closed"),
    ("a: [,]", (1, 5), "a value is missing"),
    ('a: "\\d"', (1, 5), "no escape that YAML knows"),
    ("a: 1\n... b\n", (2, 5), "behind the end of the document"),
    ("a: !x!y z", (1, 4), "the tag's prefix is defined nowhere"),
    ("%YAML 3.0\n---\na: 1", (1, 1), "other than 1.1 and 1.2"),
]


@pytest.mark.parametrize(("text", "where", "message"), MISTAKES, ids=[repr(text) for text, _, _ in MISTAKES])
def test_mistake_is_told_in_plain_words_at_its_place(text: str, where: tuple[int, int], message: str) -> None:
    found = read(text).diagnostics[0]
    assert (found.rule, found.severity) == ("yaml/syntax", Severity.ERROR)
    assert message in found.message
    assert at(found) == where
    assert found.remedy is not None
    assert found.remedy.text.endswith(".")


def test_quotes_that_are_not_closed_tell_where_they_open() -> None:
    found = finding("a: 1\nb: 'text\nc: 2")
    assert [place(related.span) for related in found.related] == [(2, 4, 2, 5)]


@pytest.mark.parametrize("text", ["a:\n\tb: 1", "a:\n  b: 1\n\tc: 2", "a:\n  \t- 1\n\t- 2\n"])
def test_tab_in_the_indentation_is_told_as_such(text: str) -> None:
    found = read(text).diagnostics[0]
    assert (found.rule, found.severity) == ("yaml/tab-indentation", Severity.ERROR)
    line = text.split("\n")[found.span.line - 1]
    assert line[found.span.column - 1] == "\t"


def test_tab_in_the_indentation_has_an_edit() -> None:
    text = "a:\n\tb: 1"
    assert read(edited(text, finding(text))).diagnostics == ()


def test_tab_where_yaml_allows_it_is_fine() -> None:
    assert read("a: 1\t# x\nb: [1,\n\t2]\nc: 'x\n\ty'").diagnostics == ()


@pytest.mark.parametrize("dialect", [Dialect.KUBERNETES, Dialect.VLLM])
def test_directive_is_a_warning(dialect: Dialect) -> None:
    result = read("%YAML 1.1\n%TAG ! tag:x,2026:\n---\na: 1", dialect)
    assert [(d.rule, d.severity, at(d)) for d in result.diagnostics] == [
        ("yaml/directive", Severity.WARNING, (1, 1)),
        ("yaml/directive", Severity.WARNING, (2, 1)),
    ]
    assert result.documents[0].value == {"a": 1}


def test_directive_that_names_our_version_is_fine() -> None:
    assert read("%YAML 1.2\n---\na: 1").diagnostics == ()


def test_directive_that_names_another_version_has_no_effect() -> None:
    result = read("%YAML 1.1\n---\na: 'x'\nb: no")
    assert [d.rule for d in result.diagnostics] == ["yaml/directive", "yaml/ambiguous-scalar"]
    assert result.documents[0].value == {"a": "x", "b": "no"}


def test_custom_tag_under_a_directive_is_still_a_custom_tag() -> None:
    result = read("%TAG !e! tag:x,2026:\n---\na: !e!foo 1")
    assert [d.rule for d in result.diagnostics] == ["yaml/directive", "yaml/custom-tag"]


def test_thousands_of_directives_are_refused_before_libyaml_compares_them_all() -> None:
    text = "".join(f"%TAG !t{n}! tag:x,2026:\n" for n in range(5_000)) + "---\na: 1"
    found = finding(text)
    assert (found.rule, found.message) == (
        "yaml/too-many-directives",
        "5,000 lines begin with `%`; 100 are allowed",
    )
