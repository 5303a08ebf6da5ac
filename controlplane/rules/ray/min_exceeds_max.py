"""A worker group's minimum is above its maximum."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, group, pods in ray_groups(stack):
        low, high = pods.count.min, pods.count.max
        if group.is_head or not isinstance(low, Known) or not isinstance(high, Known) or low.value <= high.value:
            continue
        yield Finding(
            f"worker group {group.name} has minReplicas {low.value} above maxReplicas {high.value}; "
            "KubeRay refuses the cluster",
            at=low,
            otherwise=group.origin,
            remedy=f"Set minReplicas to {high.value} or less, or maxReplicas to {low.value} or more.",
            evidence=(evidence("minReplicas", low), evidence("maxReplicas", high)),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The API server takes the object, and the operator then refuses it: no pod is made, and the only trace "
    "is a Warning event InvalidRayClusterSpec (InvalidRayServiceSpec, InvalidRayJobSpec).",
    remedy="Set minReplicas to maxReplicas or less.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayClusterSpec",),
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
            - groupName: gpu
              replicas: 2
              minReplicas: 4  # fires
              maxReplicas: 2
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
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
            - groupName: gpu
              replicas: 2
              minReplicas: 2
              maxReplicas: 2
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
