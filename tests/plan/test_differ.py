"""The differ on what a real API server said (`record_triples.py`): what is ours and differs, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import FieldAction
from controlplane.plan.differ import (
    adopted_fields,
    declared_changes,
    field_changes,
    foreign_fields,
    object_changes,
    overruled_fields,
)
from controlplane.stack.facts import Derived
from tests.plan.realistic import at, deployment, emitted, with_value

TRIPLES = Path(__file__).parent / "triples"
_POD = "spec.template.spec"
_SERVER = f"{_POD}.containers[name=vllm]"

EXPECTED: dict[str, list[tuple[str, str]]] = {
    "config-map-key-left-out": [("removed", "data.length")],
    "deployment-argument-added": [("changed", f"{_SERVER}.args")],
    "deployment-argument-edited": [("changed", f"{_SERVER}.args[4]")],
    "deployment-as-applied": [],
    "deployment-empty-dir-filled-by-another": [],
    "deployment-image-edited": [("changed", f"{_SERVER}.image")],
    "deployment-init-containers-turned": [("changed", f"{_POD}.initContainers")],
    "deployment-labelled-by-another": [],
    "deployment-port-renumbered": [
        ("added", f"{_SERVER}.ports[containerPort=9001,protocol=TCP]"),
        ("removed", f"{_SERVER}.ports[containerPort=9000,protocol=TCP]"),
    ],
    "deployment-probe-left-out": [("removed", f"{_SERVER}.readinessProbe")],
    "deployment-quantity-respelt": [],
    "deployment-replicas-left-out": [("removed", "spec.replicas")],
    "deployment-selector-key-removed": [("added", f"{_POD}.nodeSelector.pool")],
    "deployment-sidecar-injected": [],
    "deployment-toleration-added": [("removed", f"{_POD}.tolerations[1]")],
    "deployment-variable-left-out": [("removed", f"{_SERVER}.env[name=HF_HUB_OFFLINE]")],
    "deployment-variables-turned": [],
    "ray-cluster-as-applied": [],
    "ray-cluster-group-left-out": [("removed", "spec.workerGroupSpecs[groupName=large]")],
    "ray-cluster-quantity-respelt": [],
    "ray-cluster-replicas-autoscaled": [("changed", "spec.workerGroupSpecs[groupName=small].replicas")],
    "service-as-applied": [],
    "service-port-left-out": [("removed", "spec.ports[port=9000,protocol=TCP]")],
}
UNPREDICTED = {"deployment-token-edited-in"}


def triple(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((TRIPLES / f"{name}.json").read_text())
    return found


def test_every_recorded_case_is_expected_here() -> None:
    assert {path.stem for path in TRIPLES.glob("*.json")} == EXPECTED.keys() | UNPREDICTED


@pytest.mark.parametrize("name", EXPECTED)
def test_exactly_the_fields_of_ours_that_differ_are_changes(name: str) -> None:
    case = triple(name)
    wanted = emitted(case["wanted"])
    result = object_changes(case["live"], case["predicted"], wanted)
    assert [(f.action.value, f.label) for f in result.fields] == EXPECTED[name]
    assert result.side_effects == ()
    assert field_changes(case["live"], case["predicted"], wanted) == result.fields
    assert overruled_fields(case["predicted"], wanted) == ()
    assert adopted_fields(case["live"], wanted) == ()


@pytest.mark.parametrize("name", EXPECTED)
def test_the_path_of_a_change_leads_to_its_value(name: str) -> None:
    case = triple(name)
    for change in field_changes(case["live"], case["predicted"], emitted(case["wanted"])):
        if change.action is FieldAction.REMOVED and change.after is None:
            assert at(case["live"], change.path) == change.before
        elif change.path[-1] != "initContainers":
            assert at(case["predicted"], change.path) == change.after


@pytest.mark.parametrize("name", EXPECTED)
def test_a_state_compared_with_itself_has_no_changes(name: str) -> None:
    case = triple(name)
    for state in (case["live"], case["predicted"]):
        assert object_changes(state, state, emitted(case["wanted"])).fields == ()


def test_a_change_carries_the_managers_of_the_live_field_and_its_origin() -> None:
    case = triple("deployment-image-edited")
    (change,) = field_changes(case["live"], case["predicted"], emitted(case["wanted"]))
    assert change.owners == ("kubectl-edit",)
    assert change.origin == Derived(f"test {change.path}")
    assert (change.before, change.after) == ("registry.example/other:1", "registry.example/vllm-openai:v0.33.0")


def test_a_removal_shows_the_default_that_takes_the_place() -> None:
    case = triple("deployment-replicas-left-out")
    (change,) = field_changes(case["live"], case["predicted"], emitted(case["wanted"]))
    assert (change.before, change.after, change.owners, change.origin) == (2, 1, ("controlplane",), None)


@pytest.mark.parametrize(
    ("name", "foreign"),
    [
        ("deployment-as-applied", []),
        ("deployment-labelled-by-another", [('metadata.labels["team.example/owner"]', "a-team")]),
        ("deployment-sidecar-injected", [(f"{_POD}.containers[name=mesh]", "mesh")]),
        ("deployment-empty-dir-filled-by-another", [(f"{_POD}.volumes[name=scratch].emptyDir.sizeLimit", "a-team")]),
        ("deployment-image-edited", []),
    ],
)
def test_foreign_fields_are_those_that_others_own_and_we_do_not_set(
    name: str, foreign: list[tuple[str, str]]
) -> None:
    case = triple(name)
    found = foreign_fields(case["live"], case["wanted"])
    assert [(f.label, f.manager) for f in found if f.manager != "kube-controller-manager"] == foreign


def test_a_hidden_value_is_shown_as_changed_and_not_as_itself() -> None:
    case = triple("deployment-as-applied")
    variable = {"name": "API_TOKEN", "value": "hunter2-hunter2"}
    path = ("spec", "template", "spec", "containers", 0, "env", 0)
    wanted = with_value(case["wanted"], path, variable)
    live, predicted = (
        with_value(case[side], path, {**variable, "value": value})
        for side, value in (("live", "correct-horse"), ("predicted", "hunter2-hunter2"))
    )
    (change,) = field_changes(live, predicted, emitted(wanted))
    assert (change.before, change.after) == ("(redacted, before)", "(redacted, after)")


def test_a_field_that_admission_rewrites_is_overruled_and_no_change() -> None:
    case = triple("deployment-as-applied")
    path = ("spec", "template", "spec", "containers", 0, "image")
    live, predicted = (with_value(case[side], path, "mirror.example/vllm:1") for side in ("live", "predicted"))
    wanted = emitted(case["wanted"])
    assert field_changes(live, predicted, wanted) == ()
    (overruled,) = overruled_fields(predicted, wanted)
    assert (overruled.label, overruled.wanted, overruled.becomes) == (
        f"{_SERVER}.image",
        "registry.example/vllm-openai:v0.33.0",
        "mirror.example/vllm:1",
    )
    assert "webhook" in overruled.message


def test_what_a_write_changes_besides_our_fields_is_a_side_effect() -> None:
    case = triple("deployment-image-edited")
    predicted = with_value(case["predicted"], ("spec", "template", "spec", "dnsPolicy"), "Default")
    result = object_changes(case["live"], predicted, emitted(case["wanted"]))
    assert [f.label for f in result.fields] == [f"{_SERVER}.image"]
    assert [f.label for f in result.side_effects] == [f"{_POD}.dnsPolicy"]


def test_what_is_set_and_not_so_is_told_even_without_a_prediction() -> None:
    case = triple("deployment-token-edited-in")
    assert case["predicted"] is None
    changes = declared_changes(case["live"], emitted(case["wanted"]))
    assert sorted(f.label for f in changes) == [
        f"{_SERVER}.env[name=HF_TOKEN].valueFrom.secretKeyRef.key",
        f"{_SERVER}.env[name=HF_TOKEN].valueFrom.secretKeyRef.name",
    ]


def test_an_object_that_nothing_of_ours_is_applied_to_is_adopted_field_by_field() -> None:
    live = deployment()
    live["metadata"]["managedFields"] = [
        {"manager": "helm", "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}}
    ]
    adopted = adopted_fields(live, emitted(deployment()))
    replicas = next(f for f in adopted if f.label == "spec.replicas")
    assert (replicas.action, replicas.before, replicas.owners) == (FieldAction.ADOPTED, 2, ("helm",))
    assert not any(f.label.startswith("metadata.name") for f in adopted)


@pytest.mark.parametrize(
    "path",
    [
        ("metadata", "resourceVersion"),
        ("metadata", "generation"),
        ("metadata", "uid"),
        ("metadata", "creationTimestamp"),
        ("metadata", "managedFields"),
        ("status",),
    ],
)
def test_bookkeeping_and_status_never_differ(path: tuple[str, ...]) -> None:
    live: Manifest = triple("deployment-as-applied")["live"]
    other = with_value(live, path, "another") if path[0] == "metadata" else {**live, "status": {"replicas": 9}}
    if path[-1] == "managedFields":
        other = with_value(live, path, [])
    assert object_changes(live, other, emitted(deployment())) == object_changes(live, live, emitted(deployment()))
