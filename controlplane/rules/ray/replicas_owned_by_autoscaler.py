"""A RayCluster under GitOps writes replicas that Ray's autoscaler sets too."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Declared, Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Count

_MARKS = ("argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/", "fluxcd.io/")
"""Prefixes of labels and annotations by which an object says that a GitOps controller keeps it as it is in Git."""


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster, group, pods in ray_groups(stack):
        mark = _mark(workload)
        wanted = pods.count.desired
        # The autoscaler of a RayService writes into the RayCluster that the operator made, not into the service.
        if workload.ref.kind != "RayCluster" or mark is None or not is_autoscaled(cluster) or group.is_head:
            continue
        if isinstance(wanted, Known) and isinstance(wanted.origin, Declared) and _scales(pods.count):
            yield Finding(
                f"worker group {group.name} writes replicas {wanted.value}, Ray's autoscaler writes the same field, "
                f"and {mark} says that Git is kept in force: the two undo each other",
                at=wanted,
                evidence=(evidence("replicas", wanted),),
            )


def _mark(workload: Workload) -> str | None:
    return next((key for key in (*workload.annotations, *workload.labels) if key.startswith(_MARKS)), None)


def _scales(count: Count) -> bool:
    low, high = value_of(count.min), value_of(count.max)
    return low is None or high is None or low < high


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Ray's autoscaler scales a group by writing its replicas into the RayCluster. A GitOps controller that "
    "heals itself writes Git's number back, so pods are made and killed in turn, with what runs in them.",
    remedy="Remove replicas, and let the GitOps tool ignore .spec.workerGroupSpecs[].replicas.",
    sources=("ray-project/kuberay#1120 and #1443", "Ray 2.60.0, autoscaler/_private/kuberay/node_provider.py"),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata:
          name: chat
          annotations: {argocd.argoproj.io/sync-wave: "2"}
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
              replicas: 0  # fires
              minReplicas: 0
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
        metadata:
          name: chat
          annotations: {argocd.argoproj.io/sync-wave: "2"}
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
              replicas: 0
              minReplicas: 0
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
