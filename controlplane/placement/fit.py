"""Whether pods fit on nodes, and what stays free.

The largest pods are placed first, each on the node that it fills most: that is the packing of kube-scheduler's
MostAllocated strategy with the best order of arrival. The default strategy spreads, so a cluster may fail where this
succeeds; where this fails in every order tried, no packing was found.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from controlplane.frozen import frozen
from controlplane.placement.amounts import ONE, PODS, Amounts, amounts, requests_of
from controlplane.stack.inventory import NodePool
from controlplane.stack.pods import Constraints, PodSet
from controlplane.stack.scheduling import admits

_UNLIMITED: Final = 1 << 200


@frozen
class Pod:
    """A pod to place: what it asks for, and where it may run."""

    name: str
    requests: Amounts
    constraints: Constraints = field(default_factory=Constraints)


@frozen
class Node:
    """A node with what is free on it. Without a pool it takes any pod."""

    name: str
    free: Amounts
    pool: NodePool | None = None


@frozen
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


_State = tuple[int, frozenset[tuple[str, int]], frozenset[tuple[str, int]]]
"""Pool, what there was and what is free: nodes of one state are as good as each other."""


def _place(pods: Iterable[Pod], nodes: Sequence[Node]) -> Placement:
    free = [dict(node.free) for node in nodes]
    alike: dict[_State, list[int]] = {}
    for index, node in enumerate(nodes):
        heapq.heappush(alike.setdefault(_state(node, free[index]), []), index)
    assigned: dict[str, str] = {}
    unplaced: list[Pod] = []
    for pod in pods:
        state = _fullest(pod, alike, nodes, free)
        if state is None:
            unplaced.append(pod)
            continue
        index = _take(state, alike)
        assigned[pod.name] = nodes[index].name
        for resource, amount in pod.requests.items():
            free[index][resource] = free[index].get(resource, 0) - amount
        heapq.heappush(alike.setdefault(_state(nodes[index], free[index]), []), index)
    left = {node.name: amounts_left for node, amounts_left in zip(nodes, free, strict=True)}
    return Placement(dict(sorted(assigned.items())), tuple(unplaced), left)


def _state(node: Node, free: Mapping[str, int]) -> _State:
    return (id(node.pool), frozenset(node.free.items()), frozenset(free.items()))


def _take(state: _State, alike: dict[_State, list[int]]) -> int:
    """The first node of a state, which leaves it."""
    index = heapq.heappop(alike[state])
    if not alike[state]:
        del alike[state]
    return index


def _fullest(
    pod: Pod, alike: Mapping[_State, list[int]], nodes: Sequence[Node], free: Sequence[Mapping[str, int]]
) -> _State | None:
    """The state of the node that the pod fits on and fills most; of equals that of the first node."""
    best: tuple[float, int, _State] | None = None
    for state, indices in alike.items():
        index = indices[0]
        if not _holds(free[index], pod.requests) or not _may_run(pod, nodes[index]):
            continue
        left = _left(nodes[index], free[index], pod)
        if best is None or (left, index) < best[:2]:
            best = (left, index, state)
    return best[2] if best is not None else None


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
