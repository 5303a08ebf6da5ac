"""A group's Ray labels are among its rayStartParams."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, group, _ in ray_groups(stack):
        labels = group.start_params.get("labels")
        if isinstance(labels, Known):
            yield Finding(
                f"group {group.name} sets labels in rayStartParams, where KubeRay 1.5 and later refuse them "
                "and Ray's autoscaler ignores them",
                at=labels,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="From 1.5 on the operator refuses the cluster and makes no pod. Before that the labels reached the "
    "node, but the autoscaler did not know them, so that a group was never started for its label.",
    remedy="Write the labels into the group's own labels field.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/utils/validation.go: validateRayGroupLabels",
        "Ray 2.60.0, autoscaler/_private/kuberay/autoscaling_config.py: _get_labels_from_group_spec",
    ),
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
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                labels: "tier=gold"  # fires
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
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              labels: {tier: gold}
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
