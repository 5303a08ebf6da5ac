"""What a change does, in words and numbers that its fields carry."""

from __future__ import annotations

from typing import Any

import pytest

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Action, FieldAction
from controlplane.plan.consequences import ObjectChange, consequences
from controlplane.plan.differ import field_changes
from controlplane.plan.rolling import rolling_bounds
from tests.plan.realistic import config_map, deployment, disruption_budget, emitted, service, with_value, without


def told(before: Manifest | None, after: Manifest, action: Action = Action.UPDATE) -> tuple[str, ...]:
    fields = field_changes(before, after, emitted(after)) if before and action is Action.UPDATE else ()
    return consequences(ObjectChange(after["kind"], action, fields, before, after))


def running(replicas: int = 2, **strategy: Any) -> Manifest:
    manifest = without(deployment(), ("spec", "paused"))
    manifest["spec"]["replicas"] = replicas
    if strategy:
        manifest["spec"]["strategy"] = strategy
    return manifest


IMAGE: KeyPath = ("spec", "template", "spec", "containers", 0, "image")


def test_a_changed_template_restarts_the_pods() -> None:
    before = running(4)
    assert told(before, with_value(before, IMAGE, "registry.example/new:1")) == (
        "restarts 4 pods: each loads its weights again.",
        "serves with up to 1 of 4 fewer at a time.",
    )


def test_a_surge_needs_room() -> None:
    before = running(4, type="RollingUpdate", rollingUpdate={"maxSurge": "25%", "maxUnavailable": 0})
    assert told(before, with_value(before, IMAGE, "registry.example/new:1"))[1] == "needs room for 1 more at a time."


def test_recreate_serves_nothing_in_between() -> None:
    before = running(3, type="Recreate")
    assert told(before, with_value(before, IMAGE, "registry.example/new:1"))[1] == (
        "stops all 3 before the first new one starts: nothing serves in between."
    )


def test_a_paused_deployment_restarts_nothing() -> None:
    assert told(deployment(), with_value(deployment(), IMAGE, "registry.example/new:1")) == (
        "restarts nothing while the Deployment is paused.",
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (2, 3, "scales from 2 to 3 pods, +1 nvidia.com/gpu."),
        (3, 1, "scales from 3 to 1 pod, -2 nvidia.com/gpu."),
    ],
)
def test_scaling_is_told_with_the_gpus_it_takes(before: int, after: int, words: str) -> None:
    assert told(running(before), running(after)) == (words,)


def test_a_creation_tells_the_pods_and_gpus_it_starts() -> None:
    assert told(None, running(2), Action.CREATE) == ("starts 2 pods, 2 nvidia.com/gpu.",)


def test_a_replacement_stops_everything_first() -> None:
    assert "all 2 pods stop first" in told(running(), running(), Action.REPLACE)[0]


def test_labels_of_the_deployment_itself_have_no_consequences() -> None:
    before = running()
    assert told(before, with_value(before, ("metadata", "labels", "controlplane.dev/service"), "x")) == ()


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (
            ("spec", "ports", 0, "port"),
            8080,
            ("port 80 closes: clients that use it must change.", "port 8080 opens."),
        ),
        (("spec", "ports", 0, "targetPort"), 8001, ("port 80 leads to 8001 of the pods instead of http.",)),
        (
            ("spec", "selector"),
            {"app": "new"},
            ("traffic goes to pods with app=new instead of app.kubernetes.io/name=chat at once.",),
        ),
    ],
)
def test_a_service_tells_what_its_clients_see(path: KeyPath, value: Any, words: tuple[str, ...]) -> None:
    assert told(service(), with_value(service(), path, value)) == words


def test_a_budget_tells_both_numbers() -> None:
    after = with_value(disruption_budget(), ("spec", "maxUnavailable"), 2)
    assert told(disruption_budget(), after) == ("2 of its pods may be evicted at a time, 1 before.",)


def test_new_configuration_restarts_nothing() -> None:
    words = told(config_map(), with_value(config_map(), ("data", "length"), "1"))
    assert words[0].startswith("restarts nothing")


def test_an_unchanged_object_and_an_unknown_kind_have_none() -> None:
    assert told(running(), running(), Action.UNCHANGED) == ()
    assert told(None, {"kind": "Widget", "metadata": {"name": "x"}, "apiVersion": "v1"}, Action.CREATE) == ()


def test_adopted_fields_have_no_consequences() -> None:
    manifest = running()
    (changed,) = field_changes(manifest, with_value(manifest, IMAGE, "x"), emitted(with_value(manifest, IMAGE, "x")))
    adopted = type(changed)(changed.path, changed.label, FieldAction.ADOPTED)
    assert consequences(ObjectChange("Deployment", Action.UPDATE, (adopted,), manifest, manifest)) == ()


@pytest.mark.parametrize(
    ("rolling", "replicas", "bounds"),
    [
        ({}, 4, (1, 1)),
        ({}, 1, (1, 0)),
        ({"maxSurge": "30%", "maxUnavailable": "30%"}, 5, (2, 1)),
        ({"maxSurge": 0, "maxUnavailable": "10%"}, 4, (0, 1)),
        ({"maxSurge": 3, "maxUnavailable": 0}, 4, (3, 0)),
    ],
)
def test_rolling_bounds_round_as_the_controller_does(
    rolling: dict[str, Any], replicas: int, bounds: tuple[int, int]
) -> None:
    assert rolling_bounds(rolling, replicas) == bounds
