"""A plan without a cluster: everything would be created, and whether it fits the machines of the Fleet. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from controlplane.emit.bundle import Bundle, EmittedObject
from controlplane.placement import Node, Pod, fit, nodes_of, pods_of
from controlplane.placement.amounts import ONE, PODS
from controlplane.plan.changes import Action, Change, ChangeSet, Reason
from controlplane.plan.consequences import ObjectChange, consequences
from controlplane.plan.order import in_apply_order
from controlplane.plan.staleness import precondition
from controlplane.stack.facts import Fact, value_of
from controlplane.stack.inventory import Inventory, NodePool
from controlplane.stack.model import Workload


def plan_offline(
    bundle: Bundle,
    inventory: Inventory,
    workloads: Sequence[Workload] = (),
    *,
    source_digests: Mapping[str, str] | None = None,
) -> ChangeSet:
    """Plan against a Fleet instead of a cluster.

    Nothing is known to exist, so every object counts as new. The notes say whether the pods of `workloads` fit on
    the Fleet's machines when nothing else runs on them.
    """
    changes = tuple(_creation(each) for each in in_apply_order(bundle.objects))
    notes = tuple(_placement_notes(inventory, workloads))
    return ChangeSet(changes, offline=True, notes=notes, source_digests=dict(source_digests or {}))


def _creation(desired: EmittedObject) -> Change:
    told = ObjectChange(desired.ref.kind, Action.CREATE, (), None, desired.manifest)
    return Change(
        ref=desired.ref,
        action=Action.CREATE,
        reason=Reason.OFFLINE,
        desired=desired,
        precondition=precondition(desired.manifest, None),
        consequences=consequences(told),
        service=desired.service,
    )


def _placement_notes(inventory: Inventory, workloads: Sequence[Workload]) -> Iterator[str]:
    pods: dict[str, tuple[Pod, ...]] = {}
    for workload in workloads:
        found = _pods(workload)
        if found is None:
            yield f"Cannot tell whether {workload.ref} fits: its number of pods is not known."
        else:
            pods[str(workload.ref)] = found
    unknown = sorted(pool.name for pool in inventory.pools if _most(pool) is None)
    if unknown:
        yield f"Cannot tell how many nodes there are in {', '.join(unknown)}: the Fleet does not say."
    elif any(pods.values()):
        yield from _fit_notes(inventory, pods)


def _pods(workload: Workload) -> tuple[Pod, ...] | None:
    pods: list[Pod] = []
    for pod_set in workload.pod_sets:
        desired, hosts = value_of(pod_set.count.desired), value_of(pod_set.hosts_per_unit)
        if desired is None or hosts is None:
            return None
        pods += pods_of(pod_set, desired * hosts, f"{workload.ref}/{pod_set.name}")
    return tuple(pods)


def _fit_notes(inventory: Inventory, pods: Mapping[str, tuple[Pod, ...]]) -> Iterator[str]:
    wanted = [pod for group in pods.values() for pod in group]
    at_most = _nodes(inventory, _most)
    left = {pod.name for pod in fit(wanted, at_most).unplaced}
    if left:
        yield from (_no_place(ref, group, left, at_most) for ref, group in pods.items() if _among(group, left))
        return
    now = _nodes(inventory, _now)
    waiting = len(fit(wanted, now).unplaced)
    if waiting:
        yield (
            f"{waiting} of {len(wanted)} pods wait until the pools grow: the Fleet has {len(now)} nodes to begin "
            f"with and {len(at_most)} at most."
        )
    else:
        yield f"All {len(wanted)} pods fit on the Fleet's {len(now)} nodes when nothing else runs there."


def _no_place(ref: str, group: Sequence[Pod], left: set[str], nodes: Sequence[Node]) -> str:
    without = _among(group, left)
    return (
        f"{ref}: {len(without)} of its {len(group)} pods find no place on the Fleet's {len(nodes)} nodes. "
        f"A pod asks for {_in_words(without[0])}. Ask for less, or let the pool grow."
    )


def _among(group: Sequence[Pod], left: set[str]) -> list[Pod]:
    return [pod for pod in group if pod.name in left]


def _in_words(pod: Pod) -> str:
    asked = sorted(pod.requests.items())
    return ", ".join(f"{_number(amount)} {name}" for name, amount in asked if amount and name != PODS)


def _number(amount: int) -> str:
    whole, rest = divmod(amount, ONE)
    return str(whole) if not rest else f"{amount / ONE:g}"


def _nodes(inventory: Inventory, count: Callable[[NodePool], int | None]) -> tuple[Node, ...]:
    return tuple(node for pool in inventory.pools for node in nodes_of(pool, count(pool) or 0))


def _most(pool: NodePool) -> int | None:
    return _first_known(pool.nodes.max, pool.nodes.desired, pool.nodes.min)


def _now(pool: NodePool) -> int | None:
    return _first_known(pool.nodes.desired, pool.nodes.min, pool.nodes.max)


def _first_known(*facts: Fact[int]) -> int | None:
    return next((value for fact in facts if (value := value_of(fact)) is not None), None)
