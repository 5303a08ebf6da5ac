"""A document: its value, and for every key, value and alias use the place in the file.

Places are worked out when asked for: a file has many more than anyone looks at, and an alias repeats all that it
stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.diagnostics import Diagnostic, KeyPath, Span
from controlplane.frozen import frozen
from controlplane.source.dialect import Value
from controlplane.source.text import SourceText


@frozen
class Place:
    """Where a value stands.

    For what an alias or a merge key brings in, `value` is the place of the use (`*base`), which is also the
    place for everything inside it, `anchor` the place of the text that is repeated there, and `key` is None unless
    the key itself stands at the use. So where `anchor` is set, `value` must not be edited piecemeal.
    """

    value: Span
    key: Span | None
    anchor: Span | None = None


class Node:
    """A value as written, with indices into the text; `target` is set where it is only a use of another node.

    A target is never itself a use.

    `entries` has a mapping's keys with their places, -1 where a merge brought the key in; `items` a sequence's
    nodes. `weight` counts the node and all below it, with aliases replaced by what they stand for; it is 0 until the
    end of a collection is read.
    """

    __slots__ = ("end", "entries", "items", "start", "target", "value", "weight")

    def __init__(self, start: int, end: int, value: Value, target: Node | None = None) -> None:
        self.start = start
        self.end = end
        self.value = value
        self.target = target
        self.entries: dict[str, Entry] | None = None
        self.items: list[Node] | None = None
        self.weight: int = 1 if target is None else target.weight

    def resolved(self) -> Node:
        """The node that an alias stands for, or the node itself."""
        return self.target if self.target is not None else self

    def child(self, part: str | int) -> Entry | None:
        """The entry under a key, or the item at an index with no key's place."""
        if isinstance(part, str):
            return self.entries.get(part) if self.entries is not None else None
        if self.items is None or not 0 <= part < len(self.items):
            return None
        return (-1, -1, self.items[part])

    def children(self) -> Iterator[tuple[str | int, Entry]]:
        """All entries or items in the order of the text."""
        if self.entries is not None:
            yield from self.entries.items()
        elif self.items is not None:
            yield from ((index, (-1, -1, item)) for index, item in enumerate(self.items))


Entry = tuple[int, int, Node]
"""Start and end of a key (-1 where it has no place of its own), and the value's node."""


class Places(Mapping[KeyPath, Place]):
    """The places of a document by path, the root under the empty path. Read-only; made from the nodes on demand."""

    __slots__ = ("_known", "_root", "_text")

    def __init__(self, root: Node, text: SourceText) -> None:
        self._root = root
        self._text = text
        self._known: dict[KeyPath, tuple[Node, Node | None]] = {(): (root, None)}

    @property
    def text(self) -> SourceText:
        """The text that the nodes' indices count in."""
        return self._text

    def node(self, path: KeyPath) -> Node:
        """The node that is written for a path: behind an alias, the one that it stands for. Raises KeyError."""
        return self._find(path)[0][2].resolved()

    def use(self, path: KeyPath) -> Node | None:
        """The alias that brings in what is at a path; None where it is written there. Raises KeyError."""
        entry, use = self._find(path)
        return use or (entry[2] if entry[2].target is not None else None)

    def __getitem__(self, path: KeyPath) -> Place:
        return self._place(*self._find(path))

    def _find(self, path: KeyPath) -> tuple[Entry, Node | None]:
        """The entry at a path, and the alias through which it is reached, if it is."""
        entry: Entry = (-1, -1, self._root)
        use: Node | None = None
        for part in path:
            if use is None and entry[2].target is not None:
                use = entry[2]
            child = entry[2].resolved().child(part)
            if child is None:
                raise KeyError(path)
            entry = child
        return entry, use

    def nearest(self, path: KeyPath) -> Span | None:
        """The place of the value at a path or of its nearest parent that exists; None where only the root does.

        Asked for every value that a reader takes: no key's place is worked out, and nothing is looked up twice.
        """
        node, use = self._reached(path)
        return None if node is self._root else self._text.span((use or node).start, (use or node).end)

    def _reached(self, path: KeyPath) -> tuple[Node, Node | None]:
        """The node at a path or its nearest parent that exists, and the alias through which it is reached, if any.

        What is asked next mostly stands beside what was asked last, so the parents of a path are known already.
        """
        length = len(path)
        while (known := self._known.get(path[:length])) is None:
            length -= 1
        for part in path[length:]:
            node, use = known
            child = node.resolved().child(part)
            if child is None:
                break
            length += 1
            known = child[2], use or (node if node.target is not None else None)
            self._known[path[:length]] = known
        return known

    def key(self, path: KeyPath) -> Span | None:
        """The place of the key at a path; None where it has none of its own."""
        try:
            (start, end, _), use = self._find(path)
        except KeyError:
            return None
        return self._text.span(start, end) if start >= 0 and use is None else None

    def __iter__(self) -> Iterator[KeyPath]:
        pending: list[tuple[KeyPath, Node]] = [((), self._root)]
        while pending:
            path, node = pending.pop()
            yield path
            below = [((*path, part), entry[2]) for part, entry in node.resolved().children()]
            pending.extend(reversed(below))

    def __len__(self) -> int:
        return self._root.weight

    def _place(self, entry: Entry, use: Node | None) -> Place:
        key_start, key_end, node = entry
        real = node.resolved()
        repeated = use is not None or node.target is not None
        anchor = self._text.span(real.start, real.end) if repeated else None
        shown = use or node
        key = self._text.span(key_start, key_end) if key_start >= 0 and use is None else None
        return Place(self._text.span(shown.start, shown.end), key, anchor)


@frozen
class Document:
    """One document of a file. `index` counts from 0 over all documents of the file, unreadable and empty ones too.

    `value` shares one object among all uses of an alias: do not change it. Keys are always texts.
    """

    file: str
    index: int
    value: Value
    places: Mapping[KeyPath, Place]
    span: Span

    def span_of(self, path: KeyPath) -> Span:
        """The value's place, or that of its nearest parent that exists."""
        if isinstance(self.places, Places):
            return self.places.nearest(path) or self.span
        for length in range(len(path), 0, -1):
            place = self.places.get(path[:length])
            if place is not None:
                return place.value
        return self.span

    def key_span(self, path: KeyPath) -> Span:
        """The key's place; where the key has none (an item, a merged key, an absent path), as `span_of`."""
        if isinstance(self.places, Places):
            return self.places.key(path) or self.span_of(path)
        place = self.places.get(path)
        return place.key if place is not None and place.key is not None else self.span_of(path)


@frozen
class ReadResult:
    """What could be read, and everything that is wrong with the file, in the order of the text."""

    documents: tuple[Document, ...]
    diagnostics: tuple[Diagnostic, ...]
