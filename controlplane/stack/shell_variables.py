"""The variables and arrays of a shell script while it is read, and what of them is known behind a branch."""

from __future__ import annotations

import re
from collections.abc import Sequence

from controlplane.regex import regex
from controlplane.stack.environment import Environment
from controlplane.stack.facts import Unknown, Why
from controlplane.stack.words import MARK, Word

ASSIGNMENT = regex(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)\Z", re.DOTALL)


class Variables:
    """Values by name. What a branch (`if`, `case`, a loop) sets is known inside it, and unknown behind it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._values = dict(environment.values)
        self.arrays: dict[str, list[Word]] = {}
        self._branches: list[dict[str, list[Word] | None]] = []

    @property
    def in_branch(self) -> bool:
        """Whether what is read now may not run."""
        return bool(self._branches)

    def look_up(self, name: str) -> Word | None:
        """A variable's value, None where nothing tells that there is one."""
        return self._values.get(name) or self._environment.look_up(name)

    def is_unset(self, name: str) -> bool:
        """Whether it is certain that there is no variable of that name."""
        return name not in self._values and self._environment.is_unset(name)

    def assign(self, word: Word, assigned: re.Match[str]) -> None:
        """`NAME=text` or `NAME+=text`, the match of a word's text."""
        name, appending, text = assigned.groups()
        before = self._values.get(name) if appending else None
        missing = (*(before.missing if before else ()), *word.missing)
        whole = (before.text if before else "") + text
        self._values[name] = Word(whole, word.origin, missing if MARK in whole else ())
        if self._branches:
            self._branches[-1].setdefault(name, None)

    def set_array(self, name: str, words: Sequence[Word]) -> None:
        """`NAME=(...)`, with the words it had before where the script appends."""
        if self._branches:
            self._branches[-1].setdefault(name, self.arrays.get(name, []))
        self.arrays[name] = list(words)

    def begin_branch(self) -> None:
        """`if`, a loop or `case` begins."""
        self._branches.append({})

    def next_branch(self) -> None:
        """`else`, `elif` or the next pattern: what the branch before it set is not known here."""
        if self._branches:
            self._forget(self._branches[-1])

    def end_branch(self) -> None:
        """`fi`, `done` or `esac`."""
        if not self._branches:
            return
        changed = self._branches.pop()
        self._forget(changed)
        if self._branches:
            for name, before in changed.items():
                self._branches[-1].setdefault(name, before)

    def _forget(self, changed: dict[str, list[Word] | None]) -> None:
        for name, before in changed.items():
            unknown = Word(MARK, None, (Unknown(Why.RUNTIME, f"the variable {name}, which a branch sets"),))
            if before is None:
                self._values[name] = unknown
            else:
                self.arrays[name] = [*before, unknown]
