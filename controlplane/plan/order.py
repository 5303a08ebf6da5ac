"""The order in which objects are applied, by kind: what others need, the workload, what watches it.

Services stand before the workload. Pods of a StatefulSet or a LeaderWorkerSet find each other by the name that a
headless Service gives them, and a Service without endpoints refuses connections where a missing one fails to
resolve. Routes stand after it: traffic should reach a workload only when there is one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TypeVar

from controlplane.emit.bundle import EmittedObject
from controlplane.plan.changes import Change
from controlplane.stack.references import ObjectRef


class Stage(enum.StrEnum):
    """A group of objects that is applied together."""

    NEEDED = "needed"
    WORKLOAD = "workload"
    WATCHING = "watching"


_NEEDED = (
    "Namespace",
    "CustomResourceDefinition",
    "ResourceQuota",
    "LimitRange",
    "PriorityClass",
    "WorkloadPriorityClass",
    "ResourceFlavor",
    "Topology",
    "AdmissionCheck",
    "Cohort",
    "ClusterQueue",
    "LocalQueue",
    "Queue",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Secret",
    "ConfigMap",
    "ServiceAccount",
    "ClusterRole",
    "Role",
    "ClusterRoleBinding",
    "RoleBinding",
    "NetworkPolicy",
    "ResourceClaimTemplate",
    "ResourceClaim",
    "Service",
)
_WATCHING = (
    "HorizontalPodAutoscaler",
    "ScaledObject",
    "VerticalPodAutoscaler",
    "PodDisruptionBudget",
    "ServiceMonitor",
    "PodMonitor",
    "PrometheusRule",
    "InferenceObjective",
    "InferencePool",
    "Ingress",
    "HTTPRoute",
    "GRPCRoute",
)
_BEFORE = {kind: rank for rank, kind in enumerate(_NEEDED)}
_AFTER = {kind: rank for rank, kind in enumerate(_WATCHING)}

_Item = TypeVar("_Item", EmittedObject, Change)


def stage(ref: ObjectRef) -> Stage:
    """The group an object belongs to. A kind that is not known here counts as a workload."""
    if ref.kind in _BEFORE:
        return Stage.NEEDED
    return Stage.WATCHING if ref.kind in _AFTER else Stage.WORKLOAD


def rank(ref: ObjectRef) -> tuple[int, int]:
    """Where an object stands in apply order; objects with the same rank may go in any order."""
    place = stage(ref)
    within = _BEFORE.get(ref.kind, _AFTER.get(ref.kind, 0))
    return (list(Stage).index(place), within)


def in_apply_order(items: Iterable[_Item]) -> tuple[_Item, ...]:
    """Objects or changes in apply order; those of equal rank keep the order they came in."""
    return tuple(sorted(items, key=lambda item: rank(item.ref)))
