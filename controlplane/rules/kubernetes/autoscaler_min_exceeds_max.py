"""An autoscaler's least number of replicas is above its greatest, or one that is refused."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler

_KEDA_MAX = 100
"""KEDA's default for maxReplicaCount (2.17, `scaledobject_types.go`)."""


def check(stack: Stack) -> Iterator[Finding]:
    for scaler in stack.references:
        if isinstance(scaler, Autoscaler):
            yield from _bounds(scaler)
            yield from _zero(scaler)
            yield from _idle(scaler)
    for workload in stack.workloads:
        if workload.ref.kind == "InferenceService" and workload.ref.group == "serving.kserve.io":
            yield from _of_predictor(workload)


def _of_predictor(workload: Workload) -> Iterator[Finding]:
    """KServe refuses it; maxReplicas 0 is no bound."""
    predictor = workload.pod_set("predictor")
    least, most = (value_of(predictor.count.min), value_of(predictor.count.max)) if predictor else (None, None)
    if predictor is not None and least is not None and most and least > most:
        yield Finding(
            f"InferenceService {workload.ref.name} has minReplicas {least} above maxReplicas {most}; it is refused",
            at=predictor.count.min,
            otherwise=workload.origin,
            remedy=f"Set maxReplicas to {least} or more.",
            evidence=(evidence("minReplicas", predictor.count.min), evidence("maxReplicas", predictor.count.max)),
            related=((predictor.count.max, f"the maximum is {most}"),),
        )


def _bounds(scaler: Autoscaler) -> Iterator[Finding]:
    least, most = value_of(scaler.min_replicas), value_of(scaler.max_replicas)
    if scaler.max_replicas == ABSENT and scaler.ref.kind == "ScaledObject":
        most = _KEDA_MAX
    if least is not None and most is not None and least > most:
        yield Finding(
            f"{scaler.ref.kind} {scaler.ref.name} keeps at least {least} replicas and at most {most}; it is refused",
            at=scaler.min_replicas,
            otherwise=scaler.origin,
            remedy=f"Set the maximum to {least} or more.",
            evidence=(
                evidence("minimum", scaler.min_replicas),
                evidence("maximum", most, source="written, or KEDA's default"),
            ),
            related=((scaler.max_replicas, f"the maximum is {most}"),),
        )


def _zero(scaler: Autoscaler) -> Iterator[Finding]:
    if scaler.ref.kind == "HorizontalPodAutoscaler" and value_of(scaler.min_replicas) == 0:
        yield Finding(
            f"HorizontalPodAutoscaler {scaler.ref.name} has minReplicas 0; the API server takes 1 and more, as "
            "long as its feature gate HPAScaleToZero is off (the default of 1.36)",
            at=scaler.min_replicas,
            remedy="Set minReplicas: 1, or let KEDA scale to zero.",
            evidence=(evidence("minReplicas", scaler.min_replicas),),
            severity=Severity.WARNING,
        )


def _idle(scaler: Autoscaler) -> Iterator[Finding]:
    idle, least = value_of(scaler.idle_replicas), value_of(scaler.min_replicas) or 0
    if scaler.ref.kind == "ScaledObject" and idle is not None and idle >= least:
        yield Finding(
            f"ScaledObject {scaler.ref.name} has idleReplicaCount {idle} and minReplicaCount {least}; "
            "KEDA refuses an idle count that is not below the minimum",
            at=scaler.idle_replicas,
            otherwise=scaler.origin,
            remedy="Leave idleReplicaCount out, or set minReplicaCount above it.",
            evidence=(evidence("idleReplicaCount", scaler.idle_replicas),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="The API server refuses such a HorizontalPodAutoscaler; KEDA refuses the ScaledObject, or its operator "
    "cannot make the HorizontalPodAutoscaler it stands for. Without it nothing scales.",
    remedy="Put the minimum below the maximum.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'must be greater than or equal to `minReplicas`'",
        "KEDA, ScaledObject specification: minReplicaCount, maxReplicaCount (100), idleReplicaCount",
    ),
    bad=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: embed}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: embed}
          minReplicas: 4  # fires
          maxReplicas: 2
        """,
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: embed}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: embed}
          minReplicas: 0  # fires
          maxReplicas: 2
        """,
    ),
    good=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: embed}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: embed}
          maxReplicas: 2
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: rank}
        spec:
          scaleTargetRef: {name: rank}
          idleReplicaCount: 0
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers: []
        """,
    ),
    check=check,
)
