"""Scalars to values in one dialect, with the findings about them.

Called by the tree builder for every scalar; nearly all are texts, which take the short way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from controlplane.diagnostics import Applicability, Edit, KeyPath, Remedy, Severity
from controlplane.regex import regex
from controlplane.source.dialect import Dialect, Scalar
from controlplane.source.findings import Findings
from controlplane.source.scalars import core, kubernetes, plain, vllm
from controlplane.source.scalars.plain import Reading
from controlplane.source.scalars.unreadable import Unreadable

_PREFIX: Final = "tag:yaml.org,2002:"
_KNOWN_TAGS: Final = "!!str, !!int, !!float, !!bool, !!null, !!map and !!seq"
_SCALAR_TAGS: Final = {
    Dialect.POLICY: ("bool", "int", "float", "null"),
    Dialect.KUBERNETES: ("bool", "int", "float", "null", "timestamp"),
    Dialect.VLLM: ("bool", "int", "float", "null", "timestamp"),
}
_SHOWN: Final = 40
_READER: Final = {
    Dialect.POLICY: "a policy",
    Dialect.KUBERNETES: "Kubernetes' reader",
    Dialect.VLLM: "PyYAML, which reads vLLM's configuration,",
}
# Written everywhere as `defaultMode: 0644` and read as meant, so no more than worth knowing.
_FILE_MODE = regex(r"0[0-7]{3,4}\Z")


_Path = Callable[[], KeyPath]
"""The path to what is being read; worked out only for a finding."""


def shorten(text: str) -> str:
    """The text as it can stand in a message: one line, not long."""
    line = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return line.replace("\n", "\\n").replace("\r", "\\r")


class ScalarReader:
    """Resolves one file's scalars in its dialect."""

    def __init__(self, dialect: Dialect, findings: Findings) -> None:
        self.dialect = dialect
        self._findings = findings

    def plain(self, text: str, place: tuple[int, int], path: _Path) -> Scalar:
        """The value of a plain scalar without a tag that is not surely a text."""
        reading = plain.read(text)
        value = reading.by(self.dialect)
        if isinstance(value, Unreadable):
            self._note_unreadable(text, value, place, path)
            return text
        if not reading.agreed:
            self._note_ambiguous(text, reading, place, path)
        return value

    def tagged(self, tag: str, text: str, place: tuple[int, int], tag_place: tuple[int, int], path: _Path) -> Scalar:
        """The value of a scalar with an explicit tag."""
        if tag == f"{_PREFIX}str" or (tag == "!" and self.dialect is not Dialect.VLLM):
            return text
        value: Scalar | Unreadable
        if not self.known_tag(tag, _SCALAR_TAGS[self.dialect], tag_place, path):
            value = kubernetes.resolve_tagged(tag, text) if self.dialect is Dialect.KUBERNETES else text
        else:
            value = self._resolve_tagged(tag, text)
        if isinstance(value, Unreadable):
            self._note_unreadable(text, value, place, path)
            return text
        return value

    def known_tag(self, tag: str, known: tuple[str, ...], place: tuple[int, int], path: _Path) -> bool:
        """Whether a tag is one of `known` in YAML's own namespace; another is a finding."""
        if tag == "!" or (tag.startswith(_PREFIX) and tag.removeprefix(_PREFIX) in known):
            return True
        ignored = self.dialect is Dialect.KUBERNETES
        name = "!!" + tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else tag
        effect = f"known where they fit are {_KNOWN_TAGS}"
        if ignored:
            effect = f"Kubernetes' reader {'decodes it' if name == '!!binary' else 'ignores it'}"
        self._findings.add(
            "yaml/custom-tag",
            Severity.WARNING if ignored else Severity.ERROR,
            f"the tag {shorten(name)} is no type that can stand here; {effect}",
            place,
            path=path(),
            remedy=Remedy("Remove the tag.", (self._edit(place, ""),), Applicability.NEEDS_DECISION),
        )
        return False

    def key(self, text: str, is_plain: bool, place: tuple[int, int], path: _Path) -> str:
        """The text that a mapping's key becomes; `path` leads to the mapping."""
        if not is_plain or plain.is_text(text):
            return text
        path_to_key = _below(path, text)
        reading = plain.read(text)
        value = reading.by(self.dialect)
        if isinstance(value, str):
            if not reading.agreed:
                self._note_ambiguous(text, reading, place, path_to_key)
            return value
        return self._non_string_key(text, value, place, path_to_key)

    def _resolve_tagged(self, tag: str, text: str) -> Scalar | Unreadable:
        if self.dialect is Dialect.KUBERNETES:
            return kubernetes.resolve_tagged(tag, text)
        if self.dialect is Dialect.VLLM:
            return vllm.resolve_tagged(tag, text)
        return core.resolve_tagged(tag.removeprefix(_PREFIX), text)

    def _edit(self, place: tuple[int, int], text: str) -> Edit:
        return Edit(self._findings.text.span(*place), text)

    def _quote(self, place: tuple[int, int], text: str) -> Edit:
        return self._edit(place, quoted(text))

    def _note_unreadable(self, text: str, fault: Unreadable, place: tuple[int, int], path: _Path) -> None:
        self._findings.add(
            "yaml/unreadable-scalar",
            Severity.ERROR,
            f"`{shorten(text)}` cannot be read by {_READER[self.dialect]}: {fault.reason}",
            place,
            path=path(),
            remedy=Remedy("Write a value that can be read, or quote it if it is a text."),
        )

    def _note_ambiguous(self, text: str, reading: Reading, place: tuple[int, int], path: _Path) -> None:
        severity = self._severity(text, reading)
        if severity is None:
            return
        self._findings.add(
            "yaml/ambiguous-scalar",
            severity,
            f"`{shorten(text)}` is {reading.explain(self.dialect)}",
            place,
            path=path(),
            remedy=self._remedy(text, reading, place),
        )

    def _severity(self, text: str, reading: Reading) -> Severity | None:
        if self.dialect is Dialect.POLICY:
            return Severity.WARNING if plain.same(reading.core, reading.kubernetes) else Severity.ERROR
        if plain.same(reading.core, reading.by(self.dialect)):
            return None
        return Severity.INFO if _FILE_MODE.match(text) else Severity.WARNING

    def _remedy(self, text: str, reading: Reading, place: tuple[int, int]) -> Remedy:
        """Keep this dialect's own reading, and make it everyone's."""
        value = reading.by(self.dialect)
        if isinstance(value, str):
            others = {plain.describe(r) for r in (reading.kubernetes, reading.vllm) if isinstance(r, bool)}
            meant = f", or write {others.pop().rsplit(' ', 1)[1]} if the boolean is meant" if len(others) == 1 else ""
            advice = f"Quote it: {quoted(text)}{meant}."
            return Remedy(advice, (self._quote(place, text),), Applicability.SAFE)
        spelling = _plain_spelling(value)
        if spelling is None or not plain.read(spelling).agreed:
            return Remedy(f"Quote it if the text is meant: {quoted(text)}.")
        applicability = Applicability.SAFE
        if self.dialect is Dialect.POLICY and not plain.same(reading.core, reading.kubernetes):
            applicability = Applicability.NEEDS_DECISION
        advice = f"Write {spelling} if that is meant, or quote it if the text is: {quoted(text)}."
        return Remedy(advice, (self._edit(place, spelling),), applicability)

    def quietly(self, text: str) -> Scalar:
        """The value of a plain scalar, without a finding."""
        value = plain.read(text).by(self.dialect)
        return text if isinstance(value, Unreadable) else value

    def value_as_key(self, value: Scalar, place: tuple[int, int], path: _Path) -> str:
        """The text that a value becomes where an alias, or a scalar with a tag, is used as a key."""
        if isinstance(value, str):
            return value
        spelling = _plain_spelling(value) or ""
        name = kubernetes.key_text(value) if self.dialect is Dialect.KUBERNETES else None
        self._note_non_string_key(plain.describe(value), name, place, path, Remedy("Write the key out, in quotes."))
        return name if isinstance(name, str) else spelling

    def _non_string_key(self, text: str, value: Scalar | Unreadable, place: tuple[int, int], path: _Path) -> str:
        name = kubernetes.resolve_key(text) if self.dialect is Dialect.KUBERNETES else None
        remedy = Remedy(f"Quote it: {quoted(text)}.", (self._quote(place, text),), Applicability.SAFE)
        what = f"`{shorten(text)}`, {shorten(plain.describe(value))}"
        self._note_non_string_key(what, name, place, path, remedy)
        return name if isinstance(name, str) else text

    def _note_non_string_key(
        self, what: str, name: str | Unreadable | None, place: tuple[int, int], path: _Path, remedy: Remedy
    ) -> None:
        """`name` is the key that Kubernetes' reader makes of it, in whose dialect alone such a key is allowed."""
        effect = "a key must be a text"
        if isinstance(name, str):
            effect = f'Kubernetes\' reader makes it the key "{name}"'
        elif isinstance(name, Unreadable):
            effect = name.reason
        self._findings.add(
            "yaml/non-string-key",
            Severity.WARNING if isinstance(name, str) else Severity.ERROR,
            f"the key is {what}; {effect}",
            place,
            path=path(),
            remedy=remedy,
        )


def _below(path: _Path, name: str) -> _Path:
    return lambda: (*path(), name)


def _plain_spelling(value: Scalar | Unreadable) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return plain.number_text(value)
    return "null" if value is None else None


def quoted(text: str) -> str:
    """The text in double quotes, as every YAML reader takes it."""
    return json.dumps(text, ensure_ascii=False)
