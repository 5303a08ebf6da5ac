"""Mappings and sequences while they are being read, one frame for each that is still open."""

from __future__ import annotations

from typing import Final

from controlplane.source.dialect import Value
from controlplane.source.document import Entry, Node

NO_PLACE: Final = -1


class SequenceFrame:
    """A sequence that is being read."""

    __slots__ = ("block", "items", "node", "values")

    def __init__(self, node: Node, block: bool) -> None:
        self.node = node
        self.block = block
        self.items: list[Node] = []
        self.values: list[Value] = []

    def current(self) -> int:
        """The index of the item that is being read."""
        return len(self.items)

    def take(self, item: Node) -> None:
        """Append an item."""
        self.items.append(item)
        self.values.append(item.value)
        self.node.end = max(self.node.end, item.end)

    def close(self) -> list[str]:
        """Give the node its items. No keys are contested in a sequence."""
        self.node.items = self.items
        self.node.value = self.values
        self.node.weight = 1 + sum(item.weight for item in self.items)
        return []


class MappingFrame:
    """A mapping that is being read: keys and values come in turn.

    With `eager`, a merge key takes effect where it stands, as in go-yaml v2: keys before it are replaced, keys behind
    it replace. Otherwise all merging is done at the end and never replaces a key, as YAML's merge type has it.
    """

    __slots__ = (
        "_key_place", "_merges", "_values", "block", "eager", "entries", "key", "merge_place", "merged", "merging",
        "node", "wants_key",
    )  # fmt: skip

    def __init__(self, node: Node, block: bool, eager: bool) -> None:
        self.node = node
        self.block = block
        self.eager = eager
        self.entries: dict[str, Entry] = {}
        self.wants_key = True
        self.key: str | None = None
        self.merging = False
        self.merge_place: tuple[int, int] | None = None
        self.merged: set[str] = set()
        self._key_place = (NO_PLACE, NO_PLACE)
        self._merges: list[Node] = []
        self._values: dict[str, Value] = {}

    def current(self) -> str | None:
        """The key whose value is being read."""
        return self.key

    def first_place(self, name: str) -> tuple[int, int] | None:
        """Where a key already stands in this mapping; None when it does not, or only a merge brought it."""
        entry = self.entries.get(name)
        return None if entry is None or name in self.merged else (entry[0], entry[1])

    def begin(self, name: str | None, place: tuple[int, int]) -> None:
        """A key has been read; with None the value that follows is dropped."""
        self.key = name
        self._key_place = place
        self.wants_key = False
        self.node.end = max(self.node.end, place[1])

    def begin_merge(self, place: tuple[int, int]) -> None:
        """A merge key has been read."""
        self.merge_place = place
        self.merging = True
        self.begin("<<", place)

    def take(self, value: Node) -> None:
        """The value of the last key."""
        name = self.key
        if name is not None:
            self.entries[name] = (*self._key_place, value)
            self._values[name] = value.value
            self.merged.discard(name)
        self._end_entry(value)

    def take_merge(self, value: Node, bases: list[Node]) -> list[str]:
        """The mappings to merge, the one that wins first. Returns the keys of this mapping that were replaced."""
        self._end_entry(value)
        self.merging = False
        if not self.eager:
            self._merges.extend(bases)
            return []
        replaced: dict[str, None] = {}
        for base in reversed(bases):
            for name, entry in _entries_of(base):
                if name in self.entries and name not in self.merged:
                    replaced[name] = None
                self._merge_entry(name, entry)
        return list(replaced)

    def close(self) -> list[str]:
        """Give the node its entries; the first merged mapping wins. Returns the keys that several of them have."""
        contested: dict[str, None] = {}
        for base in self._merges:
            for name, entry in _entries_of(base):
                if name not in self.entries:
                    self._merge_entry(name, entry)
                elif name in self.merged:
                    contested[name] = None
        self.node.entries = self.entries
        self.node.value = self._values
        self.node.weight = 1 + sum(entry[2].weight for entry in self.entries.values())
        return list(contested)

    def _merge_entry(self, name: str, entry: Entry) -> None:
        self.entries[name] = entry
        self._values[name] = entry[2].value
        self.merged.add(name)

    def _end_entry(self, value: Node) -> None:
        self.key = None
        self.wants_key = True
        self.node.end = max(self.node.end, value.end)


Frame = MappingFrame | SequenceFrame


def _entries_of(base: Node) -> list[tuple[str, Entry]]:
    """A merged mapping's entries; those that come through an alias stand where the alias is used."""
    entries = base.resolved().entries or {}
    if base.target is None:
        return list(entries.items())
    return [(name, (NO_PLACE, NO_PLACE, _used_at(base, entry[2]))) for name, entry in entries.items()]


def _used_at(use: Node, node: Node) -> Node:
    return Node(use.start, use.end, node.value, node.resolved())
