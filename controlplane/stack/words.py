"""Words of a command line, parts of which may not be known before the container runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import field

from controlplane.diagnostics import Span
from controlplane.frozen import frozen
from controlplane.stack.facts import Declared, Fact, Known, OneOf, Origin, Unknown, Why

MARK = "\x00"
"""Stands in a word's text for a part that is not known. Nothing that reaches a container can hold a NUL."""

Locate = Callable[[int, int], Origin | None]
"""The place of some characters of a text, by the first and the one behind the last."""


@frozen
class Word:
    """A word; where its text has a `MARK`, `missing` says what is not known (for the first of them at least).

    `origin` is the place of the whole word, its quotes included; `locate` tells the place of a part of its text.
    `verbatim` is False where the file does not have the word at that place: a variable or an alias brought it in.
    """

    text: str
    origin: Origin | None = None
    missing: tuple[Unknown, ...] = ()
    locate: Locate | None = field(default=None, compare=False)
    verbatim: bool = field(default=True, compare=False)

    def place(self, start: int, end: int) -> Origin | None:
        """The place of a part of the text."""
        return self.origin if self.locate is None else self.locate(start, end)

    def fact(self, part: str, at: int | None = None) -> Fact[str]:
        """A part of the word's text as a value; `at` is where the part begins when it is not the whole word."""
        if MARK in part:
            return self.missing[0] if self.missing else Unknown(Why.RUNTIME)
        origin = self.origin if at is None else self.place(at, at + len(part))
        return Known(part, origin) if origin is not None else Unknown(Why.UNRESOLVED)


def word_of(fact: Fact[str], locate: Locate | None = None, *, verbatim: bool = True) -> Word:
    """A word as a manifest gives it."""
    match fact:
        case Known():
            return Word(fact.value.replace(MARK, "\ufffd"), fact.origin, (), locate, verbatim)
        case OneOf():
            return Word(MARK, fact.origin, (Unknown(Why.UNRESOLVED, "one of several values"),))
        case _:
            return Word(MARK, None, (fact,))


def texts(words: Sequence[Word]) -> tuple[str, ...]:
    """The texts of words."""
    return tuple(word.text for word in words)


def joined(first: Origin | None, last: Origin | None) -> Origin | None:
    """The place from the start of one to the end of another, or the first where they stand in different files."""
    if not isinstance(first, Declared) or not isinstance(last, Declared) or first.span.file != last.span.file:
        return first or last
    if (last.span.end_line, last.span.end_column) <= (first.span.end_line, first.span.end_column):
        return first
    start = first.span
    span = Span(start.file, start.line, start.column, last.span.end_line, last.span.end_column)
    return Declared(span, first.path)


class WordBuilder:
    """Puts a word together from parts of a source, and remembers which part made which of its characters."""

    __slots__ = ("_places", "_source", "_texts", "missing", "start", "verbatim")

    def __init__(self, source: Word, start: int) -> None:
        self._source = source
        self._texts: list[str] = []
        self._places: list[tuple[int, int]] = []
        self.missing: list[Unknown] = []
        self.start = start
        self.verbatim = source.verbatim

    @property
    def text(self) -> str:
        """What the word is so far."""
        return "".join(self._texts)

    def add(self, text: str, start: int, end: int) -> None:
        """Append a text that the source's characters from `start` to `end` make."""
        self._texts.append(text)
        self._places.append((start, end))

    def word(self, end: int) -> Word:
        """The word, whose last character in the source stands before `end`."""
        source = self._source
        missing = tuple(self.missing)
        if source.locate is None:
            return Word(self.text, source.origin, missing, None, self.verbatim)
        locate = _Parts(source.locate, tuple(self._texts), tuple(self._places))
        return Word(self.text, source.locate(self.start, end), missing, locate, self.verbatim)


class _Parts:
    """The places of a word's characters by those of its source; a part that is not as long as its text is a whole."""

    __slots__ = ("_ends", "_places", "_source")

    def __init__(self, source: Locate, parts: Sequence[str], places: Sequence[tuple[int, int]]) -> None:
        self._source = source
        self._places = places
        self._ends: list[int] = []
        at = 0
        for part in parts:
            at += len(part)
            self._ends.append(at)

    def __call__(self, start: int, end: int) -> Origin | None:
        if not self._ends:
            return self._source(0, 0)
        first = self._at(start, ending=False)
        return self._source(first, max(self._at(max(end - 1, start), ending=True), first) if end > start else first)

    def _at(self, index: int, *, ending: bool) -> int:
        """Where in the source the character at an index begins, or ends."""
        part = min(bisect_right(self._ends, index), len(self._ends) - 1)
        start, end = self._places[part]
        before = self._ends[part - 1] if part else 0
        if end - start != self._ends[part] - before:
            return end if ending else start
        return min(start + index - before + ending, end)
