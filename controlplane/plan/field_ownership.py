"""Who owns what: `metadata.managedFields` read as trees of fields.

fieldsV1 (Kubernetes, structured-merge-diff v6): `f:NAME` is a field, `k:{...}` a map-list item by its merge keys,
`v:VALUE` a set-list member, `i:N` an index, `.` the container itself. A node without children is a leaf, or
something owned as a whole (an atomic list or map).

Ours is what manager `controlplane` applied. An Update by somebody else that changes a value of ours takes the
field from our entry, so ownership alone never tells what we want: the wanted object does.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane import FIELD_MANAGER
from controlplane.emit.bundle import Manifest
from controlplane.plan.addresses import Address, ItemIndex, ItemKey, ItemValue, Step

FieldNode = Mapping[str, Any]
"""One level of fieldsV1."""

Nodes = tuple[FieldNode, ...]
"""The nodes that several managers have at the same address."""


@dataclass(frozen=True, slots=True)
class ManagerEntry:
    """One entry of managedFields. `time` is when the manager last changed a field, as the API server wrote it."""

    manager: str
    operation: str
    subresource: str
    time: str
    fields: FieldNode

    @property
    def ours(self) -> bool:
        """Whether this is what we applied."""
        return self.manager == FIELD_MANAGER and self.operation == "Apply" and not self.subresource

    def owns(self, address: Address) -> bool:
        """Whether the field, or something around it that is owned as a whole, belongs to this manager."""
        node: FieldNode = self.fields
        for step in address:
            if not node:
                return True
            child = _child(node, step)
            if child is None:
                return False
            node = child
        return True


def manager_entries(manifest: Manifest | None) -> tuple[ManagerEntry, ...]:
    """The entries of an object's managedFields, without what was written through the status subresource."""
    listed = ((manifest or {}).get("metadata") or {}).get("managedFields") or ()
    return tuple(_entry(raw) for raw in listed if raw.get("subresource") != "status")


def our_nodes(entries: tuple[ManagerEntry, ...]) -> Nodes:
    """The roots of our own entries: one for each API version we applied with."""
    return tuple(entry.fields for entry in entries if entry.ours)


def all_nodes(entries: tuple[ManagerEntry, ...]) -> Nodes:
    """The roots of everybody's entries."""
    return tuple(entry.fields for entry in entries)


def owners_of(entries: tuple[ManagerEntry, ...], address: Address) -> tuple[str, ...]:
    """The managers of a field, sorted by name."""
    return tuple(sorted({entry.manager for entry in entries if entry.owns(address)}))


def owned(entries: tuple[ManagerEntry, ...], address: Address) -> bool:
    """Whether a field is ours.

    A leaf of ours with deeper fields of others beneath it (`emptyDir: {}`) is an empty map, not an atomic one:
    those deeper fields are not ours.
    """
    return any(e.ours and e.owns(address) for e in entries) and not _only_beneath_a_leaf(entries, address)


def _only_beneath_a_leaf(entries: tuple[ManagerEntry, ...], address: Address) -> bool:
    exact = any(e.ours and descend_all((e.fields,), address) for e in entries)
    return not exact and any(not e.ours and descend_all((e.fields,), address) for e in entries)


def descend(nodes: Nodes, step: Step) -> Nodes:
    """The nodes one step further down, of those that have one."""
    if isinstance(step, str):
        name = f"f:{step}"
        return tuple([node[name] for node in nodes if name in node])
    return tuple([child for node in nodes if (child := _child(node, step)) is not None])


def descend_all(nodes: Nodes, address: Address) -> Nodes:
    """The nodes at an address."""
    for step in address:
        nodes = descend(nodes, step)
    return nodes


def merge_keys(nodes: Nodes) -> tuple[str, ...] | None:
    """The merge keys of the map list at these nodes; None when no manager has an item of a map list here."""
    for node in nodes:
        for name in node:
            if name.startswith("k:"):
                return tuple(key for key, _ in _parse_key(name))
    return None


def is_set(nodes: Nodes) -> bool:
    """Whether the managers track the list at these nodes value by value."""
    return any(name.startswith("v:") for node in nodes for name in node)


def is_whole(nodes: Nodes) -> bool:
    """Whether what stands here is owned as a whole by everybody who owns it."""
    return bool(nodes) and not any(nodes)


def leaves(node: FieldNode, value: Any) -> list[tuple[Address, Any]]:
    """The addresses and values of the fields that a manager owns, of those that are still in `value`."""
    found: list[tuple[Address, Any]] = []
    _collect_leaves(node, value, (), found)
    return found


def _collect_leaves(node: FieldNode, value: Any, address: Address, into: list[tuple[Address, Any]]) -> None:
    if not node or (len(node) == 1 and "." in node):
        into.append((address, value))
        return
    for name, child in node.items():
        if name != ".":
            step = _step(name)
            below = _step_into(value, step)
            if below is not None:
                _collect_leaves(child, below[0], (*address, step), into)


def _step_into(value: Any, step: Step) -> tuple[Any] | None:
    if isinstance(step, str):
        return (value[step],) if isinstance(value, dict) and step in value else None
    if not isinstance(value, list):
        return None
    for index, item in enumerate(value):
        if _is_item(item, index, step):
            return (item,)
    return None


def _is_item(item: Any, index: int, step: ItemKey | ItemValue | ItemIndex) -> bool:
    if isinstance(step, ItemKey):
        return isinstance(item, dict) and all(item.get(name) == value for name, value in step.keys)
    return bool(item == step.value) if isinstance(step, ItemValue) else index == step.place


def _entry(raw: Mapping[str, Any]) -> ManagerEntry:
    return ManagerEntry(
        manager=str(raw.get("manager", "")),
        operation=str(raw.get("operation", "")),
        subresource=str(raw.get("subresource") or ""),
        time=str(raw.get("time", "")),
        fields=raw.get("fieldsV1") or {},
    )


def _child(node: FieldNode, step: Step) -> FieldNode | None:
    if isinstance(step, str):
        return node.get(f"f:{step}")
    if isinstance(step, ItemIndex):
        return node.get(f"i:{step.place}")
    for name, child in node.items():
        if isinstance(step, ItemKey) and name.startswith("k:") and _parse_key(name) == step.keys:
            return child  # type: ignore[no-any-return]
        if isinstance(step, ItemValue) and name.startswith("v:") and json.loads(name[2:]) == step.value:
            return child  # type: ignore[no-any-return]
    return None


@functools.lru_cache(maxsize=4096)
def _step(name: str) -> Step:
    kind, _, rest = name.partition(":")
    if kind == "f":
        return rest
    if kind == "k":
        return ItemKey(_parse_key(name))
    return ItemValue(json.loads(rest)) if kind == "v" else ItemIndex(int(rest))


@functools.lru_cache(maxsize=4096)
def _parse_key(name: str) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(json.loads(name[2:]).items()))
