"""What releases between those that were read are said to have."""

from __future__ import annotations

import pytest

from controlplane.stack.histories import History

ENTRIES = {
    "always": {"in": [["1.0.0", None]], "says": [["1.0.0", {"kind": "int"}], ["1.2.0", {"kind": "str"}]]},
    "gone": {"in": [["1.0.0", "1.2.0"]], "replacement": "always", "source": "a test"},
    "new": {"in": [["1.2.0", None]]},
    "twice": {"in": [["1.0.0", "1.0.5"], ["1.2.0", "2.0.0"]]},
}
HISTORY = History(("1.0.0", "1.0.5", "1.2.0", "2.0.0"), ENTRIES)


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("always", "1.0.0", True),
        ("new", "1.0.5", False),
        ("new", "v1.2.0-cu129", True),
        ("gone", "1.0.3", True),  # between two that agree
        ("twice", "1.0.3", None),  # between two that do not
        ("new", "1.1.0", None),  # of a minor release that nobody read
        ("always", "2.0.9", True),  # after the last of its minor
        ("always", "2.1.0", None),
        ("always", "0.9.0", None),
        ("always", "latest", None),
    ],
)
def test_release_is_answered_by_itself_or_by_neighbours_that_agree(
    name: str, version: str, expected: bool | None
) -> None:
    assert HISTORY.has(name, version) is expected


def test_names_that_a_release_may_have_are_those_of_both_neighbours() -> None:
    assert HISTORY.possible("1.0.3") == {"always", "gone", "twice"}
    assert HISTORY.possible("3.0.0") is None


def test_facts_are_those_of_the_release_or_of_neighbours_that_agree() -> None:
    assert HISTORY.facts("always", "1.0.5") == {"kind": "int"}
    assert HISTORY.facts("always", "1.2.0") == {"kind": "str"}
    assert HISTORY.facts("always", "1.2.5") == {"kind": "str"}
    assert HISTORY.facts("nothing", "1.2.0") == {}


def test_removal_names_the_last_release_with_it_and_the_first_without() -> None:
    removal = HISTORY.removal("gone", "2.0.0")
    assert removal is not None
    assert (removal.last_in, removal.gone_in, removal.replacement, removal.source) == (
        "1.0.5",
        "1.2.0",
        "always",
        "a test",
    )
    assert HISTORY.removal("gone", "1.0.5") is None
    assert HISTORY.removal("new", "1.0.0") is None
    assert HISTORY.removal("nothing", "2.0.0") is None


def test_name_that_came_back_is_gone_only_in_between_and_at_the_end() -> None:
    assert HISTORY.removal("twice", "1.0.5") is not None
    assert HISTORY.removal("twice", "1.2.0") is None
    last = HISTORY.removal("twice", "2.0.0")
    assert last is not None
    assert last.gone_in == "2.0.0"


def test_a_later_release_than_any_read_still_lacks_what_is_gone() -> None:
    assert HISTORY.removal("gone", "9.0.0") is not None
