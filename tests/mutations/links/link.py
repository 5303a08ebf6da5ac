"""One link of the chain, and how it is broken: what a mutation changes, and what lint has to say where.

A link is broken by a value drawn at random among those that certainly break it. `rules` are the ids of which at least
one has to be found, `slots` those whose line a finding may stand on (both ends of the link where both are right).
`also` are rules that are true of the broken manifest besides: what follows from the mutation. Any other is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random

Values = Mapping[str, object]
Draw = Callable[[Random], Values]
Row = tuple[str, str, str, Draw] | tuple[str, str, str, Draw, str]
Rows = list[Row]
"""The rows of a manifest: name of the link, rules, slots, values, and rules that are true besides."""


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a good manifest. `draw` gives the slots to change."""

    base: str
    name: str
    rules: tuple[str, ...]
    slots: tuple[str, ...]
    draw: Draw
    also: tuple[str, ...] = ()


def links(base: str, rows: Iterable[Row]) -> list[Link]:
    """The links of one good manifest."""
    return [_link(base, *row) for row in rows]


def _link(base: str, name: str, rules: str, slots: str, draw: Draw, also: str = "") -> Link:
    return Link(base, name, tuple(rules.split()), tuple(slots.split()), draw, tuple(also.split()))


def one(slot: str, *values: object) -> Draw:
    """One slot, with one of some values."""
    return lambda random: {slot: random.choice(values)}


def alike(slots: str, *values: object) -> Draw:
    """Several slots, all with the same one of some values."""
    return lambda random: dict.fromkeys(slots.split(), random.choice(values))


def beside(draw: Draw, **fixed: object) -> Draw:
    """A draw, and slots that always change with it."""
    return lambda random: {**draw(random), **fixed}
