"""Addresses lead to the same field in any state of an object, and read well."""

from __future__ import annotations

from typing import Any

import pytest

from controlplane.plan.addresses import (
    MISSING,
    Address,
    ItemIndex,
    ItemKey,
    ItemValue,
    identity,
    label,
    locate,
    value_at,
)

_OBJECT: dict[str, Any] = {
    "metadata": {"labels": {"a/b": "1", "c": "2"}, "finalizers": ["x", "y"]},
    "spec": {
        "ports": [{"port": 80, "name": "http"}, {"port": 80, "protocol": "UDP"}, {"port": 80, "protocol": "TCP"}],
        "lax": [{"port": 9000, "name": "metrics"}],
        "groups": [{"groupName": "b"}, {"groupName": "a"}],
        "args": ["--x", "1"],
    },
}
_TCP = ItemKey((("port", 80), ("protocol", "TCP")))


@pytest.mark.parametrize(
    ("address", "path", "text"),
    [
        (("metadata", "labels", "a/b"), ("metadata", "labels", "a/b"), 'metadata.labels["a/b"]'),
        (("metadata", "finalizers", ItemValue("y")), ("metadata", "finalizers", 1), "metadata.finalizers[y]"),
        (("spec", "ports", _TCP), ("spec", "ports", 2), "spec.ports[port=80,protocol=TCP]"),
        (
            ("spec", "lax", ItemKey((("port", 9000), ("protocol", "TCP"))), "name"),
            ("spec", "lax", 0, "name"),
            "spec.lax[port=9000,protocol=TCP].name",
        ),
        (("spec", "groups", ItemIndex(0, ("groupName", "a"))), ("spec", "groups", 1), "spec.groups[groupName=a]"),
        (("spec", "args", ItemIndex(1)), ("spec", "args", 1), "spec.args[1]"),
        (("spec", "x", ItemKey((("name", "a]b"),))), None, 'spec.x[name="a]b"]'),
        (("spec", "args", ItemIndex(7)), None, "spec.args[7]"),
        (("spec", "args", "x"), None, "spec.args.x"),
        (("metadata", "labels", ItemIndex(0)), None, "metadata.labels[0]"),
        ((), (), ""),
    ],
)
def test_an_address_leads_to_its_field_and_has_a_label(address: Address, path: Any, text: str) -> None:
    found = locate(_OBJECT, address)
    assert (found and found[0]) == path
    assert label(address) == text
    assert (value_at(_OBJECT, address) is MISSING) is (path is None)


def test_identity_keeps_the_place_in_an_atomic_list() -> None:
    assert identity(("spec", "groups", ItemIndex(0, ("groupName", "a")))) == "spec.groups[0]"
    assert identity(("spec", "ports", _TCP)) == label(("spec", "ports", _TCP))


def test_an_exact_item_is_found_before_one_that_leaves_the_key_out() -> None:
    assert value_at(_OBJECT, ("spec", "ports", _TCP)) == {"port": 80, "protocol": "TCP"}
