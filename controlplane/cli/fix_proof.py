"""Whether an edited file still says what it said, but for what was meant to change.

Both texts are read again and compared value by value. A difference is explained where an edit touches the key or the
value, before or after. Anything else, such as a value behind an alias or the rest of an embedded document, must be
equal: then the edit is safe to write, otherwise it is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from controlplane.diagnostics import Diagnostic, KeyPath, Span, render_path
from controlplane.frozen import frozen
from controlplane.source import Dialect, Document, ReadResult, Value, read_yaml
from controlplane.source.embedded import read_embedded_yaml


@frozen
class Edited:
    """A text before and after, and the places of the edits in each."""

    file: str
    before: str
    after: str
    old_places: Sequence[Span]
    new_places: Sequence[Span]


def unexplained(edited: Edited) -> str | None:
    """Why the edited text must not be written, or None."""
    texts = (text.encode(errors="surrogatepass") for text in (edited.before, edited.after))
    readings = [read_yaml(text, edited.file, Dialect.KUBERNETES) for text in texts]
    return _Comparison(edited.old_places, edited.new_places).readings(*readings)


class _Comparison:
    """Compares two readings; places are those of the files."""

    def __init__(self, old_places: Sequence[Span], new_places: Sequence[Span]) -> None:
        self._old_places = old_places
        self._new_places = new_places
        # Items are compared in several pairings, and lists stand inside lists: each pair is looked at once.
        self._seen: dict[tuple[int, int, KeyPath, KeyPath], str | None] = {}

    def readings(self, before: ReadResult, after: ReadResult) -> str | None:
        added = _counted(after.diagnostics) - _counted(before.diagnostics)
        if added:
            return f"the edited file would have a new fault ({min(added)})"
        then = {document.index: document for document in before.documents}
        now = {document.index: document for document in after.documents}
        if not then.keys() <= now.keys():
            return "a document of the file would be lost"
        pairs = ((then[index], now[index]) for index in then)
        return next((why for old, new in pairs if (why := self._value(old, (), new, ())) is not None), None)

    def _value(self, old: Document, path: KeyPath, new: Document, new_path: KeyPath) -> str | None:
        one, other = _at(old.value, path), _at(new.value, new_path)
        if isinstance(one, dict) and isinstance(other, dict):
            return self._mapping((old, path, one), (new, new_path, other))
        if isinstance(one, list) and isinstance(other, list):
            return self._sequence((old, path, one), (new, new_path, other))
        if type(one) is type(other) and one == other:
            return None
        if not (self._was_touched(old, path) or self._is_touched(new, new_path)):
            return _other(old, path)
        if isinstance(one, dict | list) and not self._was_covered(old, path):
            return _other(old, path)
        if isinstance(one, str) and isinstance(other, str):
            return self._text(old, path, new, new_path)
        return None

    def _mapping(
        self, then: tuple[Document, KeyPath, dict[str, Value]], now: tuple[Document, KeyPath, dict[str, Value]]
    ) -> str | None:
        (old, path, one), (new, new_path, other) = then, now
        for key in one:
            below = (*path, key)
            if key in other:
                why = self._value(old, below, new, (*new_path, key))
                if why is not None:
                    return why
            elif not self._was_touched(old, below):
                return _other(old, below)
        for key in other.keys() - one.keys():
            if not self._is_touched(new, (*new_path, key)):
                return f"{key} would be added beside it"
        return None

    def _sequence(
        self, then: tuple[Document, KeyPath, list[Value]], now: tuple[Document, KeyPath, list[Value]]
    ) -> str | None:
        (old, path, one), (new, new_path, other) = then, now
        every, all_now = list(range(len(one))), list(range(len(other)))
        kept = [index for index in every if not self._was_covered(old, (*path, index))]
        still = [index for index in all_now if not self._is_covered(new, (*new_path, index))]
        why = f"the number of items of {_named(path)} would change from {len(one)} to {len(other)}"
        # An item that was edited as a whole may be gone, or may be the one that stands there now.
        for olds, news in ((kept, still), (kept, all_now), (every, still), (every, all_now)):
            if len(olds) == len(news):
                pairs = [((*path, index), (*new_path, place)) for index, place in zip(olds, news, strict=True)]
                found = next((w for pair in pairs if (w := self._item(old, pair[0], new, pair[1])) is not None), None)
                if found is None:
                    return None
                why = found
        return why

    def _item(self, old: Document, path: KeyPath, new: Document, new_path: KeyPath) -> str | None:
        if _at(old.value, path) is not None and _at(new.value, new_path) is None:
            return f"an empty item would be left at {_named(path)}"
        pair = (id(old), id(new), path, new_path)
        if pair not in self._seen:
            self._seen[pair] = self._value(old, path, new, new_path)
        return self._seen[pair]

    def _text(self, old: Document, path: KeyPath, new: Document, new_path: KeyPath) -> str | None:
        """A text that holds a YAML document of its own is compared like a file."""
        before = read_embedded_yaml(old, path, Dialect.KUBERNETES)
        if not any(isinstance(document.value, dict | list) for document in before.documents):
            return None
        return self.readings(before, read_embedded_yaml(new, new_path, Dialect.KUBERNETES))

    def _was_touched(self, document: Document, path: KeyPath) -> bool:
        return _meets(_entry(document, path), self._old_places)

    def _is_touched(self, document: Document, path: KeyPath) -> bool:
        return _meets(_entry(document, path), self._new_places)

    def _was_covered(self, document: Document, path: KeyPath) -> bool:
        return _lies_in(_entry(document, path), self._old_places)

    def _is_covered(self, document: Document, path: KeyPath) -> bool:
        return _lies_in(_entry(document, path), self._new_places)


def _counted(diagnostics: Sequence[Diagnostic]) -> Counter[str]:
    return Counter(finding.rule for finding in diagnostics)


def _at(value: Value, path: KeyPath) -> Value:
    for part in path:
        value = value[part]  # type: ignore[index]
    return value


def _entry(document: Document, path: KeyPath) -> tuple[tuple[int, int], tuple[int, int]]:
    """Start and end of a value, with its key where it has one."""
    place = document.places[path]
    first = place.key or place.value
    return (first.line, first.column), (place.value.end_line, place.value.end_column)


def _meets(entry: tuple[tuple[int, int], tuple[int, int]], spans: Sequence[Span]) -> bool:
    return any(
        max(entry[0], (span.line, span.column)) <= min(entry[1], (span.end_line, span.end_column)) for span in spans
    )


def _lies_in(entry: tuple[tuple[int, int], tuple[int, int]], spans: Sequence[Span]) -> bool:
    return any(
        (span.line, span.column) <= entry[0] and entry[1] <= (span.end_line, span.end_column) for span in spans
    )


def _named(path: KeyPath) -> str:
    return render_path(path) or "the document"


def _other(document: Document, path: KeyPath) -> str:
    return f"{_named(path)} at {document.span_of(path)} would change too"
