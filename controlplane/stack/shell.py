"""The simple commands of a small shell script, as far as reading it tells their words.

Knows quoting, line continuations, comments, variables, operators and redirections of POSIX shells. What only a
running shell can tell (command substitution, unset variables, arithmetic) is unknown in the words. Control flow is
not followed: every command of the script is listed in its order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from controlplane.stack.environment import Environment
from controlplane.stack.facts import Unknown, Why
from controlplane.stack.words import MARK, Word

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)\Z", re.DOTALL)
_WITH_DEFAULT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(:?[-=])(.*)\Z", re.DOTALL)
_SPACES = re.compile(r"([ \t\n]+)")
_RESERVED = frozenset({"!", "{", "}", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "time"})
_OPERATORS = "\n;&|()"
_MOST_TEXT = 2 * 1024 * 1024
"""Characters that all words may have together, variables expanded; Linux starts no program with more (ARG_MAX)."""


def simple_commands(script: Word, environment: Environment, parameters: Sequence[Word] = ()) -> list[list[Word]]:
    """The commands of a script without their assignments; `parameters` are `$1`, `$2` and so on."""
    return _Script(script, environment, parameters).read()


class _Script:
    def __init__(self, script: Word, environment: Environment, parameters: Sequence[Word]) -> None:
        self._text = script.text
        self._origin = script.origin
        self._marks = list(script.missing)
        self._values = dict(environment.values)
        self._environment = replace(environment, values=self._values)
        self._parameters = parameters
        self._at = 0
        self._commands: list[list[Word]] = []
        self._words: list[Word] = []
        self._pieces: list[str] | None = None
        self._missing: list[Unknown] = []
        self._is_target = False
        self._room = _MOST_TEXT

    def read(self) -> list[list[Word]]:
        while self._at < len(self._text):
            self._step(self._text[self._at])
        self._end_command()
        return self._commands

    def _step(self, character: str) -> None:
        self._at += 1
        match character:
            case "\\":
                self._escaped()
            case "'":
                self._add(self._up_to("'"))
            case '"':
                self._double_quoted()
            case "$":
                self._dollar(quoted=False)
            case "`":
                self._up_to("`")
                self._unknown("the output of a command")
            case " " | "\t":
                self._end_word()
            case "<" | ">":
                self._redirection()
            case "&" if self._text[self._at : self._at + 1] == ">":
                self._end_word()
            case "#" if self._pieces is None:
                self._at = self._find("\n")
            case _ if character in _OPERATORS:
                self._end_command()
            case _:
                self._plain(character)

    def _escaped(self) -> None:
        """The character behind a backslash; a line break vanishes, and a backslash at the end stands for itself."""
        following = self._text[self._at : self._at + 1]
        self._at += 1
        if following != "\n":
            self._add(following or "\\")

    def _plain(self, character: str) -> None:
        if character == MARK:
            self._missing += self._marks[:1]
        self._add(character)

    def _add(self, text: str) -> None:
        if self._pieces is None:
            self._pieces = []
        self._pieces.append(text)
        self._room -= len(text)
        if self._room < 0:
            self._at = len(self._text)

    def _unknown(self, needs: str) -> None:
        self._missing.append(Unknown(Why.RUNTIME, needs))
        self._add(MARK)

    def _find(self, what: str) -> int:
        found = self._text.find(what, self._at)
        return len(self._text) if found < 0 else found

    def _up_to(self, closing: str) -> str:
        end = self._find(closing)
        text = self._text[self._at : end]
        self._at = end + 1
        return text

    def _double_quoted(self) -> None:
        self._add("")
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            if character == '"':
                return
            if character == "\\" and self._text[self._at : self._at + 1] in ("$", "`", '"', "\\", "\n"):
                self._escaped()
            elif character == "$":
                self._dollar(quoted=True)
            elif character == "`":
                self._up_to("`")
                self._unknown("the output of a command")
            else:
                self._plain(character)

    def _dollar(self, *, quoted: bool) -> None:
        following = self._text[self._at : self._at + 1]
        if following == "(":
            self._skip_parentheses()
            self._unknown("the output of a command")
        elif following == "{":
            self._at += 1
            self._braced(self._up_to("}"), quoted=quoted)
        elif following and following in "@*":
            self._at += 1
            self._all_parameters()
        elif following and following in "$?!#-":
            self._at += 1
            self._unknown(f"${following} in the running shell")
        elif following.isascii() and following.isdigit():
            self._at += 1
            self._value(self._parameter(int(following)), f"the parameter ${following}", quoted=quoted)
        elif name := _NAME.match(self._text, self._at):
            self._at = name.end()
            self._variable(name[0], quoted=quoted)
        else:
            self._add("$")

    def _skip_parentheses(self) -> None:
        depth = 0
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return

    def _braced(self, content: str, *, quoted: bool) -> None:
        default = _WITH_DEFAULT.match(content)
        if _NAME.fullmatch(content):
            self._variable(content, quoted=quoted)
        elif default and (known := self._environment.look_up(default[1])) and known.text:
            self._value(known, "", quoted=quoted)
        elif content in ("@", "*"):
            self._all_parameters()
        else:
            self._unknown(f"the value of ${{{content}}} in the running container")

    def _variable(self, name: str, *, quoted: bool) -> None:
        self._value(self._environment.look_up(name), f"the variable {name} in the running container", quoted=quoted)

    def _value(self, value: Word | None, needs: str, *, quoted: bool) -> None:
        if value is None:
            self._unknown(needs)
            return
        self._missing += value.missing[:1]
        if quoted:
            self._add(value.text)
            return
        for part in _SPACES.split(value.text):
            if part and not part.strip(" \t\n"):
                self._end_word()
            elif part:
                self._add(part)

    def _parameter(self, number: int) -> Word | None:
        return self._parameters[number - 1] if 0 < number <= len(self._parameters) else None

    def _all_parameters(self) -> None:
        for index, parameter in enumerate(self._parameters):
            if index:
                self._end_word()
            self._missing += parameter.missing[:1]
            self._add(parameter.text)

    def _redirection(self) -> None:
        """`>`, `2>&1` and the like: the operator, a number before it and the word after it are no arguments."""
        if self._pieces is not None and "".join(self._pieces).isdigit():
            self._pieces = None
        self._end_word()
        while self._text[self._at : self._at + 1] in ("<", ">", "&", "|"):
            self._at += 1
        self._is_target = True

    def _end_word(self) -> None:
        if self._pieces is None:
            return
        if not self._is_target:
            self._words.append(Word("".join(self._pieces), self._origin, tuple(self._missing)))
        self._is_target = False
        self._pieces = None
        self._missing = []

    def _end_command(self) -> None:
        self._end_word()
        self._is_target = False
        words = self._without_prefix(self._words)
        if words:
            self._commands.append(words)
        self._words = []

    def _without_prefix(self, words: list[Word]) -> list[Word]:
        """The command behind reserved words and assignments; the assignments hold from here on."""
        at = 0
        while at < len(words) and words[at].text in _RESERVED:
            at += 1
        if at < len(words) and words[at].text in ("export", "declare", "readonly", "env"):
            at += 1
        while at < len(words) and (assigned := _ASSIGNMENT.match(words[at].text)):
            self._values[assigned[1]] = _value_of(words[at], assigned[2])
            at += 1
        return words[at:]


def _value_of(word: Word, text: str) -> Word:
    return Word(text, word.origin, word.missing if MARK in text else ())


def is_shell(word: str) -> bool:
    """Whether a word starts a shell."""
    return word.rpartition("/")[2] in ("sh", "bash", "dash", "ash", "zsh")


def script_of(words: Sequence[Word]) -> tuple[Word, tuple[Word, ...]] | None:
    """The script of `sh -c SCRIPT NAME PARAMETER...` and its parameters; None for any other use of a shell."""
    if not words or not is_shell(words[0].text):
        return None
    index = 1
    while index < len(words) and words[index].text.startswith(("-", "+")):
        option = words[index].text
        if option.endswith("c") and not option.startswith("--"):
            rest = words[index + 1 :]
            return (rest[0], tuple(rest[2:])) if rest else None
        # `-o pipefail`: the word behind it belongs to the option.
        index += 2 if option.endswith("o") and not option.startswith("--") else 1
    return None
