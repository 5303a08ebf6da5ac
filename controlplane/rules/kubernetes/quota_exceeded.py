"""The namespace's quota is smaller than what its workloads ask for."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import largest_asker, shown
from controlplane.rules.quota_use import Use, quotas_of, resource_of, uses_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Known
from controlplane.stack.model import Stack
from controlplane.stack.references import ResourceQuota


def check(stack: Stack) -> Iterator[Finding]:
    for quota in quotas_of(stack):
        for name, hard in quota.hard.items():
            uses = uses_of(stack, quota, name) if isinstance(hard, Known) else []
            if not isinstance(hard, Known) or not uses:
                continue
            large = [use for use in uses if use.each > hard.value.nano and use.count]
            if large:
                yield from (_pod_too_large(quota, name, hard, use) for use in large)
            elif sum(use.total for use in uses) > hard.value.nano:
                yield _sum_too_large(quota, name, hard, [use for use in uses if use.count])


def _pod_too_large(quota: ResourceQuota, name: str, hard: Known[Quantity], use: Use) -> Finding:
    resource = resource_of(name)
    asked, allowed = shown(resource, use.each), hard.value.canonical()
    containers = (*use.pods.containers, *use.pods.init_containers)
    return Finding(
        f"one pod {use.pods.name} of {use.workload.ref.kind} {use.workload.ref.name} takes {asked} of {name}; "
        f"quota {quota.ref.name} allows {allowed}, so no such pod is ever created",
        at=largest_asker(containers, resource) if name not in ("pods", "count/pods") else ABSENT,
        otherwise=use.pods.origin or use.workload.origin,
        remedy=f"Raise {name} of the quota to {asked} or more, or ask for less.",
        evidence=(
            evidence(f"{name} of a pod", asked, source="containers, sidecars, init containers and overhead"),
            evidence(f"hard {name}", allowed, source=str(hard.origin)),
        ),
        related=((hard, f"the quota allows {allowed}"),),
    )


def _sum_too_large(quota: ResourceQuota, name: str, hard: Known[Quantity], uses: list[Use]) -> Finding:
    resource = resource_of(name)
    total, allowed = shown(resource, sum(use.total for use in uses)), hard.value.canonical()
    parts = [f"{use.count} x {shown(resource, use.each)} for {use.workload.ref.name}/{use.pods.name}" for use in uses]
    return Finding(
        f"quota {quota.ref.name} allows {allowed} of {name}; the workloads here take {total} ({listed(parts)}), "
        "so the last pods are not created",
        at=hard,
        otherwise=quota.origin,
        remedy=f"Raise {name} to {total} or more, or lower replicas or amounts.",
        evidence=(
            evidence(f"hard {name}", allowed, source=str(hard.origin)),
            evidence(f"{name} of the workloads", total, source=" + ".join(parts)),
        ),
        related=tuple((use.workload.origin, f"takes {shown(resource, use.total)}") for use in uses),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="A pod that does not fit into what is left of the quota is refused when it is created: there is no "
    "Pending pod to look at, only events of a ReplicaSet or of an operator. Counted are the pods that are sure to "
    "run, with sidecars, the largest init container, overhead and what KubeRay adds to its pods (200m and 256Mi "
    "while a worker starts, 500m and 512Mi for the head's autoscaler). Quotas with scopes are left out.",
    remedy="Raise the quota, or ask for less.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'exceeded quota: team, requested: requests.cpu=5'",
        "Field case: rh-aiservices-bu/fraud-detection issue 73",
    ),
    bad=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: models}
        spec:
          hard:
            requests.nvidia.com/gpu: "4"  # fires
            requests.cpu: "4"
            limits.memory: 200Gi
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train, namespace: models}
        spec:
          replicas: 3
          strategy: {type: Recreate}
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    requests:
                      cpu: 6  # fires
                    limits: {nvidia.com/gpu: 2, memory: 64Gi}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: models}
        spec:
          hard: {requests.nvidia.com/gpu: "4", requests.cpu: "20", limits.memory: 200Gi, pods: "10"}
        ---
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: other, namespace: elsewhere}
        spec:
          hard: {requests.nvidia.com/gpu: "0"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train, namespace: models}
        spec:
          replicas: 2
          strategy: {type: Recreate}
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    requests: {cpu: 6}
                    limits: {nvidia.com/gpu: 2, memory: 64Gi}
        """,
    ),
    check=check,
)
