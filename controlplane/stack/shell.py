"""The simple commands of a small shell script, as far as reading it tells their words.

Knows quoting, line continuations, comments, here-documents, variables, arrays, operators and redirections of POSIX
shells and bash. What only a running shell can tell (command substitution, unset variables, arithmetic) is unknown in
the words. Control flow is not followed: every command of the script is listed in its order, with what it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.environment import Environment
from controlplane.stack.shell_expansion import Expansion
from controlplane.stack.shell_variables import ASSIGNMENT
from controlplane.stack.words import Word, WordBuilder

_ARRAY = regex(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=\Z")
_HEREDOC = regex(r"<<(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([^\s<>|&;()'\"\\]+))")
_OPENING = frozenset({"if", "while", "until", "for", "case", "select"})
_NEXT = frozenset({"else", "elif"})
_CLOSING = frozenset({"fi", "done", "esac"})
_RESERVED = frozenset({"!", "{", "}", "then", "do", "time"}) | _OPENING | _NEXT | _CLOSING
_TAKES_A_WORD = frozenset({"for", "case", "select"})
_DECLARING = ("export", "declare", "readonly", "env", "local", "typeset")
_OPERATORS = "\n;&|()"


@frozen
class Command:
    """One simple command. `conditional`: it may not run; `in_background`: the script goes on while it runs.

    `here` is the text of its here-document.
    """

    words: tuple[Word, ...]
    conditional: bool = False
    in_background: bool = False
    here: Word | None = None


def simple_commands(script: Word, environment: Environment, parameters: Sequence[Word] = ()) -> list[list[Word]]:
    """The words of the script's commands; `parameters` are `$1`, `$2` and so on."""
    return [list(command.words) for command in commands_of(script, environment, parameters)]


def commands_of(script: Word, environment: Environment, parameters: Sequence[Word] = ()) -> list[Command]:
    """The commands of a script without their assignments."""
    return _Script(script, environment, parameters).read()


class _Script(Expansion):
    def __init__(self, script: Word, environment: Environment, parameters: Sequence[Word]) -> None:
        super().__init__(script, environment, parameters)
        self._array: str | None = None
        self._items: list[Word] = []
        self._commands: list[Command] = []
        self._words: list[Word] = []
        self._after_or = False
        self._is_target = False
        self._heredocs: list[tuple[str, bool]] = []
        self._awaiting_here = False

    def read(self) -> list[Command]:
        while self._at < len(self._text):
            self._step(self._text[self._at])
        self._end_command("")
        return self._commands

    def _step(self, character: str) -> None:
        start = self._at
        self._at += 1
        match character:
            case "\\":
                self._escaped(start)
            case "'":
                self._single_quoted(start)
            case '"' if self._word is None and (list_of := self._stands_for_words(start)):
                self._word_list(list_of)
            case '"':
                self._double_quoted(start)
            case "$":
                self._dollar(start, quoted=False)
            case "`":
                self._substitution(start)
            case _:
                self._unquoted(character, start)

    def _unquoted(self, character: str, start: int) -> None:
        match character:
            case " " | "\t":
                self._end_word(start)
            case "<" | ">":
                self._redirection(start)
            case "&" if self._text[self._at : self._at + 1] == ">":
                self._end_word(start)
            case "#" if self._word is None:
                self._at = self._find("\n")
            case "(" if self._word is not None and (array := _ARRAY.match(self._word.text)):
                self._begin_array(array[1], appending=bool(array[2]))
            case _ if self._array is not None and character in "\n)":
                self._array_separator(start, closing=character == ")")
            case _ if character in _OPERATORS:
                self._operator(character, start)
            case _:
                self._plain(start)

    def _begin_array(self, name: str, *, appending: bool) -> None:
        self._word = None
        self._array = name
        self._items = list(self._variables.arrays.get(name, ())) if appending else []

    def _array_separator(self, start: int, *, closing: bool) -> None:
        self._end_word(start)
        if closing and self._array is not None:
            self._variables.set_array(self._array, self._items)
            self._array = None

    def _redirection(self, start: int) -> None:
        """`>`, `2>&1` and the like: the operator, a number before it and the word after it are no arguments."""
        if self._word is not None and self._word.text.isdigit():
            self._word = None
        self._end_word(start)
        heredoc = _HEREDOC.match(self._text, start)
        if heredoc and self._text[start : start + 3] != "<<<":
            self._at = heredoc.end()
            delimiter = heredoc[2] or heredoc[3] or heredoc[4]
            self._heredocs.append((delimiter, bool(heredoc[1])))
            return
        while self._text[self._at : self._at + 1] in ("<", ">", "&", "|"):
            self._at += 1
        self._is_target = True

    def _read_heredocs(self) -> Word | None:
        """The text of the here-documents that begin on this line; the last one where there are several."""
        here = None
        for delimiter, is_indented in self._heredocs:
            first = self._at
            end = re.compile(f"^{chr(9) + '*' if is_indented else ''}{re.escape(delimiter)}$", re.MULTILINE)
            closing = end.search(self._text, first)
            last = closing.start() if closing else len(self._text)
            self._at = min(closing.end() + 1, len(self._text)) if closing else last
            here = self._cut(first, last)
        self._heredocs = []
        return here

    def _cut(self, start: int, end: int) -> Word:
        built = WordBuilder(self._script, start)
        built.add(self._text[start:end], start, end)
        built.missing += self._marks[:1]
        return built.word(end)

    def _take(self, words: Sequence[Word]) -> None:
        (self._words if self._array is None else self._items).extend(words)

    def _end_word(self, end: int) -> None:
        if self._word is None:
            return
        if self._is_target:
            self._is_target = False
        elif self._array is not None:
            self._items.append(self._word.word(end))
        elif self._words or not self._is_reserved(self._word):
            self._words.append(self._word.word(end))
        self._word = None

    def _is_reserved(self, word: WordBuilder) -> bool:
        """Whether a command's first word belongs to the control flow; the words behind it are read in its branch."""
        text = word.text
        if text not in _RESERVED or self._text[word.start : word.start + len(text)] != text:
            return False
        self._branch(text)
        return text not in _TAKES_A_WORD

    def _operator(self, character: str, start: int) -> None:
        self._end_word(start)
        if character in "&|" and self._text[self._at : self._at + 1] == character:
            self._at += 1
            self._end_command(character * 2)
        elif character == ";" and self._text[self._at : self._at + 1] == ";":
            self._end_command(character)
            self._variables.next_branch()
        else:
            self._end_command(character)
        if character == "\n" and self._heredocs:
            here = self._read_heredocs()
            if self._commands and self._awaiting_here:
                self._commands[-1] = replace(self._commands[-1], here=here)

    def _end_command(self, operator: str) -> None:
        self._end_word(len(self._text) if not operator else self._at - len(operator))
        self._is_target = False
        words = self._without_prefix(self._words)
        if words:
            may_not_run = self._variables.in_branch or self._after_or
            self._commands.append(Command(tuple(words), may_not_run, operator == "&"))
            self._awaiting_here = bool(self._heredocs)
            self._set_parameters(words)
        self._after_or = operator == "||"
        self._words = []

    def _set_parameters(self, words: Sequence[Word]) -> None:
        if words[0].text == "set" and len(words) > 1 and words[1].text == "--":
            self._parameters = list(words[2:])
        elif words[0].text == "shift":
            self._parameters = self._parameters[1:] if len(words) == 1 else []

    def _without_prefix(self, words: list[Word]) -> list[Word]:
        """The command behind reserved words and assignments; the assignments hold from here on."""
        at = 0
        if words and words[0].text in _TAKES_A_WORD:
            return []
        if at < len(words) and words[at].text in _DECLARING:
            at += 1
        while at < len(words) and (assigned := ASSIGNMENT.match(words[at].text)):
            self._variables.assign(words[at], assigned)
            at += 1
        return words[at:]

    def _branch(self, reserved: str) -> None:
        if reserved in _OPENING:
            self._variables.begin_branch()
        elif reserved in _NEXT:
            self._variables.next_branch()
        elif reserved in _CLOSING:
            self._variables.end_branch()
