"""A file's text with the place of every character.

Lines end with LF, CRLF or CR, as editors and YAML 1.2 count them. libyaml (YAML 1.1) also ends lines at NEL (U+0085)
and U+2028/U+2029, so its own line numbers are not used: its character index is looked up here. A byte order
mark at the start is no part of the text.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right

from controlplane.diagnostics import Span
from controlplane.regex import regex

_LINE_END = regex(r"\r\n|\n|\r")


class SourceText:
    """The text of one file. Positions are indices of code points; spans count lines and columns from 1."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        # An array, because a hostile file is nothing but lines.
        self._starts = array("q", [0])
        self._starts.extend(match.end() for match in _LINE_END.finditer(text))

    def position(self, index: int) -> tuple[int, int]:
        """Line and column, from 1, of the character at `index`."""
        index = min(max(index, 0), len(self.text))
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The characters from `start` up to, not including, `end`."""
        size = len(self.text)
        start = min(max(start, 0), size)
        end = min(max(start, end), size)
        starts = self._starts
        line = end_line = bisect_right(starts, start)
        # Nearly all that is asked for ends on its first line.
        if line < len(starts) and end >= starts[line]:
            end_line = bisect_right(starts, end)
        return Span(self.file, line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1)

    def line_start(self, index: int) -> int:
        """Index of the first character of the line that holds `index`."""
        index = min(max(index, 0), len(self.text))
        return self._starts[bisect_right(self._starts, index) - 1]

    def line_end(self, index: int) -> int:
        """Index just behind the last character of the line that holds `index`, its end not counted."""
        match = _LINE_END.search(self.text, index)
        return match.start() if match else len(self.text)
