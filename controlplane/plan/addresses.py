"""Addresses of fields that survive reordering: list items by merge key or value, as the API server counts them.

An `Address` is to an object what a path element list is to Kubernetes' structured merge: `plan.field_ownership`
reads addresses out of managedFields, `plan.differ` finds the same field in the live, the predicted and the wanted
object with one.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from controlplane.diagnostics import KeyPath, render_path


class Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""There is no such field; None would be a value."""


class ItemKey(NamedTuple):
    """The item of a map list with these merge keys, sorted by name."""

    keys: tuple[tuple[str, Any], ...]


class ItemValue(NamedTuple):
    """The member of a set list with this value."""

    value: Any


class ItemIndex(NamedTuple):
    """An item of an atomic list; `name` is what people call it, where its content says so."""

    place: int
    name: tuple[str, str] | None = None


Step = str | ItemKey | ItemValue | ItemIndex
Address = tuple[Step, ...]

NATURAL_NAMES = ("groupName", "name")
"""Fields that tell the items of an atomic list apart for a reader."""


def label(address: Address) -> str:
    """The address as people read it: `spec.containers[name=vllm].ports[containerPort=8000,protocol=TCP]`."""
    return _render(address, strict=False)


@functools.lru_cache(maxsize=1 << 15)
def identity(address: Address) -> str:
    """The address as a key: like `label`, but items of atomic lists keep their index, because there order counts."""
    return _render(address, strict=True)


def _render(address: Address, *, strict: bool) -> str:
    text = ""
    for step in address:
        if isinstance(step, str):
            part = render_path((step,))
            text += part if not text or part.startswith("[") else f".{part}"
        else:
            text += f"[{_item_text(step, strict=strict)}]"
    return text


def _item_text(step: ItemKey | ItemValue | ItemIndex, *, strict: bool) -> str:
    if isinstance(step, ItemKey):
        return ",".join(f"{name}={_plain(value)}" for name, value in step.keys)
    if isinstance(step, ItemValue):
        return _plain(step.value)
    if strict or step.name is None:
        return str(step.place)
    return f"{step.name[0]}={_plain(step.name[1])}"


def _plain(value: Any) -> str:
    if isinstance(value, str) and value and not set(value) & set('[]=,"'):
        return value
    return json.dumps(value, ensure_ascii=False)


_DEFAULT_KEYS = {"protocol": "TCP"}
"""The one merge key of the core kinds that may be left out (ports of containers and Services)."""


def item_key(item: Any, names: Sequence[str]) -> ItemKey | None:
    """The merge keys of one item; None when it has none of them and cannot be told apart."""
    if not isinstance(item, dict) or not any(name in item for name in names):
        return None
    return ItemKey(tuple((name, item.get(name, _DEFAULT_KEYS.get(name))) for name in sorted(names)))


def locate(document: Any, address: Address) -> tuple[KeyPath, Any] | None:
    """The plain path and the value of a field in `document`, or None where there is no such field."""
    path: list[str | int] = []
    node = document
    for step in address:
        index = index_of(node, step)
        if index is None:
            return None
        path.append(index)
        node = node[index]
    return tuple(path), node


def value_at(document: Any, address: Address) -> Any:
    """The value of a field in `document`, or MISSING."""
    found = locate(document, address)
    return MISSING if found is None else found[1]


def index_of(node: Any, step: Step) -> str | int | None:
    """Where a step leads in `node`: a key, an index, or None when there is no such field or item."""
    if isinstance(step, str):
        return step if isinstance(node, dict) and step in node else None
    if not isinstance(node, list):
        return None
    if isinstance(step, ItemKey):
        return _keyed_index(node, step)
    if isinstance(step, ItemValue):
        return next((i for i, item in enumerate(node) if item == step.value), None)
    if step.name is not None:
        key, value = step.name
        return next((i for i, item in enumerate(node) if isinstance(item, dict) and item.get(key) == value), None)
    return step.place if step.place < len(node) else None


def _keyed_index(items: Sequence[Any], step: ItemKey) -> int | None:
    """Exact matches first; then items that leave out a key the API server fills in, such as a port's protocol."""
    lax: int | None = None
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        if all(item.get(name) == value for name, value in step.keys):
            return index
        if lax is None and any(name in item for name, _ in step.keys) and _agrees(item, step):
            lax = index
    return lax


def _agrees(item: Mapping[str, Any], step: ItemKey) -> bool:
    return all(value is None or item.get(name, value) == value for name, value in step.keys)
