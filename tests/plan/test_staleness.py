"""A plan is bound to the fields of ours, and to nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.emit.bundle import Manifest
from controlplane.plan.plan import ref_of
from controlplane.plan.staleness import StaleKind, Staleness, precondition, stale
from tests.plan.realistic import with_value

_TRIPLES = Path(__file__).parent / "triples"


def recorded(name: str) -> tuple[Manifest, Manifest]:
    case: dict[str, Any] = json.loads((_TRIPLES / f"{name}.json").read_text())
    return case["wanted"], case["live"]


def since(before: str, after: str) -> Staleness | None:
    """What is stale when the object was as in one case at the plan, and is as in another now."""
    wanted, live = recorded(before)
    _, now = recorded(after)
    now["metadata"]["uid"] = live["metadata"]["uid"]
    return stale(ref_of(wanted), precondition(wanted, live), wanted, now)


@pytest.mark.parametrize(
    "after",
    [
        "deployment-as-applied",
        "deployment-labelled-by-another",
        "deployment-sidecar-injected",
        "deployment-empty-dir-filled-by-another",
    ],
)
def test_foreign_writes_do_not_make_a_plan_stale(after: str) -> None:
    assert since("deployment-as-applied", after) is None


def test_status_and_versions_do_not_make_a_plan_stale() -> None:
    wanted, live = recorded("deployment-as-applied")
    now = {**with_value(live, ("metadata", "resourceVersion"), "999"), "status": {"replicas": 7}}
    assert stale(ref_of(wanted), precondition(wanted, live), wanted, now) is None


@pytest.mark.parametrize(
    ("after", "label", "manager"),
    [
        ("deployment-image-edited", "spec.template.spec.containers[name=vllm].image", "kubectl-edit"),
        ("deployment-argument-edited", "spec.template.spec.containers[name=vllm].args[4]", "kubectl-edit"),
        ("deployment-toleration-added", "spec.template.spec.tolerations", "kubectl-edit"),
    ],
)
def test_a_changed_field_of_ours_is_named_with_its_manager(after: str, label: str, manager: str) -> None:
    found = since("deployment-as-applied", after)
    assert found is not None
    assert (found.kind, found.label, found.manager) == (StaleKind.FIELD_CHANGED, label, manager)
    assert found.time
    for part in (label, manager, found.time, found.before_digest, found.after_digest or "none"):
        assert part in found.message


def test_a_removed_field_of_ours_is_named() -> None:
    found = since("deployment-as-applied", "deployment-selector-key-removed")
    assert found is not None
    assert found.label.startswith("spec.template.spec.nodeSelector")


def test_an_autoscaled_item_of_an_atomic_list_is_named() -> None:
    found = since("ray-cluster-as-applied", "ray-cluster-replicas-autoscaled")
    assert found is not None
    assert found.label == "spec.workerGroupSpecs[groupName=small].replicas"
    assert found.manager == "ray-autoscaler"


def test_another_spelling_is_no_change() -> None:
    wanted, live = recorded("deployment-as-applied")
    path = ("spec", "template", "spec", "containers", 0, "resources", "requests", "cpu")
    bound = precondition(wanted, live)
    assert stale(ref_of(wanted), bound, wanted, with_value(live, path, "8000m")) is None
    assert stale(ref_of(wanted), bound, wanted, with_value(live, path, "8001m")) is not None


def test_a_deleted_a_new_and_a_recreated_object_are_told_apart() -> None:
    wanted, live = recorded("deployment-as-applied")
    ref, bound = ref_of(wanted), precondition(wanted, live)
    absent = precondition(wanted, None)
    gone = stale(ref, bound, wanted, None)
    new = stale(ref, absent, wanted, live)
    again = stale(ref, bound, wanted, with_value(live, ("metadata", "uid"), "another"))
    assert [found and found.kind for found in (gone, new, again)] == [
        *(StaleKind.DELETED, StaleKind.CREATED, StaleKind.REPLACED)
    ]
    assert stale(ref, absent, wanted, None) is None
    assert all(found is not None and found.message.endswith("Plan again.") for found in (gone, new, again))


def test_no_value_is_in_a_precondition() -> None:
    wanted, live = recorded("deployment-as-applied")
    assert "registry.example" not in repr(precondition(wanted, live))


def test_an_object_without_labels_is_bound_to_its_fields_and_not_to_the_whole_metadata() -> None:
    desired = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "n"},
        "data": {"k": "v"},
    }
    live = {**desired, "metadata": {"name": "c", "namespace": "n", "uid": "u", "resourceVersion": "1"}}
    planned = precondition(desired, live)
    later = with_value(live, ("metadata", "resourceVersion"), "2")
    assert stale(ref_of(desired), planned, desired, later) is None
    assert stale(ref_of(desired), planned, desired, with_value(later, ("data", "k"), "w")) is not None
