"""What no manifest of ours may do, checked before anything is written.

Each is an outage seen in the field. Resolution makes Stacks that keep them and reports policies that would not, so
a breach here is a fault of ours. What takes knowledge of the cluster's present load is the work of `plan`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from controlplane.placement.amounts import ONE, amounts, requests_of
from controlplane.stack.facts import Fact, Known, value_of, value_or
from controlplane.stack.inventory import NodePool
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.scheduling import admits, bears, selects


def hold(stack: Stack) -> None:
    """Raises ValueError with every breach in a Stack."""
    breaches = [breach for workload in stack.workloads for breach in _breaches(workload, stack)]
    if breaches:
        raise ValueError("; ".join(breaches))


def _breaches(workload: Workload, stack: Stack) -> Iterator[str]:
    for pods in workload.pod_sets:
        yield from _untolerated(workload, pods, stack)
        yield from _aborted_streams(workload, pods)
        yield from _stuck_rollout(workload, pods, stack)


def _untolerated(workload: Workload, pods: PodSet, stack: Stack) -> Iterator[str]:
    """A pod bound to pools by labels must bear the taints of one of them, whether it asks for a GPU or not."""
    pools = [pool for pool in stack.inventory.pools if selects(pods.constraints, pool)]
    if any(admits(pods.constraints, pool) for pool in pools):
        return
    for pool in pools:
        taints = ", ".join(taint.key for taint in pool.taints if not bears(pods.constraints, taint))
        yield f"{workload.ref}: pods picked for the pool {pool.name!r} do not tolerate its taint {taints}"


def _aborted_streams(workload: Workload, pods: PodSet) -> Iterator[str]:
    """SIGKILL must come strictly after the wait before SIGTERM and the engine's own drain are over."""
    grace = value_of(pods.grace_seconds)
    if grace is None:
        yield f"{workload.ref}: the termination grace period is not set"
        return
    waits = max((value_or(c.pre_stop_seconds, 0) for c in pods.containers), default=0)
    drain = max((_drain_seconds(e.arguments.get("shutdown_timeout")) for e in workload.engines), default=0)
    if waits + drain and grace <= waits + drain:
        yield f"{workload.ref}: a grace period of {grace} s ends before preStop {waits} s + drain {drain} s are over"


def _drain_seconds(timeout: Fact[Any] | None) -> float:
    """`--shutdown-timeout` (seconds; vLLM 0.18 and later)."""
    value = timeout.value if isinstance(timeout, Known) else 0
    return value if isinstance(value, int | float) else 0


def _stuck_rollout(workload: Workload, pods: PodSet, stack: Stack) -> Iterator[str]:
    """A rollout that only adds pods needs GPUs that nobody holds, or it waits for ever."""
    strategy = value_of(workload.strategy.type)
    if workload.ref.kind != "Deployment" or strategy == "Recreate":
        return
    replicas = value_or(pods.count.desired, 1)
    surge = _absolute(workload.strategy.max_surge, replicas, round_up=True)
    unavailable = _absolute(workload.strategy.max_unavailable, replicas, round_up=False)
    if strategy is None or surge is None or unavailable is None:
        yield f"{workload.ref}: the strategy of the rollout is not written out"
    elif _is_zero(workload.strategy.max_surge) and _is_zero(workload.strategy.max_unavailable):
        yield f"{workload.ref}: a rollout with maxSurge 0 and maxUnavailable 0 can replace no pod"
    elif min(surge, replicas) > 0 and unavailable == 0:
        yield from _no_room(workload, pods, stack)


def _is_zero(fact: Fact[int | str]) -> bool:
    value = value_of(fact)
    return value == 0 if isinstance(value, int) else value == "0%"


def _absolute(fact: Fact[int | str], replicas: int, *, round_up: bool) -> int | None:
    """A number or percentage as the Deployment controller counts it: surge rounds up, unavailable down.

    Where both come out as 0 without being written so, the controller takes one pod away
    (`ResolveFenceposts`, Kubernetes 1.36).
    """
    value = value_of(fact)
    if isinstance(value, int) or value is None:
        return value
    share = int(value.removesuffix("%")) * replicas / 100
    return math.ceil(share) if round_up else math.floor(share)


def _no_room(workload: Workload, pods: PodSet, stack: Stack) -> Iterator[str]:
    """Only certain where every node that could take the pod is known, so the total of the pools decides.

    GPUs that are free in total can still be too spread for one pod: that is for placement to say.
    """
    for resource, amount in _gpus(pods).items():
        pools = [pool for pool in stack.inventory.pools if admits(pods.constraints, pool)]
        total = sum(_offered(pool, resource) for pool in pools)
        used = sum(_used(w, resource, pools) for w in stack.workloads)
        if pools and total - used < amount:
            yield (
                f"{workload.ref}: a rollout that adds a pod first needs {amount // ONE} {resource}, and of "
                f"{total // ONE} in its pools {used // ONE} are taken"
            )


def _gpus(pods: PodSet) -> dict[str, int]:
    """Extended resources a pod asks for: those with a domain, of which nodes offer whole numbers."""
    return {resource: amount for resource, amount in requests_of(pods).items() if "/" in resource}


def _offered(pool: NodePool, resource: str) -> int:
    nodes = value_or(pool.nodes.max, value_or(pool.nodes.desired, value_or(pool.nodes.min, 0)))
    return nodes * amounts(pool.allocatable).get(resource, 0)


def _used(workload: Workload, resource: str, pools: list[NodePool]) -> int:
    sets = [p for p in workload.pod_sets if any(admits(p.constraints, pool) for pool in pools)]
    return sum(_gpus(p).get(resource, 0) * value_or(p.count.desired, 1) * value_or(p.hosts_per_unit, 1) for p in sets)
