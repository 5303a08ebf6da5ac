"""An autoscaler is to scale an object of a kind that has no scale subresource."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack
from controlplane.stack.references import Autoscaler

_OTHER_WAYS = {
    "RayService": "let Ray scale: enableInTreeAutoscaling and autoscaling_config of the deployments",
    "RayCluster": "let Ray scale: enableInTreeAutoscaling with minReplicas and maxReplicas of the groups",
    "RayJob": "let Ray scale: enableInTreeAutoscaling with minReplicas and maxReplicas of the groups",
    "DaemonSet": "use a Deployment",
    "Job": "use KEDA's ScaledJob",
    "Pod": "use a Deployment",
}


def check(stack: Stack) -> Iterator[Finding]:
    for scaler in stack.references:
        if not isinstance(scaler, Autoscaler) or scaler.ref.kind == "ScaledJob":
            continue
        kind, name = value_of(scaler.target_kind), value_of(scaler.target_name)
        if kind in _OTHER_WAYS:
            yield Finding(
                f"{scaler.ref.kind} {scaler.ref.name} is to scale {kind} {name}; "
                f"a {kind} has no scale subresource, so nothing is ever scaled",
                at=scaler.target_kind,
                otherwise=scaler.origin,
                remedy=f"Remove it; {_OTHER_WAYS[kind]}.",
                evidence=(evidence("scaleTargetRef.kind", kind, source=str(scaler.origin)),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="HorizontalPodAutoscaler and KEDA write through the scale subresource. KubeRay's kinds have none, and "
    "the autoscaler says FailedGetScale in its status for ever. The API server accepts it.",
    remedy="Scale it by what owns its replicas.",
    sources=("KubeRay 1.6.2, installed definitions of ray.io: subresources are status alone",),
    bad=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef:
            apiVersion: ray.io/v1
            kind: RayService  # fires
            name: chat
          maxReplicas: 4
        """,
    ),
    good=(
        """
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: chat}
          maxReplicas: 4
        """,
    ),
    check=check,
)
