"""What came and went from release to release: variables, metrics, keys of configuration classes.

A generated file lists the releases that were read and, for every name, in which stretches of them it was there. A
release that was read is answered exactly. One between two that were read is answered where both agree; one after the
last of its minor release, or before the first, by its nearest neighbour of that minor. Everything else has no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

from controlplane.frozen import frozen
from controlplane.stack.schema_files import Release, release_of


@frozen
class Removal:
    """A name that is gone: the last known release with it, the first known without, what to use instead.

    `replacement` says in words what to write now: empty where nobody has said, "nothing: ..." where nothing is
    needed. `successor` is the name that took its place with the same values, where there is one. `source` says where
    the replacement was read.
    """

    name: str
    last_in: str
    gone_in: str
    replacement: str = ""
    successor: str = ""
    source: str = ""


@frozen
class History:
    """The releases that were read, oldest first, and entries by name with `in` and `says` of the file."""

    versions: tuple[str, ...]
    entries: Mapping[str, Mapping[str, Any]] = field(repr=False)

    def has(self, name: str, version: str) -> bool | None:
        """Whether a release has a name; None where no release that was read can tell."""
        answers = {self._in(name, known) for known in self._answering(version)}
        return answers.pop() if len(answers) == 1 else None

    def possible(self, version: str) -> frozenset[str] | None:
        """All names that the release may have; None where no release that was read can tell."""
        answering = self._answering(version)
        if not answering:
            return None
        return frozenset(name for name in self.entries if any(self._in(name, known) for known in answering))

    def facts(self, name: str, version: str) -> Mapping[str, Any]:
        """What the release says of a name; empty where it has none, or where its neighbours disagree."""
        answers = [self._facts(name, known) for known in self._answering(version)]
        return answers[0] if answers and all(answer == answers[0] for answer in answers) else {}

    def since(self, name: str) -> str | None:
        """The first release that was read with the name. The oldest one read stands for all before it."""
        entry = self.entries.get(name)
        return str(entry["in"][0][0]) if entry else None

    def removal(self, name: str, version: str) -> Removal | None:
        """What became of a name that `version` no longer has, or None where it has it, or never had it."""
        entry, wanted = self.entries.get(name), release_of(version)
        if entry is None or wanted is None:
            return None
        before = [stretch for stretch in entry["in"] if _numbers(stretch[0]) <= wanted]
        gone = before[-1][1] if before else None
        if gone is None or wanted < _numbers(gone):
            return None
        said = {key: entry[key] for key in ("replacement", "successor", "source") if key in entry}
        return Removal(name, self.versions[self.versions.index(gone) - 1], gone, **said)

    def _in(self, name: str, known: str) -> bool:
        at = _numbers(known)
        stretches = self.entries[name]["in"] if name in self.entries else ()
        return any(_numbers(first) <= at and (gone is None or at < _numbers(gone)) for first, gone in stretches)

    def _facts(self, name: str, known: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = {}
        if self._in(name, known):
            for version, facts in self.entries[name].get("says", ()):
                if _numbers(version) <= _numbers(known):
                    found = facts
        return found

    def _answering(self, version: str) -> tuple[str, ...]:
        """The release itself, or its neighbours where one of them is of the same minor release."""
        wanted = release_of(version)
        if wanted is None:
            return ()
        exact = tuple(known for known in self.versions if _numbers(known) == wanted)
        below = [known for known in self.versions if _numbers(known) < wanted][-1:]
        above = [known for known in self.versions if _numbers(known) > wanted][:1]
        around = exact or (*below, *above)
        return around if any(_numbers(known)[:2] == wanted[:2] for known in around) else ()


@cache
def _numbers(version: str) -> Release:
    found = release_of(version)
    assert found is not None  # noqa: S101 - generated files hold only versions
    return found
