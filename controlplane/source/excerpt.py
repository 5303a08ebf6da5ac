"""A source line with its faulty part underlined, safe to print on a terminal.

A policy is a stranger's text: whatever a terminal would obey (escape sequences, text direction, invisible
characters) is shown as what it is. Lines are those of an editor: ended by LF, CRLF or CR.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from controlplane.diagnostics import Span
from controlplane.regex import regex

_TAB: Final = 4
_WIDEST: Final = 160
_BEFORE: Final = 60
_LINE_BREAK = regex(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """The lines of a text as an editor counts them, without their ends."""
    return _LINE_BREAK.split(text)


def excerpt(source: str | Sequence[str], span: Span) -> str:
    """Two lines: the span's first source line behind its number, and carets under the span's part of it.

    An empty span gets one caret; a span that goes on is underlined to the end of its first line; a line that does
    not exist gives an empty text. Long lines are cut around the span.
    """
    lines = split_lines(source) if isinstance(source, str) else source
    if not 1 <= span.line <= len(lines):
        return ""
    line = lines[span.line - 1]
    start = min(max(span.column - 1, 0), len(line))
    end = min(span.end_column - 1, len(line)) if span.end_line == span.line else len(line.rstrip())
    first = max(0, start - _BEFORE) if len(line) > _WIDEST else 0
    shown, carets = _draw(line[first : first + _WIDEST], start - first, max(end, start) - first)
    before = "…" if first else ""
    after = "…" if len(line) > first + _WIDEST else ""
    number = str(span.line)
    gutter = " " * len(number)
    return f"{number} | {before}{shown}{after}\n{gutter} | {' ' * len(before)}{carets}"


def printable(text: str) -> str:
    """The text with everything a terminal would obey or hide made visible."""
    return "".join(_visible(character, 0) for character in text)


def _draw(line: str, start: int, end: int) -> tuple[str, str]:
    shown, column = "", 0
    caret_from = caret_to = None
    for index, character in enumerate(line):
        caret_from = column if index == start else caret_from
        caret_to = column if index == end else caret_to
        drawn = _visible(character, column)
        shown += drawn
        column += sum(_width(c) for c in drawn)
    begin = column if caret_from is None else caret_from
    finish = column if caret_to is None else caret_to
    return shown, " " * begin + "^" * max(1, finish - begin)


def _visible(character: str, column: int) -> str:
    code = ord(character)
    if character == "\t":
        return " " * (_TAB - column % _TAB)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    # Cc, Cf, Cs, Co, Cn: control, format (bidi, zero width), surrogates, private use; Zl and Zp break lines.
    # Zs: spaces that look like the ordinary one.
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
    if hidden and character != " ":
        return f"<U+{code:04X}>"
    return character


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
