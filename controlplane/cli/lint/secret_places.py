"""Where in a manifest's text secrets stand, so that no excerpt and no diff shows the lines.

Worked out by what the values mean and not by how a line looks: a password in a list stands on a line of its own, with
the flag that names it on the line above.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controlplane.diagnostics import KeyPath, Span
from controlplane.plan.redaction import names_secret, names_secret_variable, secret_parts
from controlplane.source import Dialect, Document, Value, embedded, read_yaml


def secret_places(documents: Iterable[Document]) -> tuple[Span, ...]:
    """The places of all values that are hidden for what they mean, or that hold what looks like a secret."""
    return tuple(span for document in documents for span in _of_document(document))


def secret_lines(text: str, file: str) -> frozenset[int]:
    """The numbers of the lines of a file that hold part of a secret."""
    read = read_yaml(text.encode(errors="surrogatepass"), file, Dialect.KUBERNETES)
    return lines_of(secret_places(read.documents))


def lines_of(spans: Iterable[Span]) -> frozenset[int]:
    """The numbers of all lines that some places touch."""
    return frozenset(line for span in spans for line in range(span.line, span.end_line + 1))


def _of_document(document: Document) -> Iterator[Span]:
    waiting: list[tuple[KeyPath, Value, bool]] = [((), document.value, False)]
    while waiting:
        path, value, is_hidden = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, key), inner, is_hidden or _hides(value, key)) for key, inner in value.items()]
        elif isinstance(value, list):
            flagged = [index and _is_secret_flag(value[index - 1]) for index in range(len(value))]
            waiting += [
                ((*path, index), inner, is_hidden or bool(flagged[index])) for index, inner in enumerate(value)
            ]
        elif is_hidden and value is not None and not isinstance(value, bool):
            place = document.places[path]
            yield from (place.value, place.anchor) if place.anchor is not None else (place.value,)
        elif isinstance(value, str):
            yield from _parts(document, path, value)


def _hides(holder: dict[str, Value], key: str) -> bool:
    """Whether the entry of a map is a secret, or all below it."""
    if key in ("data", "stringData") and holder.get("kind") == "Secret":
        return True
    if key == "value":
        name = holder.get("name")
        return isinstance(name, str) and names_secret_variable(name)
    return not isinstance(holder[key], dict | list) and names_secret_variable(key)


def _is_secret_flag(item: Value) -> bool:
    return isinstance(item, str) and item.startswith("-") and "=" not in item and names_secret(item)


def _parts(document: Document, path: KeyPath, value: str) -> Iterator[Span]:
    parts = secret_parts(value)
    text = embedded(document, path) if parts else None
    if text is not None:
        yield from (text.span(start, end) for start, end in parts)
