"""Whether the pods of all services fit in their pools, as they run and while they are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.diagnostics import Diagnostic, Evidence, Layer
from controlplane.placement import Placement, Pod, fit, nodes_of, pods_of
from controlplane.policy.findings import finding
from controlplane.policy.resolution.setting import Setting, evidence, sure
from controlplane.policy.resolution.strategy import surge_of
from controlplane.source import Quantity
from controlplane.stack.facts import Declared
from controlplane.stack.inventory import Inventory, NodePool
from controlplane.stack.model import Workload


@dataclass(frozen=True, slots=True)
class Placed:
    """A service with the workload made of it."""

    setting: Setting
    workload: Workload


def check_fit(placed: Sequence[Placed], inventory: Inventory) -> list[Diagnostic]:
    """Findings for pools whose largest size is too small for the pods that are bound to them."""
    findings: list[Diagnostic] = []
    for pool in inventory.pools:
        here = [p for p in placed if p.setting.pool.name == pool.name]
        if here:
            findings += _check_pool(here, pool)
    return findings


def _check_pool(placed: Sequence[Placed], pool: NodePool) -> list[Diagnostic]:
    nodes = nodes_of(pool, placed[0].setting.pool.nodes.max)
    running = [pod for p in placed for pod in _pods(p, p.setting.service.task.value.replicas)]
    now = fit(running, nodes)
    if now.unplaced:
        return [_too_many(placed, pool, now)]
    surging = [p for p in placed if surge_of(p.setting)]
    if not surging:
        return []
    extra = [pod for p in surging for pod in _pods(p, surge_of(p.setting), surge=True)]
    during = fit([*running, *extra], nodes)
    return [_no_surge(p, pool, now) for p in surging if sure_surge(p)] if during.unplaced else []


def sure_surge(placed: Placed) -> bool:
    """Whether the surge was not refused."""
    rollout = placed.setting.service.rollout
    return sure(rollout.fact(rollout.value.surge, "surge"))


def _pods(placed: Placed, count: int, surge: bool = False) -> tuple[Pod, ...]:
    prefix = f"{placed.setting.service.key}{'+surge' if surge else ''}"
    return pods_of(placed.workload.pod_sets[0], count, prefix)


def _too_many(placed: Sequence[Placed], pool: NodePool, placement: Placement) -> Diagnostic:
    victim = placement.unplaced[0]
    owner = next(p for p in placed if victim.name.rpartition("-")[0] == p.setting.service.key)
    task = owner.setting.service.task
    where = task.declared("replicas") if task.wrote("replicas") else _pool_place(owner)
    count = owner.setting.pool.nodes.max
    names = ", ".join(sorted(p.setting.service.key for p in placed))
    total = sum(p.setting.service.task.value.replicas for p in placed)
    return finding(
        "policy/pods-do-not-fit",
        f"pool `{pool.name}` with its {count} nodes holds {total - len(placement.unplaced)} of the {total} pods of "
        f"{names}: a pod of {owner.setting.service.key} needs {shortage(victim, placement)}",
        where.span,
        where.path,
        "Lower replicas or tensorParallel, choose another pool, or raise nodes.max of the pool in the Fleet.",
        layer=Layer.KUBERNETES,
        evidence=_evidence(owner, pool, victim, placement),
    )


def _no_surge(placed: Placed, pool: NodePool, now: Placement) -> Diagnostic:
    setting = placed.setting
    surge = surge_of(setting)
    victim = _pods(placed, 1, surge=True)[0]
    where = setting.service.rollout.declared("surge")
    return finding(
        "policy/surge-does-not-fit",
        f"surge {surge} needs {surge} more pods while the old ones run, with those of other services that surge; in "
        f"pool `{pool.name}` with its {setting.pool.nodes.max} nodes one needs {shortage(victim, now)}: "
        "the new pod would stay Pending and no old one would go",
        where.span,
        where.path,
        "Set surge to 0 (an old pod goes first), or raise nodes.max of the pool in the Fleet.",
        layer=Layer.KUBERNETES,
        evidence=_evidence(placed, pool, victim, now),
    )


def _pool_place(placed: Placed) -> Declared:
    machine = placed.setting.service.machine
    return machine.declared("pool") if machine.wrote("pool") else placed.setting.declared("metadata", "name")


def shortage(pod: Pod, placement: Placement) -> str:
    """What a pod needs of each resource that is short, beside what is free in all and on the best node.

    Where GPUs are short, they alone: CPU and memory are mostly a share that follows them.
    """
    short = [r for r, amount in sorted(pod.requests.items()) if placement.largest_free(r) < amount]
    gpus = [r for r in short if "/" in r] or ([r for r in sorted(pod.requests) if "/" in r] if not short else [])
    short = gpus or short
    return "; ".join(
        f"{_amount(r, pod.requests[r])} {r}, of which {_amount(r, placement.total_free(r))} are free in total and "
        f"at most {_amount(r, placement.largest_free(r))} on one node"
        for r in short
    )


def _amount(resource: str, nano: int) -> str:
    return str(Quantity.from_bytes(nano // 10**9)) if resource == "memory" else str(Quantity(nano))


def _evidence(placed: Placed, pool: NodePool, pod: Pod, placement: Placement) -> tuple[Evidence, ...]:
    setting = placed.setting
    high = setting.pool_fact(setting.pool.nodes.max, "nodes", "max")
    replicas = setting.service.task.fact(setting.service.task.value.replicas, "replicas")
    found = [evidence(f"most nodes of pool {pool.name}", high), evidence("replicas", replicas)]
    for resource in sorted(r for r in pod.requests if "/" in r):
        found.append(_computed(f"{resource} a pod", resource, pod.requests[resource]))
        found.append(_computed(f"{resource} free in total", resource, placement.total_free(resource)))
        found.append(_computed(f"{resource} free on the best node", resource, placement.largest_free(resource)))
    return tuple(found)


def _computed(fact: str, resource: str, nano: int) -> Evidence:
    return Evidence(fact, _amount(resource, nano), "placement: largest pods first, each on the fullest node")
