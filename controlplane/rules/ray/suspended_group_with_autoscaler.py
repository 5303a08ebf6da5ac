"""A worker group is suspended in a cluster that Ray's autoscaler scales."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster, group, _ in ray_groups(stack):
        if is_autoscaled(cluster) and value_of(group.suspend):
            yield Finding(
                f"worker group {group.name} is suspended and enableInTreeAutoscaling is true; KubeRay refuses the "
                "cluster",
                at=group.suspend,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The autoscaler would start the suspended group again, so the operator refuses the two together and "
    "makes no pod.",
    remedy="Remove suspend and set the group's maxReplicas to 0, or turn the autoscaler off.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayClusterSpec",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: gpu
              suspend: true  # fires
              minReplicas: 0
              maxReplicas: 4
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
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: gpu
              minReplicas: 0
              maxReplicas: 0
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
