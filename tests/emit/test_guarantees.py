"""Outages seen in the field that no manifest of ours can bring about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from controlplane.emit import emit
from controlplane.stack.facts import ABSENT
from controlplane.stack.inventory import Inventory
from controlplane.stack.model import Stack, Strategy
from controlplane.stack.pods import Constraints, Container, Toleration
from tests.emit import example
from tests.emit.example import known


def with_pods(inventory: Inventory | None = None, **changes: Any) -> Stack:
    pods = replace(example.pods(), **changes)
    stack = example.stack(workloads=(example.workload(pod_sets=(pods,)),))
    return stack if inventory is None else replace(stack, inventory=inventory)


def with_strategy(strategy: Strategy, gpus: int, replicas: int = 1) -> Stack:
    pods = replace(example.pods(), count=example.count(replicas))
    workload = example.workload(strategy=strategy, pod_sets=(pods,))
    return example.stack(workloads=(workload,), inventory=Inventory((example.pool(gpus=gpus),)))


def surge(more: int | str, fewer: int | str) -> Strategy:
    return Strategy(known("RollingUpdate"), known(more), known(fewer))


def test_the_example_keeps_all_guarantees() -> None:
    assert emit(example.stack()).objects


@pytest.mark.parametrize(
    "tolerations",
    [
        ABSENT,
        known((Toleration("nvidia.com/gpu", "Equal", "absent", "NoSchedule"),)),
        known((Toleration("nvidia.com/gpu", "Exists", effect="NoExecute"),)),
    ],
    ids=["none", "other value", "other effect"],
)
def test_a_pod_picked_for_a_pool_without_tolerating_its_taint_is_refused(tolerations: Any) -> None:
    picked = replace(example.pods().constraints, tolerations=tolerations)
    with pytest.raises(ValueError, match=r"pool 'h100' do not tolerate its taint nvidia\.com/gpu"):
        emit(with_pods(constraints=picked))


def test_a_companion_without_a_gpu_is_held_to_the_taints_of_its_pool_too() -> None:
    companion = Container("cache", known("registry.example/cache:1"))
    picked = Constraints(node_selector=known({"example.dev/pool": "h100"}))
    with pytest.raises(ValueError, match="do not tolerate"):
        emit(with_pods(constraints=picked, containers=(companion,)))


def test_one_pool_that_takes_the_pod_is_enough() -> None:
    open_pool = replace(example.pool("open"), taints=(), labels={"example.dev/pool": "h100"})
    picked = replace(example.pods().constraints, tolerations=ABSENT)
    assert emit(with_pods(Inventory((example.pool(), open_pool)), constraints=picked)).objects


def test_a_pod_that_asks_for_no_pool_needs_no_tolerations() -> None:
    assert emit(with_pods(constraints=Constraints())).objects


@pytest.mark.parametrize("declared", [known(True), ABSENT], ids=["declared true", "not declared"])
def test_service_links_are_always_off(declared: Any) -> None:
    deployment = emit(with_pods(service_links=declared)).objects[2].manifest
    assert example.at(deployment, "spec", "template", "spec", "enableServiceLinks") is False


@pytest.mark.parametrize(("grace", "refused"), [(59, True), (60, True), (61, False)])
def test_the_grace_period_is_longer_than_pre_stop_and_drain_together(grace: int, refused: bool) -> None:
    stack = with_pods(grace_seconds=known(grace))
    if not refused:
        assert emit(stack).objects
        return
    with pytest.raises(ValueError, match=rf"grace period of {grace} s .* preStop 15 s \+ drain 45 s"):
        emit(stack)


def test_the_grace_period_is_always_written() -> None:
    with pytest.raises(ValueError, match="grace period is not set"):
        emit(with_pods(grace_seconds=ABSENT))


def test_the_strategy_is_always_written() -> None:
    with pytest.raises(ValueError, match="strategy of the rollout is not written out"):
        emit(with_strategy(Strategy(), gpus=8))


@pytest.mark.parametrize("nothing", [0, "0%"])
def test_a_rollout_that_may_neither_add_nor_take_away_is_refused(nothing: Any) -> None:
    with pytest.raises(ValueError, match="can replace no pod"):
        emit(with_strategy(surge(nothing, nothing), gpus=8))


@pytest.mark.parametrize(
    ("strategy", "gpus", "replicas", "refused"),
    [
        (surge("25%", "25%"), 1, 1, True),
        (surge(1, 0), 1, 1, True),
        (surge(1, 0), 2, 1, False),
        (surge(1, 0), 2, 2, True),
        (surge(0, 1), 1, 1, False),
        (surge("25%", "25%"), 4, 4, False),
        (Strategy(known("Recreate")), 1, 1, False),
    ],
    ids=str,
)
def test_a_rollout_that_adds_a_pod_first_finds_its_gpus(
    strategy: Strategy, gpus: int, replicas: int, refused: bool
) -> None:
    stack = with_strategy(strategy, gpus, replicas)
    if not refused:
        assert emit(stack).objects
        return
    with pytest.raises(
        ValueError, match=rf"needs 1 nvidia\.com/gpu, and of {gpus} in its pools {replicas} are taken"
    ):
        emit(stack)


def test_gpus_of_other_workloads_in_the_pool_are_taken_too() -> None:
    first = example.workload(strategy=surge(1, 0))
    second = replace(first, ref=replace(first.ref, name="search"))
    stack = example.stack(workloads=(first, second), inventory=Inventory((example.pool(gpus=2),)))
    with pytest.raises(ValueError, match="of 2 in its pools 2 are taken"):
        emit(stack)
