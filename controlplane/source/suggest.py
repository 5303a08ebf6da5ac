"""The known word that an unknown one probably means."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from controlplane.frozen import frozen

_MAX_LENGTH: Final = 100
"""Words longer than this are no misspelling; the distance's cost grows with the square of the length."""


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to `word`, or None where none is near.

    The same letters in another case or with other separators come first (`gpu_count` for `gpuCount`), then the
    fewest edits, at most a third of the word's length. Ties go to the alphabetically first.
    """
    known = _known(frozenset(candidates))
    folded = _fold(word)
    for entry in known:
        if folded and entry.folded == folded and entry.word != word:
            return entry.word
    if not folded or len(word) > _MAX_LENGTH:
        return None
    letters = _letters(folded)
    limit = min(max(1, len(folded) // 3), len(folded) - 1)
    best = None
    for entry in known:
        if not -limit <= entry.length - len(folded) <= limit:
            continue
        if _apart(letters, entry.letters) <= limit and entry.word != word:
            distance = edit_distance(folded, entry.folded, limit)
            if distance <= limit:
                # What is no nearer than this is not worth its exact distance.
                best, limit = entry.word, distance - 1
    return best


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


@frozen
class _Known:
    """A candidate as it is compared."""

    word: str
    folded: str
    length: int
    letters: int


@lru_cache(maxsize=256)
def _known(candidates: frozenset[str]) -> tuple[_Known, ...]:
    """Candidates in their order; the same vocabulary is asked for every misspelt word of a file."""
    ordered = ((word, _fold(word)) for word in sorted(candidates))
    return tuple(_Known(word, folded, len(folded), _letters(folded)) for word, folded in ordered)


def _apart(letters: int, others: int) -> int:
    """Edits that two words need at least, by which letters only one of them has."""
    return max((letters & ~others).bit_count(), (others & ~letters).bit_count())


def _letters(word: str) -> int:
    """The letters of a word as bits: the first `a`, the second `a`, ... have each a bit of their own, up to eight."""
    bits = 0
    for letter in set(word):
        # Letters beyond ASCII share bits, which only makes words seem nearer than they are.
        bits |= ((1 << min(word.count(letter), 8)) - 1) << (ord(letter) % 128 * 8)
    return bits


def _fold(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")
