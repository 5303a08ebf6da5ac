"""An autoscaler and the manifest both write a workload's replicas.

Every apply of the manifest sets the number back, until the autoscaler sets it again.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, Declared, Known, value_of
from controlplane.stack.gpu_resources import gpus_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler, ObjectRef

_KINDS = ("Deployment", "StatefulSet", "LeaderWorkerSet", "ReplicaSet")


def check(stack: Stack) -> Iterator[Finding]:
    seen: set[ObjectRef] = set()
    for autoscaler, workload in scaled_workloads(stack):
        if workload.ref in seen or any(is_partial(workload, pods) for pods in workload.pod_sets):
            continue
        seen.add(workload.ref)
        desired = workload.pod_sets[0].count.desired if workload.pod_sets else None
        if workload.ref.kind not in _KINDS or not isinstance(desired, Known) or desired.value == 0:
            continue
        if isinstance(desired.origin, Declared):
            kind, name = autoscaler.ref.kind, autoscaler.ref.name
            yield Finding(
                f"{workload.ref.kind} {workload.ref.name} writes replicas: {desired.value}, and {kind} {name} sets "
                f"the number{_bounds(autoscaler)}",
                at=desired,
                evidence=(evidence("replicas", desired), evidence(f"{kind}.maxReplicas", autoscaler.max_replicas)),
                remedy="Leave replicas out of the manifest, and ignore the field where a GitOps tool compares it.",
                related=((autoscaler.origin, f"the {kind} that owns the number"),),
                severity=None if _holds_gpus(workload) else Severity.INFO,
            )


def _holds_gpus(workload: Workload) -> bool:
    """Pods without GPUs are back within seconds; a model is loaded for minutes."""
    return bool(workload.engines) or any(gpus_of(pods.containers) != ABSENT for pods in workload.pod_sets)


def _bounds(autoscaler: Autoscaler) -> str:
    least, most = value_of(autoscaler.min_replicas), value_of(autoscaler.max_replicas)
    if most is None:
        return ""
    return f" between {1 if least is None else least} and {most}"


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="The autoscaler and whoever applies the manifest write the same field in turn. An apply in the busy "
    "hour drops the service to the written number, and engines that took minutes to load are killed. Where the pods "
    "hold no GPUs it is only told.",
    remedy="Leave replicas out of the manifest of a workload that an autoscaler scales.",
    sources=("Kubernetes documentation, HorizontalPodAutoscaler: migrating Deployments to autoscaling",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          replicas: 2  # fires
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: proxy
                  image: registry.example/proxy:1.4.0
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 2
          maxReplicas: 6
          metrics:
            - type: Pods
              pods:
                metric: {name: requests_in_flight}
                target: {type: AverageValue, averageValue: "40"}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: proxy
                  image: registry.example/proxy:1.4.0
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 2
          maxReplicas: 6
          metrics:
            - type: Pods
              pods:
                metric: {name: requests_in_flight}
                target: {type: AverageValue, averageValue: "40"}
        """,
    ),
    check=check,
)
