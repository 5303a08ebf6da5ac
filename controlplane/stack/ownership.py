"""Who writes a workload's number of replicas, where an autoscaler of the same input says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.model import Workload
from controlplane.stack.pods import Count, CountOwner
from controlplane.stack.references import Autoscaler


def with_owners(workloads: Iterable[Workload], autoscalers: Sequence[Autoscaler]) -> tuple[Workload, ...]:
    """The workloads with the counts of those that an autoscaler targets bounded by it; of several the first."""
    return tuple(_owned(workload, autoscalers) for workload in workloads)


def _owned(workload: Workload, autoscalers: Sequence[Autoscaler]) -> Workload:
    owner = next((found for found in autoscalers if _targets(found, workload)), None)
    if owner is None:
        return workload
    pods = tuple(replace(one, count=_bounded(one.count, owner)) for one in workload.pod_sets)
    return replace(workload, pod_sets=pods)


def _targets(autoscaler: Autoscaler, workload: Workload) -> bool:
    ref = workload.ref
    version = value_of(autoscaler.target_api_version)
    return (
        value_of(autoscaler.target_kind) == ref.kind
        and value_of(autoscaler.target_name) == ref.name
        and autoscaler.ref.namespace == ref.namespace
        and (version is None or version.rpartition("/")[0] == ref.group)
    )


def _bounded(count: Count, autoscaler: Autoscaler) -> Count:
    owner = CountOwner.HPA if autoscaler.ref.kind == "HorizontalPodAutoscaler" else CountOwner.KEDA
    least = autoscaler.min_replicas if autoscaler.min_replicas != ABSENT else count.min
    most = autoscaler.max_replicas if autoscaler.max_replicas != ABSENT else count.max
    return Count(least, count.desired, most, owner)
