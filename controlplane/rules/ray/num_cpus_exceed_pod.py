"""Ray is told of more CPUs than the pod may use."""

from __future__ import annotations

import math
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
    container, told = ray_container(pods), value_of(group.told.cpu)
    limit = container.limits.get("cpu") if container else None
    written = group.start_params.get("num-cpus") or group.resources.get("CPU") or group.resources.get("cpu")
    if told is None or not isinstance(limit, Known) or not isinstance(written, Known):
        return
    whole = math.ceil(limit.value.value)
    if told > whole:
        yield Finding(
            f"group {group.name} tells Ray of {told:g} CPUs, and the pod's limit is {limit.value.canonical()}: "
            "that many tasks share it and are throttled",
            at=written,
            remedy=f"Set it to {whole}, or remove it: KubeRay fills it in from the pod's limits.",
            evidence=(evidence("limits.cpu", limit.value.canonical(), source=str(limit.origin)),),
            related=((limit, "the pod's limit"),),
        )


RULE = Rule(
    severity=Severity.INFO,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Ray's CPUs are slots that it hands out, not cores. More slots than the pod's limit suits work that "
    "waits for something else; work that computes is throttled by the kernel, health checks included.",
    remedy="Remove num-cpus: KubeRay takes the number from the pod's limits.",
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
                num-cpus: "16"  # fires
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
                num-cpus: "2"
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
