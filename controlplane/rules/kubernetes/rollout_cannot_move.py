"""A rollout may neither add a pod nor take one away."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Fact, value_of
from controlplane.stack.model import Stack

_NOTHING = (0, "0", "0%")
_KINDS = ("Deployment", "LeaderWorkerSet")


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        surge, unavailable = workload.strategy.max_surge, workload.strategy.max_unavailable
        if workload.ref.kind in _KINDS and _is_nothing(surge) and _is_nothing(unavailable):
            yield Finding(
                f"{workload.ref.kind} {workload.ref.name} has maxSurge 0 and maxUnavailable 0: a rollout could "
                "neither add a pod nor take one away; the API server refuses it",
                at=unavailable,
                otherwise=workload.origin,
                remedy="Set maxUnavailable: 1, or maxSurge: 1 where there is room for one pod more.",
                evidence=(evidence("maxSurge", surge), evidence("maxUnavailable", unavailable)),
            )


def _is_nothing(fact: Fact[int | str]) -> bool:
    value = value_of(fact)
    return value in _NOTHING and not isinstance(value, bool)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="One of the two has to be above 0, else no pod can ever be replaced. The API server refuses the "
    "Deployment, and LeaderWorkerSet's webhook the LeaderWorkerSet.",
    remedy="Set one of the two to 1 or more.",
    sources=(
        "Kubernetes 1.36, pkg/apis/apps/validation: 'may not be 0 when `maxSurge` is 0'",
        "LeaderWorkerSet 0.8, pkg/webhooks: the same for rollingUpdateConfiguration",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          replicas: 2
          strategy:
            type: RollingUpdate
            rollingUpdate:
              maxSurge: 0
              maxUnavailable: 0  # fires
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: worker
                  image: registry.example/worker:1.0
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          replicas: 2
          strategy:
            type: RollingUpdate
            rollingUpdate:
              maxSurge: 0
              maxUnavailable: 1
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: worker
                  image: registry.example/worker:1.0
        """,
    ),
    check=check,
)
