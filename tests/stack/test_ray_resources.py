"""Both derivations against the recorded answers of the real components (`ray_oracle/make_fixtures.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.stack.facts import ABSENT, Derived, Fact, Known, Unknown, Why, value_of
from controlplane.stack.ray import RayGroup, RayResources
from controlplane.stack.ray_resources import GroupShape, believed, is_gpu_for_autoscaler, is_gpu_for_kuberay, told
from controlplane.stack.read import read_live

_FIXTURE = json.loads((Path(__file__).parent / "ray_resources.json").read_text())
ROWS: list[dict[str, Any]] = _FIXTURE["answers"]
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["shape"] for row in ROWS])
_PLACE = Derived("a test")


def group_of(row: dict[str, Any]) -> RayGroup:
    """The group as our reader reads it from a cluster."""
    head = row["group"] if row["head"] else {"template": {"spec": {"containers": [{"name": "ray", "image": "x"}]}}}
    spec = {"headGroupSpec": head, "workerGroupSpecs": [] if row["head"] else [row["group"]]}
    manifest = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "chat"}, "spec": spec}
    ray = read_live([manifest]).stack.workloads[0].ray
    assert ray is not None
    return ray.head if row["head"] else ray.workers[0]


def amounts(resources: RayResources) -> dict[str, Any]:
    """What is known, by Ray's names; None where it is known to be unreadable."""
    facts: dict[str, Fact[Any]] = {
        "CPU": resources.cpu,
        "GPU": resources.gpu,
        "memory": resources.memory_bytes,
        **resources.custom,
    }
    return {name: value_of(fact) for name, fact in facts.items() if fact != ABSENT}


@each_row
def test_what_ray_start_is_told_is_what_kuberay_writes(row: dict[str, Any]) -> None:
    answer = row["told"]
    names = {"num-cpus": "CPU", "num-gpus": "GPU", "memory": "memory"}
    expected = {names[flag]: amount for flag, amount in answer.items() if flag in names}
    custom = answer.get("resources") or {}
    expected |= {name: amount for name, amount in custom.items() if isinstance(amount, int | float)}
    assert amounts(group_of(row).told) == expected


@each_row
def test_what_the_autoscaler_believes_is_what_it_derives(row: dict[str, Any]) -> None:
    found, answer = group_of(row).believed, row["believed"]
    if "error" not in answer:
        assert amounts(found) == answer["resources"]
        return
    standard = (found.cpu, found.gpu, found.memory_bytes)
    fails_for_a_number = found.cpu == ABSENT or any(isinstance(f, Unknown) and f != ABSENT for f in standard)
    fails_for_a_text = "resources" in row["group"]["rayStartParams"] and found.custom == {}
    fails_for_a_quantity = any(text == "many" for text in row["group"].get("resources", {}).values())
    assert fails_for_a_number or fails_for_a_text or fails_for_a_quantity


def test_the_answers_are_those_of_the_versions_that_are_named() -> None:
    assert _FIXTURE["source"] == {"kuberay": "v1.6.2", "ray": "2.60.0"}
    assert len(ROWS) > 60


def test_only_kuberay_takes_a_mig_slice_for_a_gpu() -> None:
    assert is_gpu_for_kuberay("nvidia.com/mig-1g.10gb")
    assert not is_gpu_for_autoscaler("nvidia.com/mig-1g.10gb")
    assert is_gpu_for_kuberay("amd.com/gpu")
    assert is_gpu_for_autoscaler("amd.com/gpu")


def test_two_entries_for_one_flag_are_unknown() -> None:
    shape = GroupShape(resources={"GPU": Known("1", _PLACE), "gpu": Known("2", _PLACE)})
    assert told(shape).gpu == Unknown(Why.UNRESOLVED)
    assert believed(shape).gpu == Known(1.0, _PLACE)


def test_an_unread_container_hides_only_what_it_would_tell() -> None:
    unread = Unknown(Why.UNRESOLVED, "the container")
    shape = GroupShape(start_params={"num-cpus": Known("2", _PLACE)}, unread=unread)
    for found in (told(shape), believed(shape)):
        assert found.cpu == Known(2.0, _PLACE)
        assert found.gpu is unread
        assert found.memory_bytes is unread
