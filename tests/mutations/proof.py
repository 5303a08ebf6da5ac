"""Breaks one link at a time, many times over, and counts what lint says: `python -m tests.mutations.proof [SEEDS]`.

Caught means that a right rule stands on a right line; misplaced, that a right rule stands elsewhere; missed, that no
right rule was found; false, that a rule was found which has nothing to do with the link.
"""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from controlplane.rules import catalogue
from tests.mutations.links.chain import LINKS
from tests.mutations.links.link import Link, Values
from tests.mutations.slots import rendered, template
from tests.mutations.verdicts import said

SEEDS = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What lint said of one mutation. `false` are rules beside the point."""

    link: Link
    seed: int
    values: tuple[tuple[str, object], ...]
    verdict: Literal["caught", "misplaced", "missed"]
    false: tuple[str, ...]
    found: tuple[str, ...]


def mutations(link: Link, seeds: int) -> Iterator[Outcome]:
    """Break a link with every seed; what an earlier seed drew already is left out."""
    seen: set[tuple[tuple[str, object], ...]] = set()
    for seed in range(seeds):
        values = _drawn(link, seed)
        if tuple(values.items()) not in seen:
            seen.add(tuple(values.items()))
            yield _judged(link, seed, values)


def _drawn(link: Link, seed: int) -> Values:
    return link.draw(Random(zlib.crc32(f"{link.base}/{link.name}/{seed}".encode())))  # noqa: S311 - no secret


def _judged(link: Link, seed: int, values: Values) -> Outcome:
    made = rendered(template(link.base), values)
    found = said(made.text)
    allowed = frozenset().union(*(made.lines[slot] for slot in link.slots))
    right = [f for f in found if f.rule in link.rules]
    caught = any(f.span.line in allowed for f in right)
    false = sorted({f.rule for f in found} - {*link.rules, *link.also})
    shown = tuple(f"{f.span.line}:{f.span.column} {f.rule}: {f.message}" for f in found)
    return Outcome(link, seed, tuple(values.items()), _verdict(caught, bool(right)), tuple(false), shown)


def _verdict(caught: bool, right: bool) -> Literal["caught", "misplaced", "missed"]:
    return "caught" if caught else "misplaced" if right else "missed"


def outcomes(links: Iterable[Link] = LINKS, seeds: int = SEEDS) -> list[Outcome]:
    """Every link, broken by every seed."""
    return [outcome for link in links for outcome in mutations(link, seeds)]


def table(results: Iterable[Outcome]) -> str:
    """One line a link, and the sums."""
    results = list(results)
    lines = [f"{'link':<62} caught misplaced missed false"]
    for link in dict.fromkeys(r.link for r in results):
        mine = [r for r in results if r.link == link]
        counts = Counter(r.verdict for r in mine)
        name = f"{link.base}: {link.name}"
        false = sum(1 for r in mine if r.false)
        lines.append(f"{name:<62} {counts['caught']:>6} {counts['misplaced']:>9} {counts['missed']:>6} {false:>5}")
    total = Counter(r.verdict for r in results)
    false = sum(1 for r in results if r.false)
    lines.append(f"{len(results)} mutations: {dict(total)}, {false} with a finding beside the point")
    return "\n".join(lines)


if __name__ == "__main__":
    everything = outcomes(seeds=int(sys.argv[1]) if sys.argv[1:] else SEEDS)
    sys.stdout.write(table(everything) + "\n")
    caught = {rule for link in LINKS for rule in link.rules}
    without = [entry.id for entry in catalogue() if entry.id not in caught]
    sys.stdout.write(f"rules without a mutation: {', '.join(without)}\n")
    for result in everything:
        if result.verdict != "caught" or result.false:
            sys.stdout.write(f"\n{result.link.base}: {result.link.name} {dict(result.values)}: {result.verdict}\n")
            sys.stdout.writelines(f"  {line}\n" for line in result.found)
