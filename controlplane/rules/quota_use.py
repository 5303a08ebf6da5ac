"""What the workloads of a namespace take of a ResourceQuota, as the quota controller counts."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.frozen import frozen
from controlplane.rules.machines import SHOWN_TWICE, least_pods
from controlplane.rules.pod_arithmetic import limits_in_all, pod_sets_of, requests_in_all
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import ResourceQuota

ONE = 10**9
_WORKLOADS = ("apps", "batch", "ray.io", "leaderworkerset.x-k8s.io")
_COMPLETED = "LLMInferenceService"
"""A kind whose operator adds to the pods: what is written of them is the least that they take."""


@frozen
class Use:
    """What one pod of a set takes of one name of a quota (in billionths), and how many pods are sure to run."""

    workload: Workload
    pods: PodSet
    each: int
    count: int

    @property
    def total(self) -> int:
        return self.each * self.count


def quotas_of(stack: Stack) -> Iterator[ResourceQuota]:
    """The quotas that count every pod of their namespace: those without scopes."""
    return (r for r in stack.references if isinstance(r, ResourceQuota) and not r.scopes)


def uses_of(stack: Stack, quota: ResourceQuota, name: str) -> list[Use]:
    """What each pod set of the quota's namespace takes of `name`; amounts that are not known count as nothing."""
    return [
        Use(workload, pods, each, least_pods(pods))
        for workload, pods in pod_sets_of(stack)
        if workload.ref.namespace == quota.ref.namespace and _counts(workload)
        if (each := amount_of(workload, pods, name)) > 0
    ]


def _counts(workload: Workload) -> bool:
    counted = workload.ref.group in _WORKLOADS or workload.ref.kind == _COMPLETED
    return counted and workload.ref.kind not in SHOWN_TWICE


def amount_of(workload: Workload, pods: PodSet, name: str) -> int:
    """What one pod takes of a quota's name (Kubernetes 1.36, `pkg/quota/v1/evaluator/core/pods.go`)."""
    if name in ("pods", "count/pods"):
        return ONE
    if name.startswith("limits."):
        return limits_in_all(workload, pods).get(name.removeprefix("limits."), 0)
    resource = name.removeprefix("requests.")
    plain = name in ("cpu", "memory", "ephemeral-storage")
    return requests_in_all(workload, pods).get(resource, 0) if plain or resource != name else 0


def resource_of(name: str) -> str:
    """`nvidia.com/gpu` of `requests.nvidia.com/gpu`."""
    return name.removeprefix("requests.").removeprefix("limits.").removeprefix("count/")
