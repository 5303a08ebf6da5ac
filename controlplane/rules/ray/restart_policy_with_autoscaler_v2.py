"""A group's pods restart in place, which version 2 of Ray's autoscaler does not bear."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Declared, Known, value_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster, group, _ in ray_groups(stack):
        if not is_autoscaled(cluster) or value_of(cluster.autoscaling.version) != "v2":
            continue
        policy = group.restart_policy
        if isinstance(policy, Known) and policy.value not in ("", "Never"):
            yield Finding(
                f"group {group.name} has restartPolicy {policy.value}; with version v2 of the autoscaler KubeRay "
                "takes only Never, or none, and refuses the cluster",
                at=policy,
                otherwise=group.origin,
                edits=(Edit(policy.origin.span, "Never"),) if isinstance(policy.origin, Declared) else (),
                applicability=Applicability.SAFE,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Version 2 of the autoscaler knows a Ray node by its pod, so a container that starts again in the same "
    "pod would be a second node under one name. The operator refuses such a cluster and makes no pod.",
    remedy="Remove restartPolicy, or set it to Never.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayClusterSpec",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          autoscalerOptions: {version: v2}
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
              maxReplicas: 4
              template:
                spec:
                  restartPolicy: Always  # fires
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
          autoscalerOptions: {version: v2}
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
              maxReplicas: 4
              template:
                spec:
                  restartPolicy: Never
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
