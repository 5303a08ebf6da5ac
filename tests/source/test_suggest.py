from __future__ import annotations

import pytest

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
