"""Ray is told of more memory than the pod may use."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_container, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import PodSet
from controlplane.stack.ray import RayGroup


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, group, pods in ray_groups(stack):
        yield from _exceeding(group, pods)


def _exceeding(group: RayGroup, pods: PodSet) -> Iterator[Finding]:
    container, told = ray_container(pods), value_of(group.told.memory_bytes)
    limit = container.limits.get("memory") if container else None
    written = group.start_params.get("memory") or group.resources.get("memory")
    if told is None or not isinstance(limit, Known) or not isinstance(written, Known) or told <= limit.value.value:
        return
    yield Finding(
        f"group {group.name} tells Ray of {told / 2**30:.4g} GiB of memory, and the pod's limit is "
        f"{limit.value.canonical()}: the kernel kills the pod before Ray thinks it full",
        at=written,
        remedy=f"Set it to {int(limit.value.value)} bytes or less, or remove it: KubeRay fills it in from the limit.",
        evidence=(evidence("limits.memory", limit.value.canonical(), source=str(limit.origin)),),
        related=((limit, "the pod's limit"),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Ray places work by the memory it was told of. Once that work uses what it asked for, the pod is over "
    "its limit and is killed, with all other work in it.",
    remedy="Remove memory: KubeRay takes the number from the pod's limit.",
    sources=("KubeRay 1.6.2, controllers/ray/common/pod.go: generateRayStartCommand",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                memory: "34359738368"  # fires
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                memory: "4294967296"
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    check=check,
)
