"""Amounts of resources as whole numbers, and what a pod asks for in all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

    As kube-scheduler 1.36 sums it: the containers together, or the largest init container where that is more. A
    limit stands in for a missing request. Amounts that are not known count as nothing.
    """
    together = _sum(_requests(c) for c in pod_set.containers)
    for container in pod_set.init_containers:
        for name, amount in _requests(container).items():
            together[name] = max(together.get(name, 0), amount)
    return {**together, PODS: ONE}


def _requests(container: Container) -> dict[str, int]:
    return {**_known(container.limits), **_known(container.requests)}


def _known(quantities: Mapping[str, Fact[Quantity]]) -> dict[str, int]:
    return {name: q.nano for name, fact in quantities.items() if (q := value_of(fact)) is not None}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total
