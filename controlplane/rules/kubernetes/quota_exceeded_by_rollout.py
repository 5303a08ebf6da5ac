"""The quota has no room for the pod that a rollout starts before it ends an old one."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.machines import least_pods
from controlplane.rules.pod_arithmetic import rolling_update, shown
from controlplane.rules.quota_use import Use, quotas_of, resource_of, uses_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import ResourceQuota


def check(stack: Stack) -> Iterator[Finding]:
    for quota in quotas_of(stack):
        for name, hard in quota.hard.items():
            if isinstance(hard, Known):
                yield from _judge(stack, quota, name, hard)


def _judge(stack: Stack, quota: ResourceQuota, name: str, hard: Known[Quantity]) -> Iterator[Finding]:
    uses = uses_of(stack, quota, name)
    used = sum(use.total for use in uses)
    if used > hard.value.nano:
        return  # not even the pods themselves fit: another rule says so
    for workload in {use.workload.ref: use.workload for use in uses}.values():
        more = _more(workload, [use for use in uses if use.workload is workload])
        if more and used + more > hard.value.nano:
            yield _no_room(quota, name, hard, workload, used, more)


def _more(workload: Workload, uses: list[Use]) -> int:
    """What a rollout takes on top before it gives anything back; nothing where it gives first, or is not known."""
    if workload.ref.kind == "Deployment":
        rolling = rolling_update(workload.strategy, least_pods(uses[0].pods))
        return uses[0].each if rolling is not None and rolling.unavailable == 0 and uses[0].count else 0
    if workload.ref.kind == "RayService" and workload.ray is not None:
        upgrade = value_of(workload.ray.upgrade)
        whole = workload.ray.upgrade == ABSENT or upgrade == "NewCluster"
        return sum(use.total for use in uses) if whole else 0
    return 0


def _no_room(
    quota: ResourceQuota, name: str, hard: Known[Quantity], workload: Workload, used: int, more: int
) -> Finding:
    resource = resource_of(name)
    allowed, taken, extra = hard.value.canonical(), shown(resource, used), shown(resource, more)
    what = "a second cluster" if workload.ray is not None else "one pod more"
    return Finding(
        f"quota {quota.ref.name} allows {allowed} of {name}; {taken} are taken, and a rollout of {workload.ref.kind} "
        f"{workload.ref.name} needs {extra} for {what} before it ends the old one, so it never ends",
        at=hard,
        otherwise=quota.origin,
        remedy=f"Raise {name} to {shown(resource, used + more)}, or {_other_way(workload)}.",
        evidence=(
            evidence(f"hard {name}", allowed, source=str(hard.origin)),
            evidence(f"{name} of the workloads", taken, source="sum of the pods that are sure to run"),
            evidence(f"{name} while rolling out", shown(resource, used + more), source=f"{taken} + {extra}"),
        ),
        related=((workload.origin, "rolled out by starting a new pod first"),),
    )


def _other_way(workload: Workload) -> str:
    if workload.ray is not None:
        return "set upgradeStrategy: {type: NewClusterWithIncrementalUpgrade}"
    return "set rollingUpdate: {maxSurge: 0, maxUnavailable: 1}"


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="The first rollout works, the next change hangs: a Deployment that may miss no pod, and a RayService "
    "that is upgraded by a new cluster, need room for old and new together. The new pods are refused by the quota "
    "and the old ones stay.",
    remedy="Leave room in the quota for the rollout, or let it remove pods first.",
    sources=(
        "Kubernetes 1.36: ResourceQuota admission; Deployments round maxSurge up and maxUnavailable down",
        "KubeRay 1.7: upgradeStrategy NewCluster (the default) starts a whole second cluster",
    ),
    bad=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: models}
        spec:
          hard:
            requests.nvidia.com/gpu: "2"  # fires
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train, namespace: models}
        spec:
          replicas: 2
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: models}
        spec:
          hard: {requests.nvidia.com/gpu: "4"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train, namespace: models}
        spec:
          replicas: 4
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
