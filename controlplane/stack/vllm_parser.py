"""The words behind `vllm serve` -> arguments by their canonical names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.engine import ArgumentValue, WrittenArgument
from controlplane.stack.facts import Fact, Known, Origin, Unknown, Why
from controlplane.stack.vllm_arguments import Arguments, Form, Match, Spelling
from controlplane.stack.vllm_values import dotted_value, list_value, separated_value, single_value
from controlplane.stack.words import MARK, Word, joined, texts

_NEGATIVE = regex(r"-\d+\Z|-\d*\.\d+\Z")
"""What argparse takes for a value although it begins with a dash."""

_LEVEL = regex(r"-O=?(.+)\Z", re.DOTALL)
_ONE_WORD = regex(r"(--?[A-Za-z][\w.+-]*)(\s+)(.*)\Z", re.DOTALL)
"""A flag, and behind a blank in the same word what is meant as its value: argparse takes such a word for no flag."""

_SEVERAL = regex(r"(?:\A|\s)--?[A-Za-z]")
_LEVEL_FLAG = "--optimization-level"
_MOST_KEYS = 64
"""Keys in one dotted flag; vLLM's configurations nest three deep."""


@dataclass(slots=True)
class Parsed:
    """What the words say. `complete` is False when some of them could not be read."""

    arguments: dict[str, Fact[ArgumentValue]] = field(default_factory=dict)
    positional: list[Word] = field(default_factory=list)
    written: list[WrittenArgument] = field(default_factory=list)
    complete: bool = True


def parse(words: Sequence[Word], arguments: Arguments) -> Parsed:
    """Read the words from left to right; whatever they are, the result says what could be read."""
    parser = _Parser(words, arguments)
    parser.run()
    return parser.parsed


@frozen
class _Flag:
    """A flag as written: its word, how much of that is the flag, and the value behind an equals sign."""

    word: Word
    spelling: str
    value: str | None = None
    blank: tuple[int, int] | None = None

    @property
    def value_at(self) -> int:
        """Where the value begins in the word."""
        return len(self.word.text) - len(self.value or "")


class _Parser:
    def __init__(self, words: Sequence[Word], arguments: Arguments) -> None:
        self._words = words
        self._arguments = arguments
        self._at = 0
        self._dotted: dict[str, Fact[ArgumentValue]] = {}
        self.parsed = Parsed()

    def run(self) -> None:
        while self._at < len(self._words):
            word = self._words[self._at]
            self._at += 1
            self._step(word)
        # vLLM puts dotted arguments behind all others, as one JSON value each: they win over `--argument '{...}'`.
        self.parsed.arguments |= self._dotted

    def _step(self, word: Word) -> None:
        flag, equals, value = word.text.partition("=")
        written = _Flag(word, flag, value if equals else None)
        if word.text == "--":
            self.parsed.positional += self._words[self._at :]
            self._at = len(self._words)
        elif not _is_flag(word.text):
            self._positional(word)
        elif one_word := _ONE_WORD.match(word.text):
            self._one_word(word, one_word[1], one_word[3], one_word.span(2))
        elif MARK in flag:
            self.parsed.complete = False
        elif level := _LEVEL.match(word.text):
            self._value(self._arguments.match(_LEVEL_FLAG), _Flag(word, "-O", level[1]))
        elif flag == "-O":
            self._value(self._arguments.match(_LEVEL_FLAG), _Flag(word, "-O"))
        elif "." in flag:
            self._dotted_argument(written)
        else:
            self._value(self._arguments.match(flag), written)

    def _positional(self, word: Word) -> None:
        """A word that begins with what is not known may be a flag, or several; in the first place it is the model."""
        if word.text.startswith(MARK) and (self.parsed.positional or self._at > 1):
            self.parsed.complete = False
        else:
            self.parsed.positional.append(word)

    def _one_word(self, word: Word, spelling: str, value: str, blank: tuple[int, int]) -> None:
        """A flag with a blank in the same word, read as it is meant; of several flags only the first is noted."""
        flag = _Flag(word, spelling, value or None, blank)
        match = self._arguments.match(spelling)
        form = match.spelling.form
        if _SEVERAL.search(value) or (form is Form.MANY and len(value.split()) > 1):
            self.parsed.complete = False
            self._note(match, flag, ())
        elif value and form is Form.SWITCH:
            self._put(match.spelling.name, word.origin, not match.negated)
            self._note(match, flag, ())
        elif "." in spelling:
            self._dotted_argument(flag)
        else:
            self._value(match, flag)

    def _value(self, match: Match, flag: _Flag) -> None:
        start = self._at
        spelling = match.spelling
        if match.negated:
            self._put(spelling.name, flag.word.origin, False)
        elif spelling.form is Form.MANY:
            self._many(spelling, flag)
        elif flag.value is not None:
            self._set(spelling, flag.word, flag.value, flag.value_at)
        elif spelling.form is Form.SWITCH or (self._next_is_flag() and spelling.form is not Form.ONE):
            self._put(spelling.name, flag.word.origin, True)
        else:
            self._next_value(spelling)
        self._note(match, flag, self._words[start : self._at])

    def _note(self, match: Match, flag: _Flag, taken: Sequence[Word]) -> None:
        """Remember an argument as it is written."""
        words = (flag.word, *taken)
        verbatim = all(word.verbatim for word in words)
        key = flag.word.place(0, len(flag.spelling))
        origin, text = key, None
        if flag.value is not None:
            origin, text = flag.word.place(flag.value_at, len(flag.word.text)), flag.value
        elif taken:
            origin, text = joined(taken[0].origin, taken[-1].origin), " ".join(texts(taken))
        self.parsed.written.append(
            WrittenArgument(
                spelling=flag.spelling,
                name=match.spelling.name,
                key_origin=key,
                origin=origin,
                negated=match.negated,
                abbreviated=match.abbreviated,
                text=None if text is not None and MARK in text else text,
                words=tuple(word.origin for word in words if word.origin is not None) if verbatim else (),
                verbatim=verbatim,
                blank=flag.word.place(*flag.blank) if flag.blank is not None else None,
                alone=flag.value is None and not taken,
            )
        )

    def _next_is_flag(self) -> bool:
        return self._at >= len(self._words) or _is_flag(self._words[self._at].text)

    def _next_value(self, spelling: Spelling) -> None:
        if self._next_is_flag():
            self.parsed.arguments[spelling.name] = Unknown(Why.UNRESOLVED, f"a value behind {spelling.flag}")
            return
        word = self._words[self._at]
        self._at += 1
        self._set(spelling, word, word.text, None)

    def _many(self, spelling: Spelling, flag: _Flag) -> None:
        """All words up to the next flag, or the one behind the equals sign."""
        if flag.value is not None:
            self._set(spelling, flag.word, flag.value, flag.value_at)
            return
        start = self._at
        while not self._next_is_flag():
            self._at += 1
        taken = self._words[start : self._at]
        unknown = next((w for w in taken if MARK in w.text), None)
        if unknown is not None:
            self.parsed.arguments[spelling.name] = _widen(unknown.fact(unknown.text))
        elif taken:
            place = joined(taken[0].origin, taken[-1].origin)
            self._put(spelling.name, place, list_value(spelling, [w.text for w in taken]))
        else:
            self.parsed.arguments[spelling.name] = Unknown(Why.UNRESOLVED, f"a value behind {spelling.flag}")

    def _set(self, spelling: Spelling, word: Word, text: str, at: int | None) -> None:
        """Give an argument the value of one text, which begins at `at` in the word, or is all of it."""
        place = word.origin if at is None else word.place(at, at + len(text))
        if MARK in text:
            self.parsed.arguments[spelling.name] = _widen(word.fact(text))
        elif spelling.form in (Form.MANY, Form.REPEATED):
            before = self.parsed.arguments.get(spelling.name) if spelling.form is Form.REPEATED else None
            kept = before.value if isinstance(before, Known) and isinstance(before.value, list) else []
            self._put(spelling.name, place, [*kept, *list_value(spelling, [text])])
        else:
            read = separated_value if spelling.form is Form.SEPARATED else single_value
            self._put(spelling.name, place, read(spelling, text))

    def _put(self, name: str, place: Origin | None, value: ArgumentValue) -> None:
        # Of a repeated flag the last one holds, and stands where it was written.
        self.parsed.arguments.pop(name, None)
        known = Known(value, place) if place is not None else Unknown(Why.UNRESOLVED, "a place")
        self.parsed.arguments[name] = known

    def _dotted_argument(self, flag: _Flag) -> None:
        """`--argument.key.key value`, merged with the other keys of that argument."""
        word, value, start = flag.word, flag.value, self._at
        if value is None:
            if self._at >= len(self._words):
                return
            word = self._words[self._at]
            value = word.text
            self._at += 1
        head, *keys = flag.spelling.removesuffix("+").split(".")
        match = self._arguments.match(head)
        self._note(match, flag, self._words[start : self._at])
        name = match.spelling.name
        merged = self._dotted.get(name)
        if MARK in value or isinstance(merged, Unknown) or len(keys) > _MOST_KEYS:
            self._dotted[name] = merged if isinstance(merged, Unknown) else _widen(word.fact(MARK))
            return
        known = merged.value if isinstance(merged, Known) and isinstance(merged.value, dict) else {}
        _merge(known, _nested(keys, dotted_value(value, is_list=flag.spelling.endswith("+"))))
        if word.origin is not None:
            self._dotted[name] = Known(known, word.origin)


def _is_flag(text: str) -> bool:
    """Whether a word is a flag and no value: it begins with a dash, is more than that, and no negative number."""
    return len(text) > 1 and text.startswith("-") and not _NEGATIVE.match(text)


def _widen(fact: Fact[str]) -> Fact[ArgumentValue]:
    return Known(fact.value, fact.origin) if isinstance(fact, Known) else fact  # type: ignore[return-value]


def _nested(keys: Sequence[str], value: ArgumentValue) -> dict[str, Any]:
    for key in reversed(keys[1:]):
        value = {key: value}
    return {keys[0]: value}


def _merge(original: dict[str, Any], update: dict[str, Any]) -> None:
    """Objects are merged, lists joined, everything else is replaced. In place: a line may have thousands of keys."""
    for key, value in update.items():
        old = original.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            old += value
        else:
            original[key] = value
