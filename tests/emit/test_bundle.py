from __future__ import annotations

from dataclasses import replace

from controlplane.emit import emit
from controlplane.emit.bundle import Bundle, Sourced, lower
from controlplane.stack.facts import Derived
from tests.emit import example

HERE, THERE = Derived("here"), Derived("there")


def test_lowering_separates_values_from_their_origins() -> None:
    tree = {"a": Sourced([1, {"b": Sourced(2, THERE)}], HERE), "c": 3}
    value, provenance = lower(tree, Derived("default"))
    assert value == {"a": [1, {"b": 2}], "c": 3}
    assert provenance == {("a", 0): HERE, ("a", 1, "b"): THERE, ("c",): Derived("default")}


def test_what_is_left_out_takes_its_surroundings_along_when_they_hold_nothing_else() -> None:
    tree = {"a": None, "b": {"c": None, "d": Sourced({"e": None}, HERE)}, "f": {"g": 1, "h": None}}
    assert lower(tree, HERE)[0] == {"f": {"g": 1}}


def test_what_is_written_empty_stays_and_has_an_origin() -> None:
    assert lower({"a": Sourced({}, THERE), "b": []}, HERE) == ({"a": {}, "b": []}, {("a",): THERE, ("b",): HERE})


def test_origin_of_a_field_is_that_of_its_nearest_parent_that_has_one() -> None:
    made = emit(example.stack()).objects[2]
    assert made.origin_of(("metadata", "name", "deeper")) == example.place(3, "metadata", "name")
    assert made.origin_of(("nowhere",)) is None


def test_the_digest_does_not_depend_on_the_order_of_the_objects() -> None:
    bundle = emit(example.stack())
    assert Bundle(tuple(reversed(bundle.objects))).digest() == bundle.digest()


def test_the_digest_follows_every_value() -> None:
    bundle = emit(example.stack())
    changed = replace(bundle.objects[0], manifest={**bundle.objects[0].manifest, "kind": "Other"})
    assert Bundle((changed, *bundle.objects[1:])).digest() != bundle.digest()
