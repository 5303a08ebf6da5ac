"""Amounts of resources as whole numbers, and what a pod asks for in all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from controlplane.source import Quantity
from controlplane.stack.facts import Fact, value_of
from controlplane.stack.pods import Container, PodSet

Amounts = Mapping[str, int]
"""Resource name to amount, in billionths (the unit of `Quantity.nano`)."""

PODS: Final = "pods"
ONE: Final = 10**9


def amounts(quantities: Mapping[str, Quantity]) -> Amounts:
    """Quantities as amounts."""
    return {name: quantity.nano for name, quantity in quantities.items()}


def requests_of(pod_set: PodSet) -> Amounts:
    """What one pod of the set asks of a node, itself counted as one of the node's pods.

    A limit stands in for a missing request. Amounts that are not known count as nothing.
    """
    return {**_of_pod(pod_set, _requests), PODS: ONE}


def limits_of(pod_set: PodSet) -> Amounts:
    """What one pod of the set may use in all, as a quota's `limits.cpu` counts it."""
    return _of_pod(pod_set, lambda container: _known(container.limits))


def _of_pod(pod_set: PodSet, of: Callable[[Container], Mapping[str, int]]) -> dict[str, int]:
    """As kube-scheduler 1.36 sums it (`component-helpers/resource`, `PodRequests`).

    The containers and sidecars together, or what runs while the init containers do where that is more: each init
    container with the sidecars that were started before it. The pod's overhead comes on top.
    """
    together = _sum(of(container) for container in pod_set.containers)
    sidecars: dict[str, int] = {}
    starting: dict[str, int] = {}
    for container in pod_set.init_containers:
        running = _sum((sidecars, of(container)))
        starting = _largest(starting, running)
        if value_of(container.restart_policy) == "Always":
            sidecars = running
    return _sum((_largest(_sum((together, sidecars)), starting), _known(pod_set.overhead)))


def _requests(container: Container) -> dict[str, int]:
    return {**_known(container.limits), **_known(container.requests)}


def _known(quantities: Mapping[str, Fact[Quantity]]) -> dict[str, int]:
    return {name: q.nano for name, fact in quantities.items() if (q := value_of(fact)) is not None}


def _largest(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in (*one, *other)}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total
