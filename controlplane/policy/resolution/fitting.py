"""Whether the pods of all services fit in their pools, as they run and while they are replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.diagnostics import Diagnostic, Evidence, Layer, Severity
from controlplane.placement import Node, Placement, Pod, fit, nodes_of, pods_of, remaining
from controlplane.placement.amounts import PODS
from controlplane.policy.findings import finding
from controlplane.policy.resolution.setting import Setting, evidence, sure
from controlplane.policy.resolution.strategy import surge_of
from controlplane.source import Quantity
from controlplane.stack.facts import Declared
from controlplane.stack.inventory import Inventory, NodePool
from controlplane.stack.model import Workload

_MOST_NAMES: Final = 8


@dataclass(frozen=True, slots=True)
class Placed:
    """A service with the workload made of it."""

    setting: Setting
    workload: Workload


def check_fit(placed: Sequence[Placed], inventory: Inventory) -> list[Diagnostic]:
    """Findings for pools whose largest size is too small for the pods that are bound to them.

    A pool that its own selector misses takes no pod at all, which is told where the Fleet is checked.
    """
    findings: list[Diagnostic] = []
    for pool in inventory.pools:
        here = [p for p in placed if p.setting.pool.name == pool.name]
        if here and pool.selector.items() <= pool.labels.items():
            findings += _check_pool(here, pool)
    return findings


def _check_pool(placed: Sequence[Placed], pool: NodePool) -> list[Diagnostic]:
    nodes = nodes_of(pool, placed[0].setting.pool.nodes.max)
    running = [pod for p in placed for pod in _pods(p, p.setting.service.task.value.replicas)]
    now = fit(running, nodes)
    if now.unplaced:
        return [_too_many(placed, pool, now)]
    surging = [p for p in placed if surge_of(p.setting) and sure_surge(p)]
    room = remaining(now, nodes)
    if not fit([pod for p in surging for pod in _surge(p)], room).unplaced:
        return []
    stuck = _without_room(surging, running, room, nodes)
    return [_no_surge(p, pool, now) for p in stuck] or [_waiting(surging, pool, now)]


def _without_room(
    surging: Sequence[Placed], running: Sequence[Pod], room: Sequence[Node], nodes: Sequence[Node]
) -> list[Placed]:
    """Services of which not even one new pod finds room. One that does frees the room of an old one, and so on."""
    known: dict[frozenset[tuple[str, int]], bool] = {}
    for placed in surging:
        pod = _pods(placed, 1, "+surge")
        size = frozenset(pod[0].requests.items())
        if size not in known:
            known[size] = bool(fit(pod, room).unplaced and fit([*running, *pod], nodes).unplaced)
    return [p for p in surging if known[frozenset(_pods(p, 1)[0].requests.items())]]


def sure_surge(placed: Placed) -> bool:
    """Whether the surge was not refused."""
    rollout = placed.setting.service.rollout
    return sure(rollout.fact(rollout.value.surge, "surge"))


def _surge(placed: Placed) -> tuple[Pod, ...]:
    return _pods(placed, surge_of(placed.setting), "+surge")


def _pods(placed: Placed, count: int, mark: str = "") -> tuple[Pod, ...]:
    return pods_of(placed.workload.pod_sets[0], count, f"{placed.setting.service.key}{mark}")


def _too_many(placed: Sequence[Placed], pool: NodePool, placement: Placement) -> Diagnostic:
    victim = placement.unplaced[0]
    owner = next(p for p in placed if victim.name.rpartition("-")[0] == p.setting.service.key)
    task = owner.setting.service.task
    where = task.declared("replicas") if task.wrote("replicas") else _pool_place(owner)
    count = owner.setting.pool.nodes.max
    names = _listed(sorted(p.setting.service.key for p in placed))
    total = sum(p.setting.service.task.value.replicas for p in placed)
    return finding(
        "policy/pods-do-not-fit",
        f"pool `{pool.name}` with its {count} nodes holds {total - len(placement.unplaced)} of the {total} pods of "
        f"{names}: a pod of {owner.setting.service.key} needs {shortage(victim, placement)}",
        where.span,
        where.path,
        f"{_lower(victim, placement)}, choose another pool, or raise nodes.max of the pool in the Fleet.",
        layer=Layer.KUBERNETES,
        evidence=_evidence(owner, pool, victim, placement),
    )


def _no_surge(placed: Placed, pool: NodePool, now: Placement) -> Diagnostic:
    """Surge pods that have no place even when this service alone is rolled out."""
    setting = placed.setting
    surge = surge_of(setting)
    victim = _surge(placed)[0]
    where = setting.service.rollout.declared("surge")
    return finding(
        "policy/surge-does-not-fit",
        f"surge {surge} starts new pods while the old ones run; in pool `{pool.name}` with its "
        f"{setting.pool.nodes.max} nodes one needs {shortage(victim, now)}: it would stay Pending, and no old pod "
        "would go",
        where.span,
        where.path,
        "Set surge to 0 (an old pod goes first), or raise nodes.max of the pool in the Fleet.",
        layer=Layer.KUBERNETES,
        evidence=_evidence(placed, pool, victim, now),
    )


def _waiting(surging: Sequence[Placed], pool: NodePool, now: Placement) -> Diagnostic:
    """Surge pods that have a place one after the other, and not all at once: nothing deadlocks, some wait."""
    first = surging[0]
    where = first.setting.service.rollout.declared("surge")
    pods = [pod for p in surging for pod in _surge(p)]
    names = _listed([p.setting.service.key for p in surging])
    together, need = ("rolled out together, ", "need") if len(surging) > 1 else ("", "needs")
    return finding(
        "policy/surges-share-room",
        f"{together}{names} {need} {len(pods)} pods beyond the replicas; pool "
        f"`{pool.name}` with its {first.setting.pool.nodes.max} nodes has no room for all of them at once (one needs "
        f"{shortage(pods[0], now)}), so some wait for others and may run into timeouts.machines",
        where.span,
        where.path,
        f"{'Roll the services out one after the other, set' if len(surging) > 1 else 'Lower'} surge"
        f"{' to 0' if len(surging) > 1 else ''}, or raise nodes.max of the pool in the Fleet.",
        severity=Severity.WARNING,
        layer=Layer.KUBERNETES,
        evidence=_evidence(first, pool, pods[0], now),
    )


def _pool_place(placed: Placed) -> Declared:
    machine = placed.setting.service.machine
    return machine.declared("pool") if machine.wrote("pool") else placed.setting.declared("metadata", "name")


def shortage(pod: Pod, placement: Placement) -> str:
    """What a pod needs of each resource that is short, beside what is free in all and on the best node.

    Where GPUs are short, they alone: CPU and memory are mostly a share that follows them.
    """
    return "; ".join(
        f"{_needed(r, pod.requests[r])}, of which {_amount(r, placement.total_free(r))} are free in total and "
        f"at most {_amount(r, placement.largest_free(r))} on one node"
        for r in _short(pod, placement)
    )


def _short(pod: Pod, placement: Placement) -> list[str]:
    """The resources that are short; where none is alone, those of the GPUs."""
    short = [r for r, amount in sorted(pod.requests.items()) if placement.largest_free(r) < amount]
    gpus = [r for r in short if "/" in r] or ([r for r in sorted(pod.requests) if "/" in r] if not short else [])
    return gpus or short


def _needed(resource: str, nano: int) -> str:
    return "a place among the pods of a node" if resource == PODS else f"{_amount(resource, nano)} {resource}"


def _lower(pod: Pod, placement: Placement) -> str:
    """What the policy can ask less of, so that the resources that are short suffice."""
    short = _short(pod, placement)
    keys = ["tensorParallel"] if any("/" in r for r in short) else [f"machine.{r}" for r in short if r != PODS]
    return f"Lower {' or '.join(['replicas', *keys])}"


def _listed(names: Sequence[str]) -> str:
    """Names in a message; of very many only the first."""
    more = len(names) - _MOST_NAMES
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_MOST_NAMES])} and {more} more"


def _amount(resource: str, nano: int) -> str:
    return str(Quantity.from_bytes(nano // 10**9)) if resource == "memory" else str(Quantity(nano))


def _evidence(placed: Placed, pool: NodePool, pod: Pod, placement: Placement) -> tuple[Evidence, ...]:
    setting = placed.setting
    replicas = setting.service.task.fact(setting.service.task.value.replicas, "replicas")
    found = [evidence(f"most nodes of pool {pool.name}", setting.most_nodes), evidence("replicas", replicas)]
    for resource in sorted(r for r in pod.requests if "/" in r):
        found.append(_computed(f"{resource} a pod", resource, pod.requests[resource]))
        found.append(_computed(f"{resource} free in total", resource, placement.total_free(resource)))
        found.append(_computed(f"{resource} free on the best node", resource, placement.largest_free(resource)))
    return tuple(found)


def _computed(fact: str, resource: str, nano: int) -> Evidence:
    return Evidence(fact, _amount(resource, nano), "placement: largest pods first, each on the fullest node")
