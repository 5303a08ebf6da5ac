"""A frozen class against what `dataclasses` makes of the same lines."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pytest

from controlplane.frozen import frozen

T = TypeVar("T")


@frozen
class Ours(Generic[T]):
    """Ours."""

    value: T
    names: tuple[str, ...] = ()
    place: str = field(default="here", compare=False)
    labels: dict[str, str] = field(default_factory=dict)
    secret: str = field(default="", repr=False)

    @property
    def first(self) -> str:
        """The first name."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Theirs(Generic[T]):
    """Theirs."""

    value: T
    names: tuple[str, ...] = ()
    place: str = field(default="here", compare=False)
    labels: dict[str, str] = field(default_factory=dict)
    secret: str = field(default="", repr=False)


@frozen(order=True)
class Place:
    """A place in the order of files."""

    file: str
    line: int


@frozen
class Nothing:
    """No fields."""


@pytest.mark.parametrize(
    ("positional", "named"),
    [((1,), {}), ((1, ("a",)), {}), ((), {"value": 2, "labels": {"a": "b"}}), ((None,), {"place": "there"})],
)
def test_an_instance_has_the_same_fields_and_the_same_words(
    positional: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, theirs = Ours(*positional, **named), Theirs(*positional, **named)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")


@pytest.mark.parametrize("named", [{}, {"value": 1, "nothing": 2}])
def test_wrong_arguments_are_refused(named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Ours(**named)


def test_fields_cannot_be_set_added_or_deleted() -> None:
    place = Place("a", 1)
    for change in (
        lambda: setattr(place, "line", 2),
        lambda: setattr(place, "new", 2),
        lambda: delattr(place, "line"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert place.line == 1
    assert not hasattr(place, "__dict__")


def test_equality_and_hash_leave_out_what_is_not_compared() -> None:
    assert Ours(1, place="a") == Ours(1, place="b")
    assert Ours(1) != Ours(2)
    assert Ours(1) != Theirs(1)
    assert Place("a", 1) != ("a", 1)
    assert {Place("a", 1), Place("a", 1)} == {Place("a", 1)}
    assert hash(Nothing()) == hash(Nothing())
    with pytest.raises(TypeError, match="unhashable"):
        hash(Ours(1))


def test_instances_sort_by_their_fields_in_order() -> None:
    places = [Place("b", 1), Place("a", 2), Place("a", 1)]
    assert sorted(places) == [Place("a", 1), Place("a", 2), Place("b", 1)]
    assert Place("a", 2) > Place("a", 1) >= Place("a", 1) <= Place("a", 1) < Place("a", 2)
    with pytest.raises(TypeError):
        assert Place("a", 1) < Nothing()


def test_a_default_factory_is_asked_for_every_instance() -> None:
    assert Ours(1).labels is not Ours(1).labels


def test_copies_and_pickles_are_equal_and_frozen() -> None:
    place = Place("a", 1)
    for again in (pickle.loads(pickle.dumps(place)), copy.copy(place), copy.deepcopy(place)):  # noqa: S301
        assert again == place
        assert type(again) is Place
        with pytest.raises(dataclasses.FrozenInstanceError):
            again.line = 2


def test_the_functions_of_dataclasses_take_it() -> None:
    ours = dataclasses.replace(Ours(1, ("a",)), value=2)
    assert (ours.value, ours.first) == (2, "a")
    described = [(f.name, f.compare, f.repr, f.type) for f in dataclasses.fields(Ours)]
    assert described == [(f.name, f.compare, f.repr, f.type) for f in dataclasses.fields(Theirs)]
    match ours:
        case Ours(value, names):
            assert (value, names) == (2, ("a",))


def test_a_class_that_is_more_than_its_fields_is_refused() -> None:
    with pytest.raises(TypeError, match="use dataclasses"):

        @frozen
        class Checked:
            value: int

            def __post_init__(self) -> None:
                raise AssertionError
