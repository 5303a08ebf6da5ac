"""How pods are replaced, and for how long that may go on (defilantech/LLMKube#192)."""

from __future__ import annotations

import pytest

from controlplane.policy import rollout_settings
from controlplane.stack.facts import ABSENT, value_of
from tests.policy.folder import FLEET, load, service, told, workload


def strategy(*texts: str) -> tuple[object, object, object]:
    found = workload(*texts).strategy
    return value_of(found.type), value_of(found.max_surge), value_of(found.max_unavailable)


def test_without_a_surge_an_old_pod_goes_first() -> None:
    assert strategy(service()) == ("RollingUpdate", 0, 1)


def test_with_a_surge_no_old_pod_goes_before_a_new_one_is_ready() -> None:
    assert strategy(service(rollout="{surge: 1}")) == ("RollingUpdate", 1, 0)


def test_recreate_has_no_numbers() -> None:
    found = workload(service(rollout="{strategy: recreate}")).strategy
    assert value_of(found.type) == "Recreate"
    assert (found.max_surge, found.max_unavailable) == (ABSENT, ABSENT)


def test_recreate_with_a_surge_is_refused() -> None:
    found = told("policy/key-without-effect", service(rollout="{strategy: recreate, surge: 1}"))
    assert found.severity == "error"
    assert found.path == ("spec", "rollout", "surge")


def test_deadline_covers_scheduling_the_old_pods_end_and_the_start() -> None:
    text = service(
        machine="{probes: {startup: 100s}, termination: {grace: 70s}}", rollout="{timeouts: {machines: 5m}}"
    )
    assert value_of(workload(text).strategy.progress_deadline_seconds) == 470


def settings(*texts: str) -> dict[str, object]:
    (found,) = rollout_settings(load(FLEET, *texts)[0]).values()
    return {
        "machines": found.machines_seconds,
        "tasks": found.tasks_seconds,
        "memory": found.memory_seconds,
        "return": found.return_automatically,
        "drift": (found.drift_mode, found.drift_interval_seconds),
    }


def test_pods_of_later_steps_wait_for_the_engines_of_those_before() -> None:
    section = "{probes: {startup: 100s}, termination: {grace: 75s}}"
    one_by_one = settings(service(machine=section, task="{replicas: 3}", rollout="{timeouts: {machines: 5m}}"))
    assert one_by_one["machines"] == 300 + 2 * (100 + 75)
    assert one_by_one["memory"] == 3 * (100 + 75)
    at_once = settings(service(machine=section, task="{replicas: 3}", rollout="{strategy: recreate}"))
    assert at_once["machines"] == 900


@pytest.mark.parametrize(("nodes", "grows"), [("2", False), ("{min: 2, max: 2}", False), ("{min: 0, max: 2}", True)])
def test_only_a_pool_that_may_grow_is_waited_for(nodes: str, grows: bool) -> None:
    fleet = FLEET.replace("nodes: 2", f"nodes: {nodes}")
    assert f"nodes: {nodes}" in fleet
    (found,) = rollout_settings(load(fleet, service())[0]).values()
    assert found.nodes_may_be_added is grows


def test_defaults_of_a_rollout() -> None:
    assert settings(service(machine="{probes: {startup: 100s}}")) == {
        "machines": 900,
        "tasks": 600,
        "memory": 175,
        "return": True,
        "drift": ("warn", 300),
    }


def test_engines_of_all_steps_get_their_time() -> None:
    machine = "{probes: {startup: 100s}}"
    assert settings(service(machine=machine, task="{replicas: 4}"))["memory"] == 4 * 175
    assert settings(service(machine=machine, task="{replicas: 4}", rollout="{surge: 2}"))["memory"] == 2 * 175
    assert settings(service(machine=machine, task="{replicas: 4}", rollout="{strategy: recreate}"))["memory"] == 175


def test_policy_decides_over_the_defaults() -> None:
    rollout = (
        "{timeouts: {machines: 1m, tasks: 2m, memory: 1h}, return: automatic, drift: {mode: enforce, interval: 1m}}"
    )
    assert settings(service(rollout=rollout)) == {
        "machines": 60,
        "tasks": 120,
        "memory": 3600,
        "return": True,
        "drift": ("enforce", 60),
    }


def test_off_is_a_word() -> None:
    found = settings(service(rollout='{return: "off", drift: {mode: "off"}}'))
    assert (found["return"], found["drift"]) == (False, ("off", 300))


def test_timeout_shorter_than_a_start_is_refused_with_both_times() -> None:
    text = service(machine="{probes: {startup: 20m}}", rollout="{timeouts: {memory: 10m}}")
    found = told("policy/timeout-shorter-than-startup", text)
    assert "is 600 s" in found.message
    assert "1200 s" in found.message
