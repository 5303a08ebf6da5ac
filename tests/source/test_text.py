from __future__ import annotations

from controlplane.source.text import SourceText


def test_position_counts_lines_and_columns_from_one() -> None:
    text = SourceText("f", "ab\nc\r\nd\re")
    assert [text.position(index) for index in range(10)] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2),
    ]  # fmt: skip


def test_position_behind_the_end_is_the_end() -> None:
    text = SourceText("f", "ab\n")
    assert (text.position(3), text.position(99), text.position(-1)) == ((2, 1), (2, 1), (1, 1))


def test_span_never_ends_before_it_starts() -> None:
    span = SourceText("f", "abc").span(2, 1)
    assert (span.column, span.end_column) == (3, 3)


def test_line_has_a_start_and_an_end() -> None:
    text = SourceText("f", "ab\r\ncd\n")
    assert [(text.line_start(i), text.line_end(i)) for i in (0, 1, 4, 5, 7)] == [
        (0, 2),
        (0, 2),
        (4, 6),
        (4, 6),
        (7, 7),
    ]
