"""How a pod ends: preStop, drain, room (llm-d/llm-d#927)."""

from __future__ import annotations

import pytest

from controlplane.stack.facts import ABSENT, Derived, Known, value_of
from tests.policy.folder import FLEET, findings, one, remedy, service, stack, told, workload


def end(*texts: str) -> tuple[int | None, object, int | None]:
    """preStop, --shutdown-timeout, grace."""
    found = workload(*texts)
    (container,) = found.pod_sets[0].containers
    timeout = found.engines[0].arguments.get("shutdown_timeout", ABSENT)
    return value_of(container.pre_stop_seconds), value_of(timeout), value_of(found.pod_sets[0].grace_seconds)


def test_default_leaves_room_after_the_drain() -> None:
    assert end(service()) == (15, 45, 75)


def test_parts_of_the_policy_add_up() -> None:
    assert end(service(machine="{termination: {preStop: 5s, drain: 2m}}")) == (5, 120, 140)
    assert end(service(machine="{termination: {preStop: 5s, drain: 2m, grace: 5m}}")) == (5, 120, 300)


def test_no_pre_stop_is_no_hook() -> None:
    assert end(service(machine="{termination: {preStop: 0s}}")) == (None, 45, 60)


OLD = "{image: registry.example/vllm-openai:v0.17.0, vllm: 0.17.0}"


def test_engine_without_a_shutdown_timeout_drains_before_sigterm() -> None:
    assert end(service(runtime=OLD)) == (60, None, 75)
    pre_stop = workload(service(runtime=OLD)).pod_sets[0].containers[0].pre_stop_seconds
    assert isinstance(pre_stop, Known)
    assert isinstance(pre_stop.origin, Derived)
    assert "0.17.0 has no --shutdown-timeout" in pre_stop.origin.formula


@pytest.mark.parametrize(("version", "timeout"), [("0.17.0", None), ("0.18.0", 45), ("0.18.1", 45), ("0.33.0", 45)])
def test_shutdown_timeout_follows_the_version(version: str, timeout: int | None) -> None:
    assert end(service(runtime=f"{{image: registry.example/own, vllm: {version}}}"))[1] == timeout


@pytest.mark.parametrize(("grace", "said"), [("30s", "cut off"), ("60s", "nothing is left")])
def test_grace_without_room_is_an_error_with_all_numbers(grace: str, said: str) -> None:
    found = told("policy/grace-shorter-than-drain", service(machine=f"{{termination: {{grace: {grace}}}}}"))
    assert found.severity == "error"
    assert f"is {grace.removesuffix('s')} s" in found.message
    assert "preStop 15 s + drain 45 s = 60 s" in found.message
    assert said in found.message
    assert remedy(found) == "Set termination.grace to 75s, or leave it out."


def test_smallest_grace_with_room_is_taken() -> None:
    assert end(service(machine="{termination: {grace: 61s}}")) == (15, 45, 61)


def test_sleep_needs_a_kubelet_that_has_it() -> None:
    found = one(findings(FLEET.replace("1.36.3", "1.29.4"), service()), "policy/feature-off")
    assert "1.30" in found.message
    assert "1.29.4" in found.message
    assert stack(FLEET.replace("1.36.3", "1.30.0"), service()).workloads
