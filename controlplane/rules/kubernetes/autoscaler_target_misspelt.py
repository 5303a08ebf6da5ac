"""An autoscaler names a workload that is one letter off one of the input."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_rendered
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import target_of
from controlplane.rules.wording import evidence
from controlplane.source.suggest import edit_distance
from controlplane.stack.facts import Declared, Origin, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler


def check(stack: Stack) -> Iterator[Finding]:
    scalers = [reference for reference in stack.references if isinstance(reference, Autoscaler)]
    taken = {target.ref for scaler in scalers if (target := target_of(stack, scaler)) is not None}
    for scaler in scalers:
        name = value_of(scaler.target_name)
        if name and is_rendered(name) and target_of(stack, scaler) is None:
            meant = [workload for workload in _near(stack, scaler, name) if workload.ref not in taken]
            if len(meant) == 1:
                yield _finding(scaler, name, meant[0])


def _near(stack: Stack, scaler: Autoscaler, name: str) -> Iterator[Workload]:
    """Workloads of the same kind and file whose names are one letter off; a digit tells two of a series apart."""
    for workload in stack.workloads:
        known = workload.ref.name
        same = (workload.ref.kind, workload.ref.namespace) == (value_of(scaler.target_kind), scaler.ref.namespace)
        digits = [[c for c in text if c.isdigit()] for text in (known, name)]
        near = digits[0] == digits[1] and edit_distance(known, name, 1) == 1
        if same and near and _file(workload.origin) == _file(scaler.origin) != "":
            yield workload


def _file(origin: Origin | None) -> str:
    return origin.span.file if isinstance(origin, Declared) else ""


def _finding(scaler: Autoscaler, name: str, meant: Workload) -> Finding:
    return Finding(
        f"{scaler.ref.kind} {scaler.ref.name} scales {meant.ref.kind} {name}, which this file does not have; it has "
        f"{meant.ref.name}, which nothing scales",
        at=scaler.target_name,
        otherwise=scaler.origin,
        remedy=f"Write {meant.ref.name}.",
        evidence=(evidence("scaleTargetRef.name", name, source=str(scaler.origin)),),
        related=((meant.origin, f"{meant.ref.kind} {meant.ref.name}"),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="An autoscaler whose target does not exist is accepted and does nothing; its conditions alone say so. "
    "Told only where the same file has a workload of that kind whose name is one letter off, without a digit in it, "
    "and that no autoscaler names.",
    remedy="Correct the name.",
    sources=("Kubernetes: FailedGetScale in the conditions of a HorizontalPodAutoscaler",),
    bad=(
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
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef:
            name: chatt  # fires
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(vllm:num_requests_waiting{service="chat"})
                threshold: "8"
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
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef:
            name: chat
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(vllm:num_requests_waiting{service="chat"})
                threshold: "8"
        """,
    ),
    check=check,
)
