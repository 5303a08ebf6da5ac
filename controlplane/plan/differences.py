"""Two states of one object, compared field by field, at the most exact place.

Nothing here knows what is wanted or whose a field is; `plan.differ` decides which differences count. A subtree that
one side lacks is one difference, at the deepest place that still covers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.plan.addresses import MISSING, Address, ItemValue, Step
from controlplane.plan.equality import same_value
from controlplane.plan.field_ownership import Nodes, descend, is_whole
from controlplane.plan.lists import (
    AtomicList,
    MapList,
    SetList,
    by_merge_key,
    index_step,
    list_shape,
    natural_name,
)

BOOKKEEPING = frozenset(
    {
        "managedFields",
        "resourceVersion",
        "generation",
        "uid",
        "creationTimestamp",
        "selfLink",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    }
)
"""Fields of metadata that the API server keeps; they never count as a difference."""

ORDERED_MAP_LISTS = frozenset({"initContainers"})
"""Map lists whose order has an effect: init containers run one after the other."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs; a side without it has MISSING.

    `path` has the list indices of the second side, or of the first where the second lacks the field. `whole` is
    the address of the atomic list or map around the field, which is written and owned as one.
    """

    address: Address
    path: KeyPath
    before: Any
    after: Any
    whole: Address | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    address: Address
    path: KeyPath
    nodes: Nodes
    whole: Address | None

    def step(self, step: Step, index: str | int) -> _Place:
        """One step down, to where `index` is the key or list index there."""
        nodes = () if self.whole is not None else descend(self.nodes, step)
        return _Place((*self.address, step), (*self.path, index), nodes, self.whole)

    def as_whole(self) -> _Place:
        """The same place, with everything below owned as one."""
        return self if self.whole is not None else replace(self, whole=self.address)

    @property
    def name(self) -> str:
        """The name of the field, empty for a list item."""
        last = self.address[-1] if self.address else ""
        return last if isinstance(last, str) else ""


def differences(before: Manifest, after: Manifest, nodes: Nodes) -> Iterator[Difference]:
    """What differs between two states of an object, status and bookkeeping left out, in order of the fields.

    `nodes` are the managedFields trees of both states: they tell which lists have merge keys.
    """
    one, other = _without_bookkeeping(before), _without_bookkeeping(after)
    # Most objects are unchanged. Unlike `==`, the text tells true from 1; another order only costs the comparison.
    if repr(one) != repr(other):
        yield from _of_maps(one, other, _Place((), (), nodes, None))


def _without_bookkeeping(manifest: Manifest) -> Manifest:
    kept = {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind", "status")}
    metadata = kept.get("metadata") or {}
    kept["metadata"] = {key: value for key, value in metadata.items() if key not in BOOKKEEPING}
    return kept


def _of_values(before: Any, after: Any, place: _Place) -> Iterator[Difference]:
    if is_whole(place.nodes) and isinstance(before, dict | list) and isinstance(after, dict | list):
        place = place.as_whole()
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_maps(before, after, place)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, place)
    elif not same_value(place.path, before, after):
        yield Difference(place.address, place.path, before, after, place.whole)


def _of_maps(before: Mapping[str, Any], after: Mapping[str, Any], place: _Place) -> Iterator[Difference]:
    for key in sorted(before.keys() | after.keys()):
        one, other = before.get(key), after.get(key)
        below = place.step(key, key)
        # Null and absent are one: the API server drops nulls of built-in kinds.
        if one is None or other is None:
            if one is not other:
                yield _one_sided(MISSING if one is None else one, MISSING if other is None else other, below)
        else:
            yield from _of_values(one, other, below)


def _of_lists(before: list[Any], after: list[Any], place: _Place) -> Iterator[Difference]:
    shape = list_shape(place.name, place.nodes, [*before, *after], inside_whole=place.whole is not None)
    match shape:
        case MapList(keys):
            yield from _of_map_lists(before, after, keys, place)
        case SetList():
            yield from _of_sets(before, after, place)
        case AtomicList():
            yield from _of_atomic_lists(before, after, place.as_whole())


def _of_map_lists(before: list[Any], after: list[Any], keys: Sequence[str], place: _Place) -> Iterator[Difference]:
    ones, others = by_merge_key(before, keys), by_merge_key(after, keys)
    if ones is None or others is None:
        # Two items with the same keys, or one with none: only their places tell them apart.
        yield from _of_atomic_lists(before, after, place)
        return
    for key in [*others, *(k for k in ones if k not in others)]:
        if key not in ones:
            yield _one_sided(MISSING, after[others[key]], place.step(key, others[key]))
        elif key not in others:
            yield _one_sided(before[ones[key]], MISSING, place.step(key, ones[key]))
        else:
            yield from _of_values(before[ones[key]], after[others[key]], place.step(key, others[key]))
    yield from _of_order([k for k in ones if k in others], [k for k in others if k in ones], place)


def _of_order(ones: Sequence[Any], others: Sequence[Any], place: _Place) -> Iterator[Difference]:
    if place.name in ORDERED_MAP_LISTS and ones != others:
        before, after = ([dict(key.keys).get("name") for key in side] for side in (ones, others))
        yield Difference(place.address, place.path, before, after, place.whole)


def _of_sets(before: list[Any], after: list[Any], place: _Place) -> Iterator[Difference]:
    for index, value in enumerate(after):
        if value not in before:
            yield _one_sided(MISSING, value, place.step(ItemValue(value), index))
    for index, value in enumerate(before):
        if value not in after:
            yield _one_sided(value, MISSING, place.step(ItemValue(value), index))


def _of_atomic_lists(before: list[Any], after: list[Any], place: _Place) -> Iterator[Difference]:
    """Item by item where both sides line up, by place or by name; else the list is one difference."""
    name = natural_name(before) if before else None
    if name is not None and (name == natural_name(after)):
        pairs = _by_name([item[name] for item in before], [item[name] for item in after])
    else:
        name = None
        pairs = _by_place(before, after)
    if pairs is None:
        yield Difference(place.address, place.path, before, after, place.whole)
        return
    for one, other in pairs:
        yield from _of_pair(before, after, (one, other), name, place)


def _of_pair(
    before: list[Any], after: list[Any], pair: tuple[int | None, int | None], name: str | None, place: _Place
) -> Iterator[Difference]:
    one, other = pair
    if one is None and other is not None:
        yield _one_sided(MISSING, after[other], place.step(index_step(after, other, name), other))
    elif other is None and one is not None:
        yield _one_sided(before[one], MISSING, place.step(index_step(before, one, name), one))
    elif one is not None and other is not None:
        yield from _of_values(before[one], after[other], place.step(index_step(after, other, name), other))


def _by_name(ones: list[str], others: list[str]) -> list[tuple[int | None, int | None]] | None:
    """Pairs of indices; None when the items that both have stand in another order, which counts here."""
    if [n for n in ones if n in others] != [n for n in others if n in ones]:
        return None
    kept: list[tuple[int | None, int | None]] = [
        (ones.index(n) if n in ones else None, i) for i, n in enumerate(others)
    ]
    return kept + [(i, None) for i, n in enumerate(ones) if n not in others]


def _by_place(before: list[Any], after: list[Any]) -> list[tuple[int | None, int | None]] | None:
    if len(before) == len(after):
        return [(index, index) for index in range(len(after))]
    shorter, longer = sorted((before, after), key=len)
    if not all(isinstance(item, dict) for item in longer) or longer[: len(shorter)] != shorter:
        return None
    tail = range(len(shorter), len(longer))
    return [(None, i) if longer is after else (i, None) for i in tail]


def _one_sided(before: Any, after: Any, place: _Place) -> Difference:
    """The deepest place that covers all of what one side lacks: its only field, or its only item."""
    value = after if before is MISSING else before
    if isinstance(place.address[-1], str):
        while isinstance(value, dict) and len(value) == 1:
            key, value = next(iter(value.items()))
            place = place.step(key, key)
        if isinstance(value, list) and len(value) == 1:
            place, value = _only_item(value, place)
    return Difference(
        place.address,
        place.path,
        MISSING if before is MISSING else value,
        MISSING if after is MISSING else value,
        place.whole,
    )


def _only_item(items: list[Any], place: _Place) -> tuple[_Place, Any]:
    shape = list_shape(place.name, place.nodes, items, inside_whole=place.whole is not None)
    if isinstance(shape, SetList):
        return place.step(ItemValue(items[0]), 0), items[0]
    found = by_merge_key(items, shape.keys) if isinstance(shape, MapList) else None
    if found is None:
        return place, items
    return place.step(next(iter(found)), 0), items[0]
