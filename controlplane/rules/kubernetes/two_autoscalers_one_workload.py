"""Two autoscalers write the replicas of one workload."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import Declared, value_of
from controlplane.stack.model import Stack
from controlplane.stack.references import Autoscaler


def check(stack: Stack) -> Iterator[Finding]:
    by_target: dict[tuple[str, str, str], dict[tuple[str, str], Autoscaler]] = {}
    for scaler in stack.references:
        name = value_of(scaler.target_name) if isinstance(scaler, Autoscaler) else None
        if isinstance(scaler, Autoscaler) and name and scaler.ref.kind != "ScaledJob":
            target = (scaler.ref.namespace, value_of(scaler.target_kind) or "Deployment", name)
            # One object in two API versions is one object.
            by_target.setdefault(target, {})[scaler.ref.kind, scaler.ref.name] = scaler
    for (_, kind, name), scalers in by_target.items():
        if len(scalers) > 1:
            yield _fought_over(kind, name, list(scalers.values()))


def _fought_over(kind: str, name: str, scalers: list[Autoscaler]) -> Finding:
    names = listed(f"{scaler.ref.kind} {scaler.ref.name}" for scaler in scalers)
    one_file = len({_file(scaler) for scaler in scalers}) == 1
    applied = "" if one_file else "applied together, "
    return Finding(
        f"{len(scalers)} autoscalers scale {kind} {name}: {names}; {applied}they overwrite each other, or stop with "
        "AmbiguousSelector",
        at=scalers[-1].target_name,
        otherwise=scalers[-1].origin,
        remedy="Keep one of them, with the metrics of both: the largest answer counts.",
        evidence=(evidence("autoscalers", len(scalers), source=names),),
        related=((scalers[0].target_name, "scaled here too"),),
        severity=None if one_file else Severity.INFO,
    )


def _file(scaler: Autoscaler) -> str:
    """In files of their own they may be meant as alternatives."""
    return scaler.origin.span.file if isinstance(scaler.origin, Declared) else ""


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A ScaledObject makes a HorizontalPodAutoscaler of its own, and KEDA's webhook refuses one whose "
    "target is scaled already. Two HorizontalPodAutoscalers that select the same pods both stop scaling (condition "
    "AmbiguousSelector), in older versions they write replicas in turn. In different files, which may be "
    "alternatives, it is only told.",
    remedy="Scale a workload by one autoscaler.",
    sources=("Kubernetes: HorizontalPodAutoscaler condition AmbiguousSelector; KEDA: ScaledObject webhook",),
    bad=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: embed}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: embed}
          maxReplicas: 4
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: embed-queue}
        spec:
          scaleTargetRef:
            name: embed  # fires
          maxReplicaCount: 4
          triggers: []
        """,
    ),
    good=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: embed}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: embed}
          maxReplicas: 4
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: rank}
        spec:
          scaleTargetRef: {name: rank}
          maxReplicaCount: 4
          triggers: []
        """,
    ),
    check=check,
)
