"""One field of a manifest with its place: what the readers walk along.

A reader asks for the kind of value it needs. Absent and null are the same, as for an API server; a template that
was not rendered is an unknown value; any other kind of value is a finding, and unknown too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import UnionType
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, KeyPath, Layer, Remedy, Severity, Span, render_path
from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.source import Document, Embedded, Quantity, QuantityError, embedded, parse_quantity
from controlplane.stack.facts import ABSENT, Declared, Fact, Known, LiveField, Origin, Unknown, Why
from controlplane.stack.words import MARK, Word, WordBuilder, word_of

_HELM = regex(r"\{\{-?\s*(?:[.$]|(?:include|template|tpl|toYaml|if|range|with|default|quote)\b)")
_ACTION = regex(r"\{\{.*?\}\}")
_SUBSTITUTED = regex(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::?[-=?+][^{}]*)?\}")
_PLACEHOLDER = regex(r"\$?[A-Z][A-Z0-9_]+|\$[A-Za-z_][A-Za-z0-9_]*|<[^<>]*>|\[[A-Z][A-Z0-9_-]*\]")
"""A text where a number belongs, that somebody is meant to replace: `PORT`, `$PORT`, `<port>`."""
_CAPITALS = regex(r"[A-Z][A-Z0-9_-]*")


@frozen
class TypeFault:
    """How a value of the wrong kind is told: the rule, the layer that refuses it, and what it does then."""

    rule: str
    layer: Layer
    refusal: str


_MOST_EMBEDDED: Final = 20 * 1024 * 1024
_REFUSED_BY_API: Final = TypeFault(
    "kubernetes/field-type", Layer.ADMISSION, "an API server refuses the manifest as it is"
)


class ManifestSource:
    """Where a manifest stands, and the findings made while it is read.

    `key_origin` is the place of a key, `text` a text with the place of each character; None where there is no file.
    `surroundings` is what readers may look up beside
    the manifest, `document` the document that it is read from.
    """

    def __init__(
        self,
        origin: Callable[[KeyPath], Origin],
        span: Callable[[KeyPath], Span],
        *,
        key_origin: Callable[[KeyPath], Origin] | None = None,
        text: Callable[[KeyPath], Embedded | None] = lambda _: None,
        editable: Callable[[KeyPath], bool] = lambda _: False,
        fault: TypeFault = _REFUSED_BY_API,
        document: Document | None = None,
        surroundings: object = None,
    ) -> None:
        self.origin = origin
        self.span = span
        self.key_origin = key_origin or origin
        self.text = text
        self.editable = editable
        self.embedded_left = _MOST_EMBEDDED
        self.fault = fault
        self.document = document
        self.surroundings = surroundings
        self.findings: list[Diagnostic] = []

    def locate(self, path: KeyPath) -> Callable[[int, int], Origin]:
        """What tells the places of a text's characters; the text is followed when it is first asked."""
        found: list[Embedded | None] = []

        def place(start: int, end: int) -> Origin:
            if not found:
                found.append(self.text(path))
            return self.origin(path) if found[0] is None else Declared(found[0].span(start, end), path)

        return place

    def is_repeated(self, path: KeyPath) -> bool:
        """Whether an alias or a merge key brings in what is at a path: it stands elsewhere."""
        place = self.document.places.get(path) if self.document is not None else None
        return place is not None and place.anchor is not None


def of_document(document: Document, surroundings: object = None) -> Field:
    """The root of a document of a file."""
    source = ManifestSource(
        lambda path: Declared(document.span_of(path), path),
        document.span_of,
        key_origin=lambda path: Declared(document.key_span(path), path),
        text=lambda path: embedded(document, path),
        document=document,
        surroundings=surroundings,
    )
    return Field(document.value, (), source)


def is_written_at(document: Document, path: KeyPath) -> bool:
    """Whether what is at a path is written there, and not brought in by an alias."""
    place = document.places.get(path)
    return place is not None and place.anchor is None


def of_live_object(manifest: Any, name: str) -> Field:
    """The root of an object read from a cluster; `name` as `Kind/namespace/name`."""
    nowhere = Span(name, 1, 1, 1, 1)
    return Field(manifest, (), ManifestSource(lambda path: LiveField(name, path), lambda _: nowhere))


@frozen
class Field:
    """A value, None where the manifest has none, and the path to it."""

    value: Any
    path: KeyPath
    source: ManifestSource

    def __getitem__(self, key: str) -> Field:
        inner = self.value.get(key) if isinstance(self.value, dict) else None
        return Field(inner, (*self.path, key), self.source)

    def at(self, *keys: str) -> Field:
        """The field below some keys; absent where one of them is."""
        field = self
        for key in keys:
            field = field[key]
        return field

    def gives(self, key: str) -> bool:
        """Whether the manifest gives a value below a key; cheaper than to make a field of what is mostly absent."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    @property
    def is_set(self) -> bool:
        """Whether the manifest gives a value here."""
        return self.value is not None

    @property
    def origin(self) -> Origin:
        """The value's place."""
        return self.source.origin(self.path)

    @property
    def key_origin(self) -> Origin:
        """The key's place; the value's where it has no key."""
        return self.source.key_origin(self.path)

    def items(self) -> Iterator[Field]:
        """The items of a list, none where it is absent."""
        if self.value is None:
            return
        if not isinstance(self.value, list):
            self.report("a list")
            return
        for index, item in enumerate(self.value):
            yield Field(item, (*self.path, index), self.source)

    def entries(self) -> Iterator[tuple[str, Field]]:
        """The entries of a map that have a value, none where it is absent."""
        if self.value is None:
            return
        if not isinstance(self.value, dict):
            self.report("a map")
            return
        for key, item in self.value.items():
            if item is not None:
                yield key, Field(item, (*self.path, key), self.source)

    def text(self) -> Fact[str]:
        """A text in which unrendered templates (`{{ .Values.x }}`, `${X}`) are unknown."""
        return self._typed(str, "a text")

    def literal(self) -> Fact[str]:
        """A text in which `${X}` is none of our business: a command, an argument, an environment value."""
        if isinstance(self.value, str) and not _HELM.search(self.value):
            return Known(self.value, self.origin)
        return self.text()

    def word(self) -> Word:
        """`literal` as a word of a command line, whose characters know their places.

        Of a line with a template in it the rest is known: one item of a list stays one word.
        """
        repeated = self.source.is_repeated(self.path)
        locate = self.source.locate(self.path)
        fact = self.literal()
        if isinstance(self.value, str) and not isinstance(fact, Known) and "\n" not in self.value:
            return self._partly_templated(Word(self.value, self.origin, (), locate, not repeated))
        return word_of(fact, locate, verbatim=not repeated)

    def _partly_templated(self, text: Word) -> Word:
        built = WordBuilder(text, 0)
        built.missing.append(self._templated())
        built.verbatim = False
        at = 0
        for action in _ACTION.finditer(text.text):
            built.add(text.text[at : action.start()], at, action.start())
            built.add(MARK, action.start(), action.end())
            at = action.end()
        built.add(text.text[at:], at, len(text.text))
        return replace(built.word(len(text.text)), origin=text.origin)

    def integer(self) -> Fact[int]:
        """A whole number."""
        return self._typed(int, "a whole number")

    def number(self) -> Fact[float]:
        """A number, whole or not."""
        fact = self._typed(int | float, "a number")
        if not isinstance(fact, Known):
            return fact
        try:
            return Known(float(fact.value), fact.origin)
        except OverflowError:
            return self.report("a number of fewer digits")

    def boolean(self) -> Fact[bool]:
        """true or false."""
        return self._typed(bool, "true or false")

    def integer_or_text(self) -> Fact[int | str]:
        """A whole number or a text, such as a percentage or the name of a port."""
        kind = int if isinstance(self.value, int) else str
        return self._typed(kind, "a whole number or a text")

    def quantity(self) -> Fact[Quantity]:
        """A Kubernetes quantity."""
        if self.value is None:
            return ABSENT
        if isinstance(self.value, str) and is_placeholder(self.value):
            return self._templated()
        try:
            return Known(parse_quantity(self.value), self.origin)
        except (QuantityError, TypeError) as fault:
            return self.report("a quantity", str(fault))

    def plain_text(self, default: str = "") -> str:
        """A text that names something, as it stands; `default` where it is absent or no text."""
        if self.value is not None and not isinstance(self.value, str):
            self.report("a text")
        return self.value if isinstance(self.value, str) else default

    def plain_integer(self, default: int = 0) -> int:
        """A whole number as it stands; `default` where it is absent or none."""
        fact = self.integer()
        return fact.value if isinstance(fact, Known) else default

    def is_true(self) -> bool:
        """Whether it is set to true."""
        fact = self.boolean()
        return isinstance(fact, Known) and fact.value

    def text_map(self) -> dict[str, str]:
        """A map of texts such as labels; entries of another kind are findings and left out."""
        found = {key: field.plain_text() for key, field in self.entries()}
        return {key: value for key, value in found.items() if isinstance(self.value[key], str)}

    def text_map_fact(self) -> Fact[Mapping[str, str]]:
        """A map of texts as one fact, absent when it is empty."""
        texts = self.text_map()
        return Known(texts, self.origin) if texts else ABSENT

    def report(self, wanted: str, detail: str = "") -> Unknown:
        """Note that the value is of the wrong kind; what the value is is not known then.

        `[URL]` is a list to YAML, and to people what is to be replaced by a text.
        """
        if isinstance(self.value, list) and len(self.value) == 1 and _CAPITALS.fullmatch(str(self.value[0])):
            return self._templated()
        is_now = f": {detail}" if detail else f", not {_kind(self.value)}"
        message = f"{render_path(self.path)} takes {wanted}{is_now}"
        self.source.findings.append(
            Diagnostic(
                rule=self.source.fault.rule,
                severity=Severity.ERROR,
                layer=self.source.fault.layer,
                message=message,
                span=self.source.span(self.path),
                path=self.path,
                remedy=Remedy(f"{self._repair(wanted)}: {self.source.fault.refusal}."),
            )
        )
        return Unknown(Why.UNRESOLVED, message)

    def _repair(self, wanted: str) -> str:
        """A scalar that is to be a text is one in quotes."""
        is_scalar = isinstance(self.value, bool | int | float)
        return "Quote it" if wanted == "a text" and is_scalar else f"Write {wanted}"

    def _typed(self, kind: type[Any] | UnionType, wanted: str) -> Fact[Any]:
        if self.value is None:
            return ABSENT
        if isinstance(self.value, str) and (is_templated(self.value) if kind is str else is_placeholder(self.value)):
            return self._templated()
        if isinstance(self.value, kind) and (kind is bool or not isinstance(self.value, bool)):
            return Known(self.value, self.origin)
        return self.report(wanted)

    def _templated(self) -> Unknown:
        return Unknown(Why.TEMPLATED, f"{render_path(self.path)} rendered")


def is_templated(text: str) -> bool:
    """Whether a text still holds a template of Helm or a variable of envsubst."""
    return bool(_HELM.search(text) or _SUBSTITUTED.search(text))


def is_placeholder(text: str) -> bool:
    """Whether somebody or something is meant to replace a text, where it cannot be meant as it stands."""
    return bool(_PLACEHOLDER.fullmatch(text)) or is_templated(text)


def _kind(value: object) -> str:
    """The kind of a value in words; never the value, which may be a secret."""
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "a map"
