"""The fields that a wanted object sets, with their addresses, and which of them another state has otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.plan.addresses import MISSING, Address, ItemValue, Step, value_at
from controlplane.plan.differences import BOOKKEEPING
from controlplane.plan.equality import same_value
from controlplane.plan.field_ownership import Nodes, descend, is_whole
from controlplane.plan.lists import MapList, SetList, by_merge_key, index_step, list_shape, natural_name


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """One leaf that a wanted object sets; an empty map or list is a leaf too.

    `whole` is the atomic list or map around it, which is written and owned as one.
    """

    address: Address
    path: KeyPath
    wanted: Any
    whole: Address | None = None


@dataclass(frozen=True, slots=True)
class Unlike:
    """A leaf that is set to `wanted` and `found` otherwise, MISSING where it is not there."""

    address: Address
    path: KeyPath
    wanted: Any
    found: Any


def declared_fields(desired: Manifest, nodes: Nodes) -> Iterator[DeclaredField]:
    """The leaves of a wanted object, identity and bookkeeping left out.

    `nodes` are managedFields trees of the same object in the cluster; they tell which lists have merge keys.
    """
    for field in _leaves(desired, (), (), nodes, None):
        if field.path[0] not in ("apiVersion", "kind", "status") and not _is_identity(field.path):
            yield field


def unlike(desired: Manifest, found: Manifest, nodes: Nodes) -> Iterator[Unlike]:
    """The leaves that `found` has otherwise.

    An empty value and an absent field are one: the API server leaves `""`, `false`, 0 and empty containers out of
    fields where they mean nothing. The API server turns a Secret's stringData into data, so that is left out.
    """
    for field in declared_fields(desired, nodes):
        if field.wanted is None or (field.path[0] == "stringData" and desired.get("kind") == "Secret"):
            continue
        value = value_at(found, field.address)
        if not _is_as_wanted(field, MISSING if value is None else value):
            yield Unlike(field.address, field.path, field.wanted, MISSING if value is None else value)


def _is_as_wanted(field: DeclaredField, value: Any) -> bool:
    if value is MISSING:
        return not field.wanted
    if field.wanted == {} and isinstance(value, Mapping):
        # An empty map says that it is there (`emptyDir: {}`); what others put into it is theirs.
        return True
    return same_value(field.path, field.wanted, value)


def _is_identity(path: KeyPath) -> bool:
    return len(path) > 1 and path[0] == "metadata" and (path[1] in BOOKKEEPING or path[1] in ("name", "namespace"))


def _leaves(
    node: Any, address: Address, path: KeyPath, nodes: Nodes, whole: Address | None
) -> Iterator[DeclaredField]:
    if whole is None and is_whole(nodes) and isinstance(node, Mapping | list) and node:
        whole = address
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            below = () if whole is not None else descend(nodes, key)
            yield from _leaves(value, (*address, key), (*path, key), below, whole)
    elif isinstance(node, list) and node:
        yield from _list_leaves(node, address, path, nodes, whole)
    elif path:
        yield DeclaredField(address, path, node, whole)


def _list_leaves(
    items: list[Any], address: Address, path: KeyPath, nodes: Nodes, whole: Address | None
) -> Iterator[DeclaredField]:
    steps, tracked = _steps(items, address, nodes, inside_whole=whole is not None)
    if not tracked and whole is None:
        whole = address
    for index, step in enumerate(steps):
        below = descend(nodes, step) if tracked else ()
        yield from _leaves(items[index], (*address, step), (*path, index), below, whole)


def _steps(items: list[Any], address: Address, nodes: Nodes, *, inside_whole: bool) -> tuple[list[Step], bool]:
    """The step to each item, and whether the API server tracks the items one by one."""
    last = address[-1]
    shape = list_shape(last if isinstance(last, str) else "", nodes, items, inside_whole=inside_whole)
    if isinstance(shape, SetList):
        return [ItemValue(item) for item in items], True
    keys = by_merge_key(items, shape.keys) if isinstance(shape, MapList) else None
    if keys is not None:
        return list(keys), True
    name = natural_name(items)
    return [index_step(items, index, name) for index in range(len(items))], False
