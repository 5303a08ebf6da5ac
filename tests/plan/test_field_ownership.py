"""managedFields of real objects, read as who owns what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.plan.addresses import ItemIndex, ItemKey, ItemValue, label
from controlplane.plan.field_ownership import leaves, manager_entries, owned, owners_of

_TRIPLES = Path(__file__).parent / "triples"
_SERVER = ("spec", "template", "spec", "containers", ItemKey((("name", "vllm"),)))
_POD = ("spec", "template", "spec")


def live(name: str) -> Any:
    return json.loads((_TRIPLES / f"{name}.json").read_text())["live"]


def test_a_field_of_a_list_item_is_found_by_its_merge_key() -> None:
    entries = manager_entries(live("deployment-as-applied"))
    assert owners_of(entries, (*_SERVER, "image")) == ("controlplane",)
    assert owners_of(entries, (*_SERVER, "terminationMessagePath")) == ()
    assert owners_of(entries, ("spec", "template", "spec", "containers", ItemKey((("name", "no"),)), "image")) == ()


def test_ports_have_two_merge_keys() -> None:
    entries = manager_entries(live("deployment-as-applied"))
    assert owned(entries, (*_SERVER, "ports", ItemKey((("containerPort", 8000), ("protocol", "TCP"))), "name"))
    assert not owned(entries, (*_SERVER, "ports", ItemKey((("containerPort", 8000), ("protocol", "UDP"))), "name"))


def test_what_is_inside_an_atomic_list_or_map_belongs_to_its_owner() -> None:
    entries = manager_entries(live("deployment-as-applied"))
    assert owned(entries, (*_POD, "tolerations", ItemIndex(0), "key"))
    assert owned(entries, (*_SERVER, "args", ItemIndex(4)))
    assert owned(entries, ("spec", "selector", "matchLabels", "app.kubernetes.io/name"))


def test_an_edit_by_another_takes_the_field_from_us() -> None:
    entries = manager_entries(live("deployment-image-edited"))
    assert owners_of(entries, (*_SERVER, "image")) == ("kubectl-edit",)
    assert not owned(entries, (*_SERVER, "image"))


def test_what_others_put_into_an_empty_map_of_ours_is_theirs() -> None:
    entries = manager_entries(live("deployment-empty-dir-filled-by-another"))
    scratch = (*_POD, "volumes", ItemKey((("name", "scratch"),)), "emptyDir")
    assert owned(entries, scratch)
    assert not owned(entries, (*scratch, "sizeLimit"))
    assert owners_of(entries, (*scratch, "sizeLimit")) == ("a-team", "controlplane")


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"manager": "controlplane", "operation": "Apply"}, True),
        ({"manager": "controlplane", "operation": "Update"}, False),
        ({"manager": "controlplane", "operation": "Apply", "subresource": "scale"}, False),
        ({"manager": "kubectl", "operation": "Apply"}, False),
    ],
)
def test_ours_is_what_we_applied_to_the_object_itself(entry: dict[str, Any], ours: bool) -> None:
    fields = {"f:spec": {"f:replicas": {}}}
    entries = manager_entries({"metadata": {"managedFields": [{**entry, "fieldsV1": fields}]}})
    assert owned(entries, ("spec", "replicas")) is ours


def test_what_is_written_through_status_is_left_out() -> None:
    raw = {"manager": "c", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}}
    assert manager_entries({"metadata": {"managedFields": [raw]}}) == ()
    assert manager_entries(None) == ()
    assert manager_entries({"metadata": None}) == ()


def test_leaves_are_the_fields_that_are_still_there() -> None:
    node = {
        "f:metadata": {"f:finalizers": {".": {}, 'v:"a"': {}, 'v:"gone"': {}}},
        "f:spec": {
            "f:list": {'k:{"name":"x"}': {".": {}, "f:name": {}, "f:gone": {}}, 'k:{"name":"y"}': {"f:name": {}}},
            "f:old": {"i:1": {}, "i:7": {}},
        },
    }
    value = {"metadata": {"finalizers": ["b", "a"]}, "spec": {"list": [{"name": "x"}], "old": [1, 2]}}
    assert [label(found) for found, _ in leaves(node, value)] == [
        "metadata.finalizers[a]",
        "spec.list[name=x].name",
        "spec.old[1]",
    ]


def test_set_members_and_indices_are_steps_too() -> None:
    fields = {"f:finalizers": {'v:"a"': {}}, "f:old": {"i:1": {}}}
    raw = {"manager": "controlplane", "operation": "Apply", "fieldsV1": {"f:metadata": fields}}
    entries = manager_entries({"metadata": {"managedFields": [raw]}})
    assert owned(entries, ("metadata", "finalizers", ItemValue("a")))
    assert not owned(entries, ("metadata", "finalizers", ItemValue("b")))
    assert owned(entries, ("metadata", "old", ItemIndex(1)))
