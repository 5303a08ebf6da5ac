"""The known word that an unknown one probably means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_MAX_LENGTH: Final = 100
"""Words longer than this are no misspelling; the distance's cost grows with the square of the length."""


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to `word`, or None where none is near.

    The same letters in another case or with other separators come first (`gpu_count` for `gpuCount`), then the
    fewest edits, at most a third of the word's length. Ties go to the alphabetically first.
    """
    known = sorted(set(candidates) - {word})
    folded = _fold(word)
    for candidate in known:
        if folded and _fold(candidate) == folded:
            return candidate
    if not folded or len(word) > _MAX_LENGTH:
        return None
    allowed = min(max(1, len(folded) // 3), len(folded) - 1)
    scored = [(edit_distance(folded, _fold(c), allowed), c) for c in known if len(c) <= _MAX_LENGTH]
    near = [(distance, candidate) for distance, candidate in scored if distance <= allowed]
    return min(near)[1] if near else None


def edit_distance(one: str, other: str, limit: int) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours between two words; above `limit`, just more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    previous = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, target in enumerate(other, start=1):
            cost = previous[column - 1] + (letter != target)
            best = min(previous[column] + 1, current[-1] + 1, cost)
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == target:
                best = min(best, before[column - 2] + 1)
            current.append(best)
        if min(*current, *previous) > limit:
            return limit + 1
        before, previous = previous, current
    return previous[-1]


def _fold(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")
