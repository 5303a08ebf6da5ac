"""How many pods of a workload there can be at most, who sets that number, and the GPUs they take."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.frozen import frozen
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.stack.facts import Declared, Known
from controlplane.stack.gpu_resources import gpu_limits
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet

UNBOUNDED = 2147483647
"""KubeRay's default for maxReplicas: no bound that anybody chose."""


@frozen
class Ceiling:
    """At most `pods` pods of one pod set, as `limit` says; each takes `amounts` of GPU resources."""

    workload: Workload
    pod_set: PodSet
    limit: Known[int]
    named: str
    pods: int
    amounts: dict[str, int]


def scaled_ceilings(stack: Stack) -> Iterator[Ceiling]:
    """The upper bounds that an autoscaler (HPA, KEDA, Ray's) may scale pods with GPUs to."""
    for autoscaler, workload in scaled_workloads(stack):
        if isinstance(autoscaler.max_replicas, Known) and len(workload.pod_sets) == 1:
            name = f"{autoscaler.ref.kind} {autoscaler.ref.name}"
            yield from _ceiling(workload, workload.pod_sets[0], autoscaler.max_replicas, name)
    for workload in stack.workloads:
        for group in workload.ray.workers if workload.ray else ():
            pods = workload.pod_set(group.name)
            if pods is not None and isinstance(pods.count.max, Known) and _written(pods.count.max):
                yield from _ceiling(workload, pods, pods.count.max, f"worker group {group.name}")


def _written(limit: Known[int]) -> bool:
    return isinstance(limit.origin, Declared) and limit.value < UNBOUNDED


def _ceiling(workload: Workload, pods: PodSet, limit: Known[int], named: str) -> Iterator[Ceiling]:
    hosts = pods.hosts_per_unit
    amounts = gpu_amounts(pods)
    if isinstance(hosts, Known) and amounts:
        yield Ceiling(workload, pods, limit, named, limit.value * hosts.value, amounts)


def gpu_amounts(pods: PodSet) -> dict[str, int]:
    """GPU resources of one pod, by name; empty where one of them is not known."""
    total: dict[str, int] = {}
    for container in pods.containers:
        for resource, amount in gpu_limits(container).items():
            if not isinstance(amount, Known):
                return {}
            total[resource] = total.get(resource, 0) + int(amount.value.value)
    return total
