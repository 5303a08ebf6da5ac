"""The fields that a wanted object sets, with their addresses, and how another state of the object has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.plan.addresses import MISSING, Address, ItemKey, ItemValue, Step, index_of
from controlplane.plan.differences import BOOKKEEPING
from controlplane.plan.equality import same_value
from controlplane.plan.field_ownership import Nodes, descend, is_whole
from controlplane.plan.lists import MapList, SetList, by_merge_key, index_step, list_shape, natural_name

_NOT_FIELDS = frozenset({"apiVersion", "kind", "status"})
_CONTAINERS = (dict, list)
_IDENTITY = BOOKKEEPING | {"name", "namespace"}


class DeclaredField(NamedTuple):
    """One leaf that a wanted object sets; an empty map or list is a leaf too.

    `found` is its value in the other state, MISSING where it is not there. `whole` is the atomic list or map around
    it, which is written and owned as one. (A tuple, because a plan makes some hundred of them for every object.)
    """

    address: Address
    path: KeyPath
    wanted: Any
    found: Any
    whole: Address | None = None


class _Place(NamedTuple):
    address: Address
    path: KeyPath
    nodes: Nodes
    whole: Address | None


def declared_fields(desired: Manifest, state: Manifest, nodes: Nodes) -> list[DeclaredField]:
    """The leaves of a wanted object and how `state` has them; identity and bookkeeping are left out.

    `nodes` are the managedFields trees of `state`; they tell which lists have merge keys.
    """
    found: list[DeclaredField] = []
    for key, value in desired.items():
        if key in _NOT_FIELDS:
            continue
        if key == "metadata":
            value = {name: item for name, item in value.items() if name not in _IDENTITY}
            if not value:
                # An empty map would be a leaf, and stand for all of the live metadata.
                continue
        _collect(value, state.get(key, MISSING), _Place((key,), (key,), descend(nodes, key), None), found)
    return found


def unlike(desired: Manifest, declared: Iterable[DeclaredField]) -> Iterator[DeclaredField]:
    """Of the leaves that a wanted object sets, those that the other state has otherwise.

    An empty value and an absent field are one: the API server leaves `""`, `false`, 0 and empty containers out of
    fields where they mean nothing. The API server turns a Secret's stringData into data, so that is left out.
    """
    is_secret = desired.get("kind") == "Secret"
    for field in declared:
        converted = is_secret and field.path[0] == "stringData"
        if field.wanted is not None and not converted and not _is_as_wanted(field):
            yield field


def _is_as_wanted(field: DeclaredField) -> bool:
    if field.found is MISSING or field.found is None:
        return not field.wanted
    if field.wanted == {} and isinstance(field.found, dict):
        # An empty map says that it is there (`emptyDir: {}`); what others put into it is theirs.
        return True
    return same_value(field.path, field.wanted, field.found)


def _collect(node: Any, state: Any, place: _Place, into: list[DeclaredField]) -> None:
    address, path, nodes, whole = place
    if not node or not isinstance(node, _CONTAINERS):
        into.append(DeclaredField(address, path, node, state, whole))
        return
    if whole is None and is_whole(nodes):
        whole = address
    if isinstance(node, list):
        _collect_items(node, state, _Place(address, path, nodes, whole), into)
        return
    known = state if isinstance(state, dict) else {}
    for key, value in node.items():
        below = descend(nodes, key) if whole is None else ()
        _collect(value, known.get(key, MISSING), _Place((*address, key), (*path, key), below, whole), into)


def _collect_items(items: list[Any], state: Any, place: _Place, into: list[DeclaredField]) -> None:
    address, path, nodes, whole = place
    steps, tracked = _steps(items, address, nodes, inside_whole=whole is not None)
    if not tracked and whole is None:
        whole = address
    for index, step in enumerate(steps):
        at = index_of(state, step)
        found = MISSING if at is None else state[at]
        below = descend(nodes, step) if tracked else ()
        _collect(items[index], found, _Place((*address, step), (*path, index), below, whole), into)


def _steps(items: list[Any], address: Address, nodes: Nodes, *, inside_whole: bool) -> tuple[list[Step], bool]:
    """The step to each item, and whether the API server tracks the items one by one."""
    last = address[-1]
    shape = list_shape(last if isinstance(last, str) else "", nodes, items, inside_whole=inside_whole)
    if isinstance(shape, SetList):
        return [ItemValue(item) for item in items], True
    keys: dict[ItemKey, int] | None = by_merge_key(items, shape.keys) if isinstance(shape, MapList) else None
    if keys is not None:
        return list(keys), True
    name = natural_name(items)
    return [index_step(items, index, name) for index in range(len(items))], False
