"""How a list is compared: by merge keys, as a set, or as one thing.

What the API server tracks (managedFields) says so for every list that somebody owns. Lists that only defaults made
have no owner; for those the merge keys of the core kinds are known here (Kubernetes 1.36, `+listMapKey` and
`patchMergeKey` in k8s.io/api).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.plan.addresses import NATURAL_NAMES, ItemIndex, ItemKey, item_key
from controlplane.plan.field_ownership import Nodes, is_set, is_whole, merge_keys

CORE_MERGE_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "imagePullSecrets": ("name",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "resourceClaims": ("name",),
    "schedulingGates": ("name",),
    "ownerReferences": ("uid",),
    "conditions": ("type",),
}
_SETS = frozenset({"finalizers"})


@dataclass(frozen=True, slots=True)
class MapList:
    """Items are told apart by these fields; their order means nothing to the API server."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetList:
    """Values, each at most once, in no order."""


@dataclass(frozen=True, slots=True)
class AtomicList:
    """Owned, written and compared as a whole, order included."""


ListShape = MapList | SetList | AtomicList
ATOMIC = AtomicList()


def list_shape(name: str, nodes: Nodes, items: Sequence[Any], *, inside_whole: bool) -> ListShape:
    """The shape of the list in field `name`. `nodes` are all managers' nodes there, `items` those of both sides."""
    if inside_whole:
        return ATOMIC
    keys = merge_keys(nodes)
    if keys is not None:
        return MapList(keys)
    if is_set(nodes) and _scalars(items):
        return SetList()
    return ATOMIC if is_whole(nodes) else known_shape(name, items)


def known_shape(name: str, items: Sequence[Any]) -> ListShape:
    """The shape of a list that no manager tracks, by its field's name in the core kinds."""
    if name in _SETS and _scalars(items):
        return SetList()
    keys = _port_keys(items) if name == "ports" else CORE_MERGE_KEYS.get(name)
    return ATOMIC if keys is None else MapList(keys)


def _scalars(items: Sequence[Any]) -> bool:
    return not any(isinstance(item, dict | list) for item in items)


def _port_keys(items: Sequence[Any]) -> tuple[str, ...] | None:
    """Container ports and Service ports have the same name and different keys."""
    for key in ("containerPort", "port"):
        if items and all(isinstance(item, dict) and key in item for item in items):
            return (key, "protocol")
    return None


def by_merge_key(items: Sequence[Any], keys: Sequence[str]) -> dict[ItemKey, int] | None:
    """The index of each item by its merge keys; None when some have none or share theirs."""
    found: dict[ItemKey, int] = {}
    for index, item in enumerate(items):
        key = item_key(item, keys)
        if key is None or not _hashable(key) or key in found:
            return None
        found[key] = index
    return found


def _hashable(key: ItemKey) -> bool:
    return all(not isinstance(value, dict | list) for _, value in key.keys)


def natural_name(items: Sequence[Any]) -> str | None:
    """The field by which a reader tells the items of an atomic list apart, when there is one."""
    for key in NATURAL_NAMES:
        names = [item.get(key) if isinstance(item, dict) else None for item in items]
        if names and all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return key
    return None


def index_step(items: Sequence[Any], index: int, name: str | None) -> ItemIndex:
    """The step to an item of an atomic list, named where `name` is the field that names items."""
    return ItemIndex(index, (name, items[index][name]) if name is not None else None)
