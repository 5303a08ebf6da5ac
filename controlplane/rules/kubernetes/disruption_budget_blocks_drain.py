"""A disruption budget lets no pod be evicted, so no node can be drained."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import matches, pod_sets_of, pods_wanted, scaled
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence, plural
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import DisruptionBudget

_SCALABLE = frozenset({"Deployment", "StatefulSet"})
"""Kinds whose pods are owned by what has a scale subresource: percentages and maxUnavailable work for them."""


def check(stack: Stack) -> Iterator[Finding]:
    for budget in stack.references:
        if isinstance(budget, DisruptionBudget):
            yield from _judge(stack, budget)


def _judge(stack: Stack, budget: DisruptionBudget) -> Iterator[Finding]:
    allowed, least = budget.max_unavailable, budget.min_available
    if isinstance(allowed, Known) and allowed.value in (0, "0%"):
        yield _blocking(budget, allowed, f"maxUnavailable {allowed.value}", "Set maxUnavailable: 1.")
    elif isinstance(least, Known) and least.value == "100%":
        yield _blocking(budget, least, "minAvailable 100%", "Write maxUnavailable: 1 instead.")
    elif isinstance(least, Known):
        pods = _most_pods(stack, budget)
        needed = scaled(least.value, pods, up=True) if pods else None
        if pods and needed is not None and needed >= pods:
            yield _blocking(
                budget,
                least,
                f"minAvailable {least.value} of {plural(pods, 'pod')}",
                "Write maxUnavailable: 1 instead"
                + (", and run two replicas to be served meanwhile." if pods == 1 else "."),
            )


def _blocking(budget: DisruptionBudget, place: Known[int | str], what: str, remedy: str) -> Finding:
    return Finding(
        f"PodDisruptionBudget {budget.ref.name} has {what}: 0 pods may be evicted, so a node that runs one is never "
        "drained and its upgrade waits",
        at=place,
        otherwise=budget.origin,
        remedy=remedy,
        evidence=(evidence("budget", place.value, source=str(place.origin)),),
    )


def _most_pods(stack: Stack, budget: DisruptionBudget) -> int | None:
    """The greatest number of pods that the budget selects, None where that is not known."""
    selector = value_of(budget.selector)
    if not selector:
        return None
    scaled_by = {workload.ref: autoscaler for autoscaler, workload in scaled_workloads(stack)}
    total = 0
    for workload, pods in pod_sets_of(stack):
        if workload.ref.namespace != budget.ref.namespace or not matches(selector, pods.labels):
            continue
        count = _most(workload, value_of(pods.count.max), pods_wanted(pods))
        if workload.ref in scaled_by:
            count = value_of(scaled_by[workload.ref].max_replicas)
        if count is None:
            return None
        total += count
    return total


def _most(workload: Workload, maximum: int | None, wanted: int | None) -> int | None:
    if workload.ref.kind not in _SCALABLE or maximum is None or wanted is None:
        return None
    return max(maximum, wanted)


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="kubectl drain, node upgrades and cluster autoscalers evict pods and keep asking while the budget "
    "refuses. Percentages are rounded up, so 90 % of one pod is one. A model served by one replica is interrupted by "
    "an upgrade in any case; the budget only decides whether the upgrade ever ends.",
    remedy="Allow one pod to be missing.",
    sources=("Kubernetes 1.36, pkg/controller/disruption: both bounds rounded up; evictions refused at 0 allowed",),
    bad=(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: embed}
        spec:
          minAvailable: 90%  # fires
          selector: {matchLabels: {app: embed}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          replicas: 4
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: embed}
        spec:
          maxUnavailable: 0  # fires
          selector: {matchLabels: {app: embed}}
        """,
    ),
    good=(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: embed}
        spec:
          minAvailable: 50%
          selector: {matchLabels: {app: embed}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          replicas: 2
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: embed}
        spec:
          maxUnavailable: 1
          selector: {matchLabels: {app: embed}}
        """,
    ),
    check=check,
)
