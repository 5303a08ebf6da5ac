"""Two worker groups have one name."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.model import Stack
from controlplane.stack.ray import RayGroup


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster in ray_workloads(stack):
        first: dict[str, RayGroup] = {}
        for group in cluster.workers:
            if group.name and group.name in first:
                yield Finding(
                    f"a second worker group is called {group.name}; KubeRay finds a group's pods by that name and "
                    "counts both groups' pods for each",
                    at=group.origin,
                    remedy=f"Give the second group another name than {group.name}.",
                    related=((first[group.name].origin, "the first group of that name"),),
                )
            first.setdefault(group.name, group)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Pods belong to a group by the label ray.io/group. With two groups of one name the operator counts the "
    "pods of both for each, deletes what seems too much and never comes to rest; where its webhooks run they refuse "
    "the cluster.",
    remedy="Give every worker group a name of its own.",
    sources=(
        "KubeRay 1.6.2, pkg/webhooks/v1/raycluster_webhook.go: worker group names must be unique",
        "KubeRay 1.6.2, controllers/ray/raycluster_controller.go: pods are listed by ray.io/group",
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
            - groupName: workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
            - groupName: workers  # fires
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
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
            - groupName: gpu-workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
            - groupName: cpu-workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
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
