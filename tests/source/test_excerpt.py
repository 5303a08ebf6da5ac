from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import Span
from controlplane.source import excerpt, printable, split_lines


def shown(text: str, line: int, column: int, end_line: int, end_column: int) -> list[str]:
    return excerpt(text, Span("f", line, column, end_line, end_column)).split("\n")


def test_part_of_a_line_is_underlined() -> None:
    assert shown("a: 1\ngpus: eight\n", 2, 7, 2, 12) == ["2 | gpus: eight", "  |       ^^^^^"]


def test_empty_span_gets_one_caret() -> None:
    assert shown("gpus:", 1, 6, 1, 6) == ["1 | gpus:", "  |      ^"]


def test_span_of_several_lines_is_underlined_to_the_end_of_the_first() -> None:
    assert shown("a: [1,  \n 2]", 1, 4, 2, 4) == ["1 | a: [1,  ", "  |    ^^^"]


def test_gutter_is_as_wide_as_the_number() -> None:
    assert shown("\n" * 99 + "ab", 100, 1, 100, 2) == ["100 | ab", "    | ^"]


def test_wide_and_combining_characters_keep_the_caret_in_place() -> None:
    assert shown("\u4e2d\u6587: x", 1, 5, 1, 6) == ["1 | \u4e2d\u6587: x", "  |       ^"]
    assert shown("e\u0301: x", 1, 5, 1, 6) == ["1 | e\u0301: x", "  |    ^"]
    assert shown("a: \u4e2d", 1, 4, 1, 5)[1] == "  |    ^^"


def test_tab_is_shown_as_spaces() -> None:
    assert shown("\ta: 1", 1, 2, 1, 3) == ["1 |     a: 1", "  |     ^"]
    assert shown("ab\tc", 1, 3, 1, 4) == ["1 | ab  c", "  |   ^^"]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("\x1b[31mred", "\u241b[31mred"),
        ("a\x07\x7f", "a\u2407\u2421"),
        ("x\u202ey", "x<U+202E>y"),
        ("x\u200by", "x<U+200B>y"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\rb\n", "a\u240db\u240a"),
        ("\u2028", "<U+2028>"),
        ("\ufeffx", "<U+FEFF>x"),
        ("naïve 😀", "naïve 😀"),
    ],
)
def test_what_a_terminal_would_obey_is_made_visible(text: str, safe: str) -> None:
    assert printable(text) == safe


def test_escape_sequence_in_an_excerpt_is_not_obeyed() -> None:
    lines = shown("a: \x1b[2Jx # \u202e", 1, 4, 1, 9)
    assert lines == ["1 | a: \u241b[2Jx # <U+202E>", "  |    ^^^^^"]


def test_long_line_is_cut_around_the_span() -> None:
    first, second = shown("a" * 500 + "BAD" + "c" * 500, 1, 501, 1, 504)
    assert "BAD" in first
    assert len(first) < 180
    assert first.index("BAD") == second.index("^")
    assert second.endswith("^^^")


@pytest.mark.parametrize(("line", "column"), [(0, 1), (3, 1), (99, 1)])
def test_line_that_does_not_exist_gives_nothing(line: int, column: int) -> None:
    assert excerpt("a\nb", Span("f", line, column, line, column + 1)) == ""


def test_column_behind_the_end_of_the_line_points_at_its_end() -> None:
    assert shown("ab", 1, 99, 1, 100) == ["1 | ab", "  |   ^"]


def test_lines_may_be_split_beforehand() -> None:
    span = Span("f", 2, 1, 2, 2)
    assert excerpt(split_lines("a\r\nb\rc"), span) == excerpt("a\r\nb\rc", span) == "2 | b\n  | ^"


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(text=st.text(max_size=300), column=st.integers(1, 300), length=st.integers(0, 300))
def test_any_excerpt_is_two_printable_lines(text: str, column: int, length: int) -> None:
    drawn = excerpt(text, Span("f", 1, column, 1, column + length))
    first, second = drawn.split("\n")
    assert first.replace("\u00a0", " ").isprintable() or any(c.isspace() for c in first)
    assert set(second) <= set("1 |^")
    assert "^" in second
