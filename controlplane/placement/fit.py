"""Whether pods fit on nodes, and what stays free.

The largest pods are placed first, each on the node that it fills most: that is the packing of kube-scheduler's
MostAllocated strategy with the best order of arrival. The default strategy spreads, so a cluster may fail where this
succeeds; where this fails in every order tried, no packing was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.placement.amounts import ONE, PODS, Amounts, amounts, requests_of
from controlplane.stack.inventory import NodePool
from controlplane.stack.pods import Constraints, PodSet
from controlplane.stack.scheduling import admits

_UNLIMITED: Final = 1 << 200


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod to place: what it asks for, and where it may run."""

    name: str
    requests: Amounts
    constraints: Constraints = field(default_factory=Constraints)


@dataclass(frozen=True, slots=True)
class Node:
    """A node with what is free on it. Without a pool it takes any pod."""

    name: str
    free: Amounts
    pool: NodePool | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """Where each pod went, which found no place, and what is free on each node afterwards."""

    assigned: Mapping[str, str]
    unplaced: tuple[Pod, ...]
    free: Mapping[str, Amounts]

    def total_free(self, resource: str) -> int:
        """What is free of a resource on all nodes together."""
        return sum(free.get(resource, 0) for free in self.free.values())

    def largest_free(self, resource: str) -> int:
        """What is free of a resource on the node that has most of it."""
        return max((free.get(resource, 0) for free in self.free.values()), default=0)


def nodes_of(pool: NodePool, count: int) -> tuple[Node, ...]:
    """That many empty nodes of a pool. A node whose pool does not say takes 110 pods, as kubelets do by default."""
    free = {PODS: 110 * ONE, **amounts(pool.allocatable)}
    return tuple(Node(f"{pool.name}-{index}", free, pool) for index in range(count))


def remaining(placement: Placement, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes with what a placement leaves free on them."""
    return tuple(Node(node.name, placement.free[node.name], node.pool) for node in nodes)


def pods_of(pod_set: PodSet, count: int, prefix: str) -> tuple[Pod, ...]:
    """That many pods of a set, named `prefix-0` and on."""
    requests = requests_of(pod_set)
    return tuple(Pod(f"{prefix}-{index}", requests, pod_set.constraints) for index in range(count))


def fit(pods: Sequence[Pod], nodes: Sequence[Node]) -> Placement:
    """Place the pods; of all orders tried, the one that leaves the fewest without a place."""
    best: Placement | None = None
    for order in _orders(pods, nodes):
        placement = _place(sorted(pods, key=order), nodes)
        if best is None or len(placement.unplaced) < len(best.unplaced):
            best = placement
        if not best.unplaced:
            break
    return best if best is not None else Placement({}, (), {n.name: dict(n.free) for n in nodes})


_Order = Callable[[Pod], tuple[float, str]]


def _orders(pods: Sequence[Pod], nodes: Sequence[Node]) -> Iterable[_Order]:
    """Largest first: by the scarcest resource of each pod, then by each resource alone."""
    largest = {r: max((n.free.get(r, 0) for n in nodes), default=0) for p in pods for r in p.requests}

    def share(pod: Pod, resources: Iterable[str]) -> tuple[float, str]:
        parts = (pod.requests.get(r, 0) / largest[r] if largest.get(r) else float(_UNLIMITED) for r in resources)
        return (-max(parts, default=0.0), pod.name)

    if pods:
        yield lambda pod: share(pod, pod.requests)
    for resource in sorted(largest):
        yield lambda pod, resource=resource: share(pod, (resource,))  # type: ignore[misc]


def _place(pods: Iterable[Pod], nodes: Sequence[Node]) -> Placement:
    free = {node.name: dict(node.free) for node in nodes}
    assigned: dict[str, str] = {}
    unplaced: list[Pod] = []
    last: tuple[Pod, Node] | None = None
    for pod in pods:
        node = _again(pod, last, free) or _fullest(pod, nodes, free)
        if node is None:
            unplaced.append(pod)
            continue
        last = (pod, node)
        assigned[pod.name] = node.name
        for resource, amount in pod.requests.items():
            free[node.name][resource] = free[node.name].get(resource, 0) - amount
    return Placement(dict(sorted(assigned.items())), tuple(unplaced), free)


def _again(pod: Pod, last: tuple[Pod, Node] | None, free: Mapping[str, Mapping[str, int]]) -> Node | None:
    """The node of the pod before, if that was of the same shape and one more fits: it is still the fullest."""
    if last is None or (pod.requests, pod.constraints) != (last[0].requests, last[0].constraints):
        return None
    return last[1] if _holds(free[last[1].name], pod.requests) else None


def _fullest(pod: Pod, nodes: Sequence[Node], free: Mapping[str, Mapping[str, int]]) -> Node | None:
    """The node that the pod fits on and fills most; the first of equals."""
    best: Node | None = None
    best_left = float(_UNLIMITED)
    for node in nodes:
        if not _holds(free[node.name], pod.requests) or not _may_run(pod, node):
            continue
        left = _left(node, free[node.name], pod)
        if left < best_left:
            best, best_left = node, left
    return best


def _holds(free: Mapping[str, int], requests: Amounts) -> bool:
    return all(free.get(resource, 0) >= amount for resource, amount in requests.items() if amount)


def _may_run(pod: Pod, node: Node) -> bool:
    return node.pool is None or admits(pod.constraints, node.pool)


def _left(node: Node, free: Mapping[str, int], pod: Pod) -> float:
    """The part of the node that stays free with the pod on it, summed over what the pod asks for."""
    return sum(
        (free.get(resource, 0) - amount) / whole
        for resource, amount in pod.requests.items()
        if (whole := node.free.get(resource, 0))
    )
