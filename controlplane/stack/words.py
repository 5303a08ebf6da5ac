"""Words of a command line, parts of which may not be known before the container runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.stack.facts import Fact, Known, OneOf, Origin, Unknown, Why

MARK = "\x00"
"""Stands in a word's text for a part that is not known. Nothing that reaches a container can hold a NUL."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word; where its text has a `MARK`, `missing` says what is not known (for the first of them at least)."""

    text: str
    origin: Origin | None = None
    missing: tuple[Unknown, ...] = ()

    def fact(self, part: str) -> Fact[str]:
        """A part of the word's text as a value."""
        if MARK in part:
            return self.missing[0] if self.missing else Unknown(Why.RUNTIME)
        return Known(part, self.origin) if self.origin is not None else Unknown(Why.UNRESOLVED)


def word_of(fact: Fact[str]) -> Word:
    """A word as a manifest gives it."""
    match fact:
        case Known():
            return Word(fact.value.replace(MARK, "\ufffd"), fact.origin)
        case OneOf():
            return Word(MARK, fact.origin, (Unknown(Why.UNRESOLVED, "one of several values"),))
        case _:
            return Word(MARK, None, (fact,))


def texts(words: Sequence[Word]) -> tuple[str, ...]:
    """The texts of words."""
    return tuple(word.text for word in words)
