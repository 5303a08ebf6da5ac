"""A worker group's replicas lie outside its own bounds.

KubeRay makes as many workers as the nearer bound allows, and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.rules.ray_arithmetic import is_not_autoscaled, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Declared, Known
from controlplane.stack.model import Stack
from controlplane.stack.pods import Count
from controlplane.stack.ray import RayGroup


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster, group, pods in ray_groups(stack):
        if not group.is_head and is_not_autoscaled(cluster):
            yield from _outside(group, pods.count)


def _outside(group: RayGroup, count: Count) -> Iterator[Finding]:
    wanted, low, high = count.desired, count.min, count.max
    if not (isinstance(wanted, Known) and isinstance(wanted.origin, Declared)):
        return
    if isinstance(high, Known) and isinstance(low, Known) and low.value > high.value:
        return  # another rule's finding
    if isinstance(high, Known) and wanted.value > high.value:
        yield _finding(group, wanted, "maxReplicas", high)
    elif isinstance(low, Known) and wanted.value < low.value:
        yield _finding(group, wanted, "minReplicas", low)


def _finding(group: RayGroup, wanted: Known[int], name: str, bound: Known[int]) -> Finding:
    return Finding(
        f"worker group {group.name} asks for {wanted.value} replicas, and KubeRay makes {bound.value}: "
        f"{name} is {bound.value}",
        at=wanted,
        remedy=f"Set replicas to {bound.value}, or {name} to {wanted.value}.",
        edits=(Edit(wanted.origin.span, str(bound.value)),) if isinstance(wanted.origin, Declared) else (),
        applicability=Applicability.NEEDS_DECISION,
        evidence=(evidence("replicas", wanted), evidence(name, bound)),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Without an autoscaler `replicas` is the number of workers, and KubeRay clamps it to minReplicas and "
    "maxReplicas without a word: the cluster has another size than the manifest says.",
    remedy="Set replicas within minReplicas and maxReplicas.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/util.go: GetWorkerGroupDesiredReplicas",),
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
              replicas: 4  # fires
              minReplicas: 1
              maxReplicas: 2
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
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
              replicas: 0  # fires
              minReplicas: 1
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
              minReplicas: 1
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
