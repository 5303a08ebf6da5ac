"""Whether placement groups fit on Ray nodes: certain answers only.

A bundle lies on one Ray node. PACK and SPREAD are wishes, so any packing of the bundles will do; STRICT_PACK puts a
group's bundles on one node together, STRICT_SPREAD each on a node of its own (Ray 2.60,
`raylet/scheduling/policy/bundle_scheduling_policy.cc`). An actor counts like a group of one bundle.

The answer for few bundles is exact. Where a search would take too long the answer is UNDECIDED, never a guess.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.frozen import frozen
from controlplane.placement.amounts import Amounts

RAY_UNIT: Final = 10_000
"""Ray counts every resource in whole ten-thousandths (2.60, `common/scheduling/fixed_point.h`)."""

_EFFORT: Final = 2_000
"""Placements tried before a search is given up: a quarter of a second for 60 bundles of as many sizes."""

_LARGEST_SEARCH: Final = 200
"""Bundles beyond which only the simple bounds are looked at."""


class Strategy(enum.StrEnum):
    """How the bundles of one placement group may lie to each other."""

    PACK = "PACK"
    SPREAD = "SPREAD"
    STRICT_PACK = "STRICT_PACK"
    STRICT_SPREAD = "STRICT_SPREAD"


class Answer(enum.Enum):
    """Whether there is a packing."""

    FITS = "fits"
    IMPOSSIBLE = "impossible"
    UNDECIDED = "undecided"


@frozen
class RayNodes:
    """Ray nodes that are alike, with what one has, in ten-thousandths. `count` None is as many as are wanted.

    Of the resources in `unlimited` it is not known how much they have: any amount is taken to fit.
    """

    name: str
    amounts: Amounts
    count: int | None = 1
    unlimited: frozenset[str] = frozenset()

    def holds(self, bundle: Amounts) -> bool:
        """Whether an empty node of these takes the bundle."""
        return all(self.amounts.get(name, 0) >= amount for name, amount in self.limited(bundle))

    def limited(self, bundle: Amounts) -> Iterable[tuple[str, int]]:
        """What the bundle asks for of the resources that these nodes have a known amount of."""
        return ((name, amount) for name, amount in bundle.items() if amount > 0 and name not in self.unlimited)


@frozen
class Gang:
    """Bundles that are placed together or not at all: one placement group, in ten-thousandths."""

    bundles: tuple[Amounts, ...]
    strategy: Strategy = Strategy.PACK
    name: str = ""


def ray_amounts(resources: Mapping[str, float]) -> Amounts:
    """Ray's amounts of resources as ten-thousandths."""
    return {name: round(amount * RAY_UNIT) for name, amount in resources.items()}


def together(bundles: Iterable[Amounts]) -> Amounts:
    """The bundles as one, as STRICT_PACK needs them on a node."""
    total: dict[str, int] = {}
    for bundle in bundles:
        for name, amount in bundle.items():
            total[name] = total.get(name, 0) + amount
    return total


def hold(gangs: Sequence[Gang], nodes: Sequence[RayNodes], effort: int = _EFFORT) -> Answer:
    """Whether all the gangs fit on empty nodes at the same time."""
    items = _items(gangs)
    if any(_beyond(gang, nodes) for gang in gangs) or _too_many(items, nodes):
        return Answer.IMPOSSIBLE
    if len(items) > _LARGEST_SEARCH:
        return Answer.UNDECIDED
    return _Search(items, nodes, effort).answer()


@frozen
class _Item:
    """What goes to one node. Items with the same `apart` must not share one."""

    amounts: tuple[tuple[str, int], ...]
    apart: int | None = None

    @property
    def bundle(self) -> Amounts:
        return dict(self.amounts)


def _items(gangs: Sequence[Gang]) -> list[_Item]:
    items = []
    for index, gang in enumerate(gangs):
        apart = index if gang.strategy is Strategy.STRICT_SPREAD else None
        bundles = [together(gang.bundles)] if gang.strategy is Strategy.STRICT_PACK else gang.bundles
        items += [_Item(tuple(sorted(bundle.items())), apart) for bundle in bundles]
    return items


def _beyond(gang: Gang, nodes: Sequence[RayNodes]) -> bool:
    """Whether a STRICT_SPREAD gang has more bundles than there are nodes that take any of them."""
    if gang.strategy is not Strategy.STRICT_SPREAD:
        return False
    able = [kind.count for kind in nodes if any(kind.holds(bundle) for bundle in gang.bundles)]
    return None not in able and sum(count for count in able if count) < len(gang.bundles)


def _too_many(items: Sequence[_Item], nodes: Sequence[RayNodes]) -> bool:
    return any(_exceeds(items, nodes, name) for name in _resources(items)) or any(
        not _room(item, amount, nodes) for item, amount in _numbers(items).items()
    )


def _resources(items: Iterable[_Item]) -> set[str]:
    return {name for item in items for name, amount in item.amounts if amount > 0}


def _numbers(items: Iterable[_Item]) -> dict[_Item, int]:
    numbers: dict[_Item, int] = {}
    for item in items:
        numbers[item] = numbers.get(item, 0) + 1
    return numbers


def _exceeds(items: Sequence[_Item], nodes: Sequence[RayNodes], name: str) -> bool:
    """Whether the items ask for more of one resource than all nodes have of it."""
    total = 0
    for kind in nodes:
        if name in kind.unlimited:
            return False
        amount = kind.amounts.get(name, 0)
        if kind.count is None and amount > 0:
            return False
        total += (kind.count or 0) * amount
    return sum(item.bundle.get(name, 0) for item in items) > total


def _room(item: _Item, wanted: int, nodes: Sequence[RayNodes]) -> bool:
    """Whether that many of the item find room when nothing else is there."""
    found = 0
    for kind in nodes:
        if kind.count == 0 or not kind.holds(item.bundle):
            continue
        on_one = _on_one(item, kind)
        if kind.count is None or on_one is None:
            return True
        found += kind.count * on_one
    return found >= wanted


def _on_one(item: _Item, kind: RayNodes) -> int | None:
    """How many of the item one node takes; None for any number."""
    if item.apart is not None:
        return 1
    return min((kind.amounts.get(name, 0) // amount for name, amount in kind.limited(item.bundle)), default=None)


_Free = tuple[tuple[str, int], ...]
_Bin = tuple[int, _Free, frozenset[int]]
"""A node in use: which kind, what is free, and which gangs must not come again."""


@dataclass(slots=True)
class _Search:
    """Tries the packings, largest items first, nodes that are alike only once."""

    items: list[_Item]
    nodes: Sequence[RayNodes]
    effort: int
    failed: set[tuple[int, tuple[_Bin, ...]]] = field(default_factory=set)

    def answer(self) -> Answer:
        self.items = sorted(self.items, key=self._size, reverse=True)
        if self._place(0, ()):
            return Answer.FITS
        return Answer.UNDECIDED if self.effort <= 0 else Answer.IMPOSSIBLE

    def _size(self, item: _Item) -> tuple[float, _Free, int]:
        largest = {name: max((k.amounts.get(name, 0) for k in self.nodes), default=0) for name, _ in item.amounts}
        shares = (amount / largest[name] for name, amount in item.amounts if largest[name])
        return (max(shares, default=0.0), item.amounts, -1 if item.apart is None else item.apart)

    def _place(self, index: int, used: tuple[_Bin, ...]) -> bool:
        if index == len(self.items):
            return True
        state = (index, used)
        if self.effort <= 0 or state in self.failed:
            return False
        self.effort -= 1
        for number, bin_ in self._candidates(used):
            filled = self._filled(bin_, self.items[index])
            if filled is None:
                continue
            others = used if number is None else (*used[:number], *used[number + 1 :])
            if self._place(index + 1, tuple(sorted((*others, filled), key=_order))):
                return True
        self.failed.add(state)
        return False

    def _candidates(self, used: tuple[_Bin, ...]) -> Iterable[tuple[int | None, _Bin]]:
        """Nodes in use, then an empty one of each kind that is left; of nodes alike only one."""
        seen: set[_Bin] = set()
        for number, bin_ in enumerate(used):
            if bin_ not in seen:
                seen.add(bin_)
                yield number, bin_
        for index, kind in enumerate(self.nodes):
            taken = sum(bin_[0] == index for bin_ in used)
            if kind.count is None or taken < kind.count:
                yield None, (index, tuple(sorted(kind.amounts.items())), frozenset())

    def _filled(self, bin_: _Bin, item: _Item) -> _Bin | None:
        """The node with the item on it, None where it does not fit."""
        index, free, apart = bin_
        if item.apart in apart:
            return None
        left = dict(free)
        for name, amount in self.nodes[index].limited(item.bundle):
            left[name] = left.get(name, 0) - amount
            if left[name] < 0:
                return None
        taken = apart if item.apart is None else apart | {item.apart}
        return (index, tuple(sorted(left.items())), taken)


def _order(bin_: _Bin) -> tuple[int, _Free, list[int]]:
    return (bin_[0], bin_[1], sorted(bin_[2]))
