"""Events of libyaml to nodes: structure, keys, aliases and merge keys, within a budget.

Only events tell where an alias is used, so nodes are built from them and not by PyYAML's composer. The builder
keeps its own stack; no nesting can exhaust Python's. Events are typed Any: the stubs hold every mark to be optional.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from controlplane.diagnostics import KeyPath
from controlplane.regex import regex
from controlplane.source import structure_findings as note
from controlplane.source.budget import Budget
from controlplane.source.dialect import Dialect, Value
from controlplane.source.document import Node
from controlplane.source.findings import Findings
from controlplane.source.frames import Frame, MappingFrame, SequenceFrame
from controlplane.source.scalars import plain
from controlplane.source.scalars.reader import ScalarReader

_PROPERTY = regex(r"&[^\s,\[\]{}]+|!<[^>\s]*>|![^\s,\[\]{}]*")
_GAP = regex(r"(?:[ \t\r\n\u0085\u2028\u2029]|(?<=[ \t\r\n\ufeff])#[^\r\n]*)*")


_STARTS = frozenset({yaml.MappingStartEvent, yaml.SequenceStartEvent})
_ENDS = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})
_BLOCK_STYLES = frozenset({"|", ">"})
_BLANKS = " \t\r\n\u0085\u2028\u2029"


class StopDocument(Exception):
    """The rest of the document is not read; the finding has been noted. `index` is where reading stopped."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class StopFile(Exception):
    """The rest of the file is not read; the finding has been noted."""


class TreeBuilder:
    """Builds the documents of one file. `base` is the index in the file of the text that libyaml was given."""

    def __init__(self, dialect: Dialect, budget: Budget, findings: Findings) -> None:
        self.base = 0
        self.readable = True
        self._dialect = dialect
        self._budget = budget
        self._findings = findings
        self._text = findings.text.text
        self._scalars = ScalarReader(dialect, findings)
        self._nodes = 0
        self._expanded = 0
        self._anchors: dict[str, Node] = {}
        self._stack: list[Frame] = []

    def document(self, events: Iterator[yaml.Event]) -> Node | None:
        """The root of the document whose start was the last event; None when it holds nothing.

        `readable` tells afterwards whether the dialect's reader would take it. Raises StopDocument and StopFile.
        """
        self._anchors, self._stack, self.readable = {}, [], True
        root: Node | None = None
        for event in events:
            node = self._node(event)
            if node is None:
                if isinstance(event, yaml.DocumentEndEvent):
                    break
            elif self._stack:
                self._attach(self._stack[-1], node)
            else:
                root = node
        return None if root is None or _is_nothing(root) else root

    def path(self) -> KeyPath:
        """The keys and indices from the root to what is being read."""
        return tuple(part for frame in self._stack if (part := frame.current()) is not None)

    def _node(self, event: yaml.Event) -> Node | None:
        """The node that an event completes, if it does."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind in _STARTS:
            self._open(event)
            return None
        if kind in _ENDS:
            return self._close(event)
        return self._alias(event) if kind is yaml.AliasEvent else None

    def _attach(self, frame: Frame, node: Node) -> None:
        if isinstance(frame, SequenceFrame):
            frame.take(node)
        elif frame.wants_key:
            self._node_as_key(frame, node)
        elif frame.merging:
            self._merge(frame, node)
        else:
            frame.take(node)

    def _scalar(self, event: Any) -> Node | None:
        opening = start = event.start_mark.index + self.base
        end = event.end_mark.index + self.base
        if event.tag is not None or event.anchor is not None:
            start = self._content_start(event, opening, end)
        if event.style in _BLOCK_STYLES:
            end = start + len(self._text[start:end].rstrip(_BLANKS))
        frame = self._stack[-1] if self._stack else None
        if isinstance(frame, MappingFrame) and frame.wants_key:
            self._scalar_as_key(frame, event, (start, end), self._tag_place(opening, start))
            return None
        self._count(1, (start, end))
        node = Node(start, end, self._scalar_value(event, opening, (start, end)))
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _scalar_value(self, event: Any, opening: int, place: tuple[int, int]) -> Value:
        text: str = event.value
        if event.tag is not None:
            tag_place = self._tag_place(opening, place[0])
            return self._scalars.tagged(event.tag, text, place, tag_place, self.path)
        if event.style or plain.is_text(text):
            return text
        return self._scalars.plain(text, place, self.path) if text else None

    def _scalar_as_key(
        self, frame: MappingFrame, event: Any, place: tuple[int, int], tag_place: tuple[int, int]
    ) -> None:
        text: str = event.value
        is_plain = not event.style and event.tag is None
        if is_plain and text == "<<":
            if frame.merge_place is not None:
                note.second_merge_key(self._findings, self._dialect, place, frame.merge_place, self.path())
            frame.begin_merge(place)
            return
        if event.anchor is not None:
            self._anchors[event.anchor] = Node(*place, self._scalars.quietly(text) if is_plain else text)
        if event.tag is not None:
            value = self._scalars.tagged(event.tag, text, place, tag_place, self.path)
            name = self._scalars.value_as_key(value, place, self.path)
        else:
            name = self._scalars.key(text, is_plain, place, self.path)
        self._begin_entry(frame, name, place)

    def _node_as_key(self, frame: MappingFrame, node: Node) -> None:
        """A collection or an alias stands where a key should."""
        place = (node.start, node.end)
        value = node.value
        if isinstance(value, list | dict):
            note.collection_as_key(self._findings, place, self.path())
            frame.begin(None, place)
            return
        name = self._scalars.value_as_key(value, place, self.path)
        self._begin_entry(frame, name, place)

    def _begin_entry(self, frame: MappingFrame, name: str | None, place: tuple[int, int]) -> None:
        first = frame.first_place(name) if name is not None else None
        if name is not None and first is not None:
            note.duplicate_key(self._findings, self._dialect, name, place, first, (*self.path(), name))
            if self._dialect is Dialect.POLICY:
                name = None
        frame.begin(name, place)

    def _merge(self, frame: MappingFrame, node: Node) -> None:
        bases = _bases(node)
        if bases is None:
            if self.readable:
                note.merge_of_no_mapping(self._findings, (node.start, node.end), self.path())
            frame.take_merge(node, [])
            return
        path = self.path()[:-1]
        replaced = frame.take_merge(node, bases)
        if replaced and frame.merge_place is not None:
            note.merge_replaces(self._findings, replaced, frame.merge_place, path)

    def _open(self, event: Any) -> None:
        opening, end = self._marks(event)
        start = opening
        if event.tag is not None or event.anchor is not None:
            start = self._content_start(event, opening, end if event.flow_style else len(self._text))
        if len(self._stack) >= self._budget.depth:
            note.too_deep(self._findings, self._budget.depth, (start, start + 1))
            raise StopDocument(start)
        self._count(1, (start, start + 1))
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag is not None:
            known = ("map",) if is_mapping else ("seq",)
            self._scalars.known_tag(event.tag, known, self._tag_place(opening, start), self.path)
        node = Node(start, start, None)
        node.weight = 0
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        block = not event.flow_style
        eager = self._dialect is Dialect.KUBERNETES
        self._stack.append(MappingFrame(node, block, eager) if is_mapping else SequenceFrame(node, block))

    def _close(self, event: Any) -> Node:
        frame = self._stack.pop()
        # A block collection's end mark is the next token's start; its last child's end was taken instead.
        if not frame.block:
            frame.node.end = self._marks(event)[1]
        contested = frame.close()
        if contested and self._dialect is Dialect.VLLM and isinstance(frame, MappingFrame):
            place = frame.merge_place or (frame.node.start, frame.node.end)
            note.merge_contested(self._findings, contested, place, self.path())
        return frame.node

    def _alias(self, event: Any) -> Node:
        place = self._marks(event)
        anchor_name = event.anchor or ""
        target = self._anchors.get(anchor_name)
        if target is None:
            note.undefined_alias(self._findings, anchor_name, self._anchors, place, self.path())
        elif target.weight == 0:
            anchor = (target.start, target.start)
            note.alias_cycle(self._findings, anchor_name, place, anchor, self.path())
        else:
            self._count_alias(target, place)
            return Node(*place, target.value, target)
        self.readable = False
        return Node(*place, None)

    def _count(self, nodes: int, place: tuple[int, int]) -> None:
        self._nodes += nodes
        self._expanded += nodes
        if self._findings.hopeless:
            raise StopFile
        if self._nodes > self._budget.nodes:
            note.too_many_nodes(self._findings, self._budget.nodes, place)
            raise StopFile

    def _count_alias(self, target: Node, place: tuple[int, int]) -> None:
        self._count(1, place)
        self._expanded += target.weight - 1
        if self._expanded > self._budget.expanded_nodes:
            anchor = (target.start, target.end)
            numbers = (self._expanded, self._budget.expanded_nodes)
            note.alias_expansion(self._findings, numbers, place, anchor, self.path())
            raise StopFile

    def _marks(self, event: Any) -> tuple[int, int]:
        """Where an event's text begins and ends in the file."""
        return event.start_mark.index + self.base, event.end_mark.index + self.base

    def _content_start(self, event: Any, opening: int, end: int) -> int:
        """Where a node begins behind its anchor and tag."""
        properties = (event.anchor is not None) + (event.tag is not None)
        index = opening
        for _ in range(properties):
            match = _PROPERTY.match(self._text, index)
            if match is None:
                break
            index = match.end()
            gap = _GAP.match(self._text, index)
            if gap is not None and gap.end() < end:
                index = gap.end()
        return min(index, end)

    def _tag_place(self, opening: int, start: int) -> tuple[int, int]:
        if opening == start:
            return (opening, start)
        for match in _PROPERTY.finditer(self._text, opening, start):
            if match[0].startswith("!"):
                return match.span()
        return (opening, start)


def _is_nothing(root: Node) -> bool:
    return root.value is None and root.start == root.end


def _bases(node: Node) -> list[Node] | None:
    """The mappings that a merge key's value names; None where something else is among them."""
    bases = [node] if node.items is None else node.items
    return bases if all(base.resolved().entries is not None for base in bases) else None
