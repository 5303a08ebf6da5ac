"""An autoscaler compares use with requests that the pods do not have."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container
from controlplane.stack.references import Autoscaler, LimitRange, ScalingMetric


def check(stack: Stack) -> Iterator[Finding]:
    with_defaults = {r.ref.namespace for r in stack.references if isinstance(r, LimitRange)}
    for scaler, workload in scaled_workloads(stack):
        if scaler.ref.kind == "HorizontalPodAutoscaler" and scaler.ref.namespace not in with_defaults:
            for metric in scaler.metrics:
                yield from _without_request(scaler, workload, metric)


def _without_request(scaler: Autoscaler, workload: Workload, metric: ScalingMetric) -> Iterator[Finding]:
    resource = value_of(metric.name)
    relative = metric.kind == "Resource" and value_of(metric.target_type) == "Utilization"
    if not relative or resource is None or any(is_partial(workload, pods) for pods in workload.pod_sets):
        return
    running = [
        container
        for pods in workload.pod_sets
        for container in (*pods.containers, *(c for c in pods.init_containers if _is_sidecar(c)))
    ]
    silent = [c.name for c in running if resource not in c.requests and resource not in c.limits]
    if silent:
        yield Finding(
            f"HorizontalPodAutoscaler {scaler.ref.name} scales on {resource} use as a part of the request, and "
            f"container {listed(silent)} of {workload.ref.kind} {workload.ref.name} requests none; it never scales",
            at=metric.name,
            otherwise=metric.origin or scaler.origin,
            remedy=f"Set requests.{resource} of {listed(silent)}, or scale on what the engine says of its queue.",
            evidence=(evidence("metric", metric.name), evidence("containers without it", listed(silent))),
            related=((running[0].origin, "the pods"),),
        )


def _is_sidecar(container: Container) -> bool:
    return isinstance(container.restart_policy, Known) and container.restart_policy.value == "Always"


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="Utilization is use divided by request, over all containers of the pod. Where one of them has no "
    "request the controller gives up on the metric ('missing request for cpu in container ...', condition "
    "FailedGetResourceMetric). Not judged where a LimitRange of the namespace is in the input, which may fill it in.",
    remedy="Set the request in every container, or use another metric.",
    sources=("Kubernetes 1.36, pkg/controller/podautoscaler/replica_calculator.go: missing request for ...",),
    bad=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: rank}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: rank}
          maxReplicas: 4
          metrics:
            - type: Resource
              resource:
                name: cpu  # fires
                target: {type: Utilization, averageUtilization: 70}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: rank}
        spec:
          selector: {matchLabels: {app: rank}}
          template:
            metadata: {labels: {app: rank}}
            spec:
              containers:
                - name: ranker
                  image: registry.example/rank:1.0
                  resources: {requests: {cpu: 1}}
                - name: proxy
                  image: registry.example/proxy:1.0
        """,
    ),
    good=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: rank}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: rank}
          maxReplicas: 4
          metrics:
            - type: Resource
              resource:
                name: cpu
                target: {type: Utilization, averageUtilization: 70}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: rank}
        spec:
          selector: {matchLabels: {app: rank}}
          template:
            metadata: {labels: {app: rank}}
            spec:
              containers:
                - name: ranker
                  image: registry.example/rank:1.0
                  resources: {limits: {cpu: 1}}
        """,
    ),
    check=check,
)
