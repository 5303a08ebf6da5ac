from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.source import nearest
from controlplane.source.suggest import edit_distance

KEYS = ["replicas", "gpuCount", "maxModelLen", "image", "storage-class", "tensorParallel"]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("replica", "replicas"),
        ("repilcas", "replicas"),
        ("gpu_count", "gpuCount"),
        ("GPU-COUNT", "gpuCount"),
        ("max_model_len", "maxModelLen"),
        ("maxModelLength", "maxModelLen"),
        ("storageClass", "storage-class"),
        ("imgae", "image"),
        ("tensorParalel", "tensorParallel"),
    ],
)
def test_misspelt_word_gets_the_known_one(word: str, near: str) -> None:
    assert nearest(word, KEYS) == near


@pytest.mark.parametrize("word", ["nothing", "", "-", "x" * 5_000, "\u4e2d\u6587"])
def test_word_that_is_near_to_nothing_gets_none(word: str) -> None:
    assert nearest(word, KEYS) is None


def test_other_case_comes_before_fewer_edits() -> None:
    assert nearest("maxLen", ["max_len", "maxLens"]) == "max_len"


def test_tie_goes_to_the_alphabetically_first_whatever_the_order() -> None:
    assert nearest("cat", ["hat", "bat"]) == nearest("cat", ["bat", "hat"]) == "bat"


def test_word_itself_is_no_suggestion() -> None:
    assert nearest("image", ["image", "images"]) == "images"


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("ab", "ab", 0), ("ab", "ba", 1), ("abc", "ac", 1), ("kitten", "sitting", 3), ("", "ab", 2)],
)
def test_distance_counts_edits_and_swaps(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other, 10) == edit_distance(other, one, 10) == distance


@given(st.text("ab_-C", max_size=9), st.lists(st.text("abc_-", max_size=9), max_size=6))
def test_nearest_is_what_comparing_with_every_candidate_finds(word: str, candidates: list[str]) -> None:
    """What is left out for its length or letters is never the nearest."""

    def fold(text: str) -> str:
        return text.casefold().replace("_", "").replace("-", "")

    others = sorted({candidate for candidate in candidates if candidate != word})
    same = [candidate for candidate in others if fold(word) and fold(candidate) == fold(word)]
    allowed = min(max(1, len(fold(word)) // 3), len(fold(word)) - 1)
    scored = [(edit_distance(fold(word), fold(candidate), 20), candidate) for candidate in others]
    near = [entry for entry in scored if fold(word) and entry[0] <= allowed]
    expected = same[0] if same else min(near)[1] if near else None
    assert nearest(word, candidates) == expected
