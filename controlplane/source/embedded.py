"""A scalar of a document as a text of its own, every character of which knows its place in the file.

Command lines, shell scripts and whole YAML documents stand inside scalars. libyaml gives their value; here the
scalar is read a second time, as YAML 1.1 has it (escapes 5.6, folding 7.3 and 8.2), to learn which characters of the
file made which of the value. Where the two readings differ, nothing is guessed: the whole scalar is the place.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.diagnostics import KeyPath, Span
from controlplane.regex import regex
from controlplane.source.budget import Budget
from controlplane.source.dialect import Dialect
from controlplane.source.document import Document, Node, Places, ReadResult
from controlplane.source.reader import read_text
from controlplane.source.text import SourceText

_Piece = tuple[str, int, int]
"""Characters of a value, and the start and end in the file of what made them; several only where equal."""

_BREAK = regex("\r\n|[\n\r\u0085\u2028\u2029]")
_BLANKS = regex("[ \t\n\r\u0085\u2028\u2029]+")
_ORDINARY: Final = {
    "": regex("[^ \t\n\r\u0085\u2028\u2029]+"),
    "'": regex("[^' \t\n\r\u0085\u2028\u2029]+"),
    '"': regex("[^\\\\ \t\n\r\u0085\u2028\u2029]+"),
}
_HEADER = regex("[|>][-+0-9]*[ \t]*(?:#[^\n\r\u0085\u2028\u2029]*)?(?:\r\n|[\n\r\u0085\u2028\u2029])")
_ESCAPE = regex(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CONTINUATION = regex("\\\\(?:\r\n|[\n\r\u0085\u2028\u2029])[ \t]*")
_ESCAPED: Final = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "'": "'", "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_WRITTEN = regex("(?:(?<=[\n\r\u0085\u2028\u2029])|^)( *)[^ \n\r\u0085\u2028\u2029]")
_UNFOLDED: Final = ("\u2028", "\u2029")
_REPLACEMENT: Final = "\ufffd"


class Embedded(SourceText):
    """The value of a scalar, as a text whose spans are those of the file that it stands in.

    `text` is the value. A character that an escape or a fold made has the place of that escape or fold. An empty span
    lies before its character. Where `has_places` is false (behind an alias, or where the scalar cannot be
    followed), every span is that of the whole scalar, or of the alias.
    """

    __slots__ = ("_outer", "_runs", "_whole")

    def __init__(self, value: str, outer: SourceText, whole: tuple[int, int], runs: _Runs | None) -> None:
        super().__init__(outer.file, value)
        self._outer = outer
        self._whole = whole
        self._runs = runs

    @property
    def has_places(self) -> bool:
        """Whether its characters have places of their own."""
        return self._runs is not None

    def position(self, index: int) -> tuple[int, int]:
        """Line and column in the file, from 1, of what made the character at `index`."""
        return self._outer.position(self.place(index, index)[0])

    def span(self, start: int, end: int) -> Span:
        """The place in the file of the value's characters from `start` up to, not including, `end`."""
        return self._outer.span(*self.place(start, end))

    def place(self, start: int, end: int) -> tuple[int, int]:
        """`span` as indices into the text that the scalar stands in."""
        if self._runs is None:
            return self._whole
        if not self.text:
            return self._whole[1], self._whole[1]
        start = min(max(start, 0), len(self.text))
        if end > start:
            return self._runs.place(start)[0], self._runs.place(min(end, len(self.text)) - 1)[1]
        first = self._runs.place(start)[0] if start < len(self.text) else self._runs.place(start - 1)[1]
        return first, first

    def is_verbatim(self, start: int, end: int) -> bool:
        """Whether the file has exactly these characters at their place, so that they may be replaced there."""
        if not self.has_places:
            return False
        first, last = self.place(start, end)
        return self._outer.text[first:last] == self.text[start:end]


def embedded(document: Document, path: KeyPath) -> Embedded | None:
    """The text at a path with its places; None where no text is there. An alias is the place of all it brings in."""
    places = document.places
    if not isinstance(places, Places) or path not in places:
        return None
    node = places.node(path)
    if not isinstance(node.value, str):
        return None
    use = places.use(path)
    if use is not None:
        return Embedded(node.value, places.text, (use.start, use.end), None)
    runs = _followed(places.text.text, node, node.value)
    return Embedded(node.value, places.text, (node.start, node.end), runs)


def read_embedded_yaml(
    document: Document, path: KeyPath, dialect: Dialect, budget: Budget | None = None
) -> ReadResult:
    """The YAML documents inside the text at a path: places and findings are those of the outer file.

    Paths are the inner documents' own. Nothing, where no text is at the path.
    """
    text = embedded(document, path)
    if text is None:
        return ReadResult((), ())
    return read_text(text, dialect, budget or Budget())


class _Runs:
    """Which characters of a value come from where: runs that stand so in the file, and single ones that do not."""

    __slots__ = ("_firsts", "_lasts", "_offsets", "length")

    def __init__(self) -> None:
        self.length = 0
        self._offsets = array("q")
        self._firsts = array("q")
        self._lasts = array("q")

    def add(self, length: int, first: int, last: int) -> None:
        """The next characters of the value are made by those of the file from `first` up to `last`."""
        self._offsets.append(self.length)
        self._firsts.append(first)
        self._lasts.append(last)
        self.length += length

    def place(self, offset: int) -> tuple[int, int]:
        """Start and end in the file of what made the character at `offset`."""
        run = bisect_right(self._offsets, offset) - 1
        begins = self._offsets[run]
        ends = self._offsets[run + 1] if run + 1 < len(self._offsets) else self.length
        if ends - begins == 1:
            return self._firsts[run], self._lasts[run]
        first = self._firsts[run] + offset - begins
        return first, first + 1


def _followed(text: str, node: Node, value: str) -> _Runs | None:
    """What made each character of a value; None where reading it here gives another value."""
    opening = text[node.start : node.start + 1]
    pieces: Iterable[_Piece]
    if opening in ("|", ">") and (header := _HEADER.match(text, node.start)):
        pieces = _block(text, header.end(), value, folded=opening == ">")
    elif opening in ('"', "'"):
        pieces = _flow(text, node.start + 1, node.end - 1, opening)
    else:
        pieces = _flow(text, node.start, node.end, "")
    runs = _Runs()
    for made, first, last in pieces:
        if not _same(made, value, runs.length):
            return None
        runs.add(len(made), first, last)
    return runs if runs.length == len(value) else None


def _same(made: str, value: str, offset: int) -> bool:
    """Whether the value goes on so; the parser was given a replacement for each character that it would stop at."""
    if value.startswith(made, offset):
        return True
    there = value[offset : offset + len(made)]
    return len(there) == len(made) and all(t in (m, _REPLACEMENT) for m, t in zip(made, there, strict=True))


def _flow(text: str, start: int, end: int, quote: str) -> Iterator[_Piece]:
    """The characters of a quoted or plain scalar, between its quotes."""
    at = start
    while at < end:
        if ordinary := _ORDINARY[quote].match(text, at, end):
            yield ordinary[0], at, ordinary.end()
            at = ordinary.end()
        elif blanks := _BLANKS.match(text, at, end):
            yield from _joined(text, at, blanks.end())
            at = blanks.end()
        elif line := _CONTINUATION.match(text, at, end):
            rest = _BLANKS.match(text, line.end(), end)
            at = rest.end() if rest else line.end()
            # The escaped line break has taken the place of the first.
            yield from (_line_break(match) for match in _BREAK.finditer(text, line.end(), at))
        else:
            piece = _escaped(text, at, end) if quote == '"' else ("'", at, at + 2)
            yield piece
            at = piece[2]


def _escaped(text: str, at: int, end: int) -> _Piece:
    match = _ESCAPE.match(text, at, end)
    if match is None:
        return text[at], at, at + 1
    digits = match[1] or match[2] or match[3]
    if digits is None:
        return _ESCAPED.get(match[4], match[4]), at, match.end()
    code = int(digits, 16)
    return chr(code) if code < 0x110000 else _REPLACEMENT, at, match.end()


def _joined(text: str, start: int, end: int) -> Iterator[_Piece]:
    """A run of blanks: as it is on one line; over several, a space for one line break, else one break fewer."""
    breaks = list(_BREAK.finditer(text, start, end))
    if not breaks:
        yield text[start:end], start, end
        return
    if breaks[0][0] in _UNFOLDED:
        yield _line_break(breaks[0])
    elif len(breaks) == 1:
        yield " ", start, end
    yield from (_line_break(match) for match in breaks[1:])


def _line_break(match: re.Match[str]) -> _Piece:
    kept = match[0] if match[0] in _UNFOLDED else "\n"
    return kept, match.start(), match.end()


def _block(text: str, start: int, value: str, *, folded: bool) -> Iterator[_Piece]:
    """The characters of a block scalar whose first line begins at `start`.

    The value tells what only its parents would: its indentation, and how many of its last line breaks are kept.
    """
    indent = _indentation(text, start, value)
    content = len(value.rstrip("\n"))
    breaks: list[_Piece] = []
    at, made, begun = start, 0, False
    while indent is not None and at < len(text) and (made < content or made + len(breaks) < len(value)):
        first, last, following = _line(text, at, indent)
        if first < last:
            joints = _between(breaks, value[made : made + len(breaks) + 1], folded=begun and folded)
            yield from joints
            yield text[first:last], first, last
            made += len(joints) + last - first
            breaks, begun = [], True
        breaks += following
        at = following[0][2] if following else len(text)
    yield from breaks[: max(len(value) - made, 0)]


def _between(breaks: list[_Piece], ahead: str, *, folded: bool) -> list[_Piece]:
    """What the line breaks between two lines of a block become; the value `ahead` tells whether they are folded."""
    if not folded or not breaks:
        return breaks
    kept = len(ahead) - len(ahead.lstrip("\n\u2028\u2029"))
    if kept == 0 and len(breaks) == 1:
        return [(" ", breaks[0][1], breaks[0][2])]
    return breaks[len(breaks) - kept :] if kept < len(breaks) else breaks


def _line(text: str, at: int, indent: int) -> tuple[int, int, list[_Piece]]:
    """Where a line's content begins and ends behind its indentation, and its line break, if it has one."""
    match = _BREAK.search(text, at)
    last = match.start() if match else len(text)
    first = at
    while first < last and first - at < indent and text[first] == " ":
        first += 1
    return first, last, [_line_break(match)] if match else []


def _indentation(text: str, start: int, value: str) -> int | None:
    """Columns of indentation: what the first line with anything but spaces has more in the file than in the value."""
    here = _first_written(value, 0)
    there = _first_written(text, start) if here is not None else None
    return max(there - here, 0) if there is not None and here is not None else None


def _first_written(text: str, start: int) -> int | None:
    match = _WRITTEN.search(text, start)
    return len(match[1]) if match else None
