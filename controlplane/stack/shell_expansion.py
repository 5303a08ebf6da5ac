"""Quoting and expansion as a shell does them: how the characters of a script become the text of a word."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from controlplane.regex import regex
from controlplane.stack.environment import Environment
from controlplane.stack.facts import Unknown, Why
from controlplane.stack.shell_variables import Variables
from controlplane.stack.words import MARK, Word, WordBuilder

_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_WITH_DEFAULT = regex(r"([A-Za-z_][A-Za-z0-9_]*)(:?[-=])(.*)\Z", re.DOTALL)
_ALL_OF = regex(r"([A-Za-z_][A-Za-z0-9_]*)\[[@*]\]\Z")
_SPACES = regex(r"([ \t\n]+)")
_ORDINARY = regex(r"[^\\'\"$` \t<>#\n;&|()\x00]+")
_QUOTED = regex(r'[^\\"$`\x00]+')
_WORD_LIST = regex(r'"\$(?:@|\{@\}|\{([A-Za-z_][A-Za-z0-9_]*)\[@\]\})"(?=[\s;&|)]|\Z)')
_MOST_TEXT = 256 * 1024
"""Characters that all words may have together, variables expanded: more than any script in a manifest has, and an
eighth of what Linux starts a program with (ARG_MAX), since a script may double its words with every line."""


class Expansion(ABC):
    """The part of a script's reader that makes words; what ends a word, and where it goes, is its subclass's."""

    def __init__(self, script: Word, environment: Environment, parameters: Sequence[Word]) -> None:
        self._script = script
        self._text = script.text
        self._marks = list(script.missing)
        self._variables = Variables(environment)
        self._parameters = list(parameters)
        self._at = 0
        self._word: WordBuilder | None = None
        self._room = _MOST_TEXT

    @abstractmethod
    def _end_word(self, end: int) -> None:
        """The word that is being read, if there is one, ends before the character at `end`."""

    @abstractmethod
    def _take(self, words: Sequence[Word]) -> None:
        """Take whole words as they are."""

    def _escaped(self, start: int) -> None:
        """The character behind a backslash; a line break vanishes, and a backslash at the end stands for itself."""
        following = self._text[self._at : self._at + 1]
        self._at += 1
        if following != "\n":
            self._add(following or "\\", start, start + 1 + len(following))

    def _plain(self, start: int) -> None:
        if self._text[start] == MARK:
            self._begin(start).missing += self._marks[:1]
            self._add(MARK, start, start + 1)
        else:
            ordinary = _ORDINARY.match(self._text, start)
            self._at = ordinary.end() if ordinary else start + 1
            self._add(self._text[start : self._at], start, self._at)

    def _begin(self, start: int) -> WordBuilder:
        if self._word is None:
            self._word = WordBuilder(self._script, start)
        return self._word

    def _add(self, text: str, start: int, end: int) -> None:
        self._begin(start).add(text, start, end)
        self._room -= len(text)
        if self._room < 0:
            self._at = len(self._text)

    def _unknown(self, needs: str, start: int) -> None:
        self._begin(start).missing.append(Unknown(Why.RUNTIME, needs))
        self._begin(start).verbatim = False
        self._add(MARK, start, self._at)

    def _find(self, what: str) -> int:
        found = self._text.find(what, self._at)
        return len(self._text) if found < 0 else found

    def _up_to(self, closing: str) -> str:
        end = self._find(closing)
        text = self._text[self._at : end]
        self._at = min(end + 1, len(self._text))
        return text

    def _substitution(self, start: int) -> None:
        self._up_to("`")
        self._unknown("the output of a command", start)

    def _single_quoted(self, start: int) -> None:
        first = self._at
        text = self._up_to("'")
        self._begin(start)
        if MARK in text:
            self._begin(start).missing += self._marks[:1]
        self._add(text, first, first + len(text))

    def _double_quoted(self, start: int) -> None:
        self._begin(start)
        while self._at < len(self._text):
            first = self._at
            character = self._text[first]
            self._at += 1
            if character == '"':
                return
            if character == "\\" and self._text[self._at : self._at + 1] in ("$", "`", '"', "\\", "\n"):
                self._escaped(first)
            elif character == "$":
                self._dollar(first, quoted=True)
            elif character == "`":
                self._substitution(first)
            elif plain := _QUOTED.match(self._text, first):
                self._at = plain.end()
                self._add(plain[0], first, self._at)
            else:
                self._plain(first)

    def _stands_for_words(self, start: int) -> re.Match[str] | None:
        list_of = _WORD_LIST.match(self._text, start)
        return list_of if list_of and (list_of[1] is None or list_of[1] in self._variables.arrays) else None

    def _dollar(self, start: int, *, quoted: bool) -> None:
        following = self._text[self._at : self._at + 1]
        if following == "(":
            self._skip_parentheses()
            self._unknown("the output of a command", start)
        elif following == "{":
            self._at += 1
            self._braced(self._braces(), start, quoted=quoted)
        elif following and following in "@*":
            self._at += 1
            self._all_of(self._parameters, start, quoted=quoted)
        elif following and following in "$?!#-":
            self._at += 1
            self._unknown(f"${following} in the running shell", start)
        elif following.isascii() and following.isdigit():
            self._at += 1
            self._value(self._parameter(int(following)), f"the parameter ${following}", start, quoted=quoted)
        elif name := _NAME.match(self._text, self._at):
            self._at = name.end()
            self._variable(name[0], start, quoted=quoted)
        else:
            self._add("$", start, start + 1)

    def _skip_parentheses(self) -> None:
        depth = 0
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return

    def _braces(self) -> str:
        """What stands between the braces of `${...}`, which may hold braces of its own."""
        end = self._find("}")
        if "${" not in self._text[self._at : end]:
            return self._up_to("}")
        first, depth = self._at, 1
        while self._at < len(self._text) and depth:
            depth += (self._text[self._at] == "{") - (self._text[self._at] == "}")
            self._at += 1
        return self._text[first : self._at - (depth == 0)]

    def _braced(self, content: str, start: int, *, quoted: bool) -> None:
        default = _WITH_DEFAULT.match(content)
        array = _ALL_OF.match(content)
        if _NAME.fullmatch(content):
            self._variable(content, start, quoted=quoted)
        elif default:
            self._with_default(default, content, start, quoted=quoted)
        elif content in ("@", "*"):
            self._all_of(self._parameters, start, quoted=quoted)
        elif array and array[1] in self._variables.arrays:
            self._all_of(self._variables.arrays[array[1]], start, quoted=quoted)
        else:
            self._unknown(f"the value of ${{{content}}} in the running container", start)

    def _with_default(self, default: re.Match[str], content: str, start: int, *, quoted: bool) -> None:
        """`${NAME:-text}`: the variable where it is set; the text where it is certain that it is not."""
        name, operator, text = default.groups()
        known = self._variables.look_up(name)
        if known is not None and (known.text or not operator.startswith(":")):
            self._value(known, "", start, quoted=quoted)
        elif (known is not None or self._variables.is_unset(name)) and not set(text) & set("$`\\'\""):
            self._value(Word(text), "", start, quoted=quoted)
        else:
            self._unknown(f"the value of ${{{content}}} in the running container", start)

    def _variable(self, name: str, start: int, *, quoted: bool) -> None:
        needs = f"the variable {name} in the running container"
        self._value(self._variables.look_up(name), needs, start, quoted=quoted)

    def _value(self, value: Word | None, needs: str, start: int, *, quoted: bool) -> None:
        if value is None:
            self._unknown(needs, start)
            return
        end = self._at
        if quoted:
            self._expanded(value.text, value, start, end)
            return
        for part in _SPACES.split(value.text):
            if part and not part.strip(" \t\n"):
                self._end_word(end)
            elif part:
                self._expanded(part, value, start, end)

    def _expanded(self, text: str, value: Word, start: int, end: int) -> None:
        word = self._begin(start)
        word.verbatim = False
        if MARK in text:
            word.missing += value.missing[:1]
        self._add(text, start, end)

    def _parameter(self, number: int) -> Word | None:
        return self._parameters[number - 1] if 0 < number <= len(self._parameters) else None

    def _all_of(self, words: Sequence[Word], start: int, *, quoted: bool) -> None:
        for index, word in enumerate(words):
            if index:
                self._end_word(self._at)
            self._value(word, "", start, quoted=quoted)

    def _word_list(self, list_of: re.Match[str]) -> None:
        """`"$@"` and `"${ARRAY[@]}"` by themselves: the words stay what they were, places included."""
        self._at = list_of.end()
        words = self._parameters if list_of[1] is None else self._variables.arrays[list_of[1]]
        self._room -= sum(len(word.text) + 1 for word in words)
        if self._room < 0:
            self._at = len(self._text)
        else:
            self._take(words)
