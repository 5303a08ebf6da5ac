"""A Kueue queue can never admit the workload that is sent to it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.frozen import frozen
from controlplane.placement import requests_of
from controlplane.rules.machines import least_pods
from controlplane.rules.pod_arithmetic import amounts_known, is_partial, largest_asker, shown
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed, plural
from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import ClusterQueue, LocalQueue

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
_ALL_AT_ONCE = frozenset({"Job", "RayJob", "RayCluster", "RayService", "StatefulSet"})
"""Kinds that Kueue admits as a whole; of a Deployment it admits pod by pod, of a LeaderWorkerSet group by group."""

_LESS_WILL_DO = "kueue.x-k8s.io/job-min-parallelism"

_NEVER_TRANSLATED = frozenset({"cpu", "memory", "nvidia.com/gpu", "amd.com/gpu"})
"""Slices and shares of devices are counted under other names where Kueue's configuration has
`resources.transformations`, which no manifest shows; nobody translates these."""


def check(stack: Stack) -> Iterator[Finding]:
    queues = {q.ref.name: q for q in stack.references if isinstance(q, ClusterQueue)}
    local = {(q.ref.namespace, q.ref.name): q for q in stack.references if isinstance(q, LocalQueue)}
    for workload in stack.workloads:
        name = workload.labels.get(QUEUE_LABEL, "")
        fed = local.get((workload.ref.namespace, name))
        queue = queues.get(value_of(fed.cluster_queue) or "") if fed is not None else None
        # With a cohort it may borrow; how much is there depends on the others.
        if queue is not None and queue.quotas and queue.cohort == ABSENT:
            yield from _judge(workload, queue)


@frozen
class _Demand:
    """Pods of a set that are admitted together, and what each asks for."""

    pods: PodSet
    count: int
    each: int

    @property
    def total(self) -> int:
        return self.each * self.count


def _judge(workload: Workload, queue: ClusterQueue) -> Iterator[Finding]:
    whole = workload.ref.kind in _ALL_AT_ONCE and _LESS_WILL_DO not in workload.annotations
    known = [p for p in workload.pod_sets if amounts_known(p) and not is_partial(workload, p)]
    asked: dict[str, list[_Demand]] = {}
    for pods in known:
        count = least_pods(pods) if whole else min(least_pods(pods), 1)
        for resource, each in requests_of(pods).items():
            if count and each and resource != "pods":
                asked.setdefault(resource, []).append(_Demand(pods, count, each))
    for resource, demands in asked.items():
        yield from _compare(workload, queue, resource, demands)


def _compare(workload: Workload, queue: ClusterQueue, resource: str, demands: list[_Demand]) -> Iterator[Finding]:
    quotas = [quota for quota in queue.quotas if quota.resource == resource]
    nominal = [amount.nano for quota in quotas if (amount := value_of(quota.nominal)) is not None]
    if len(nominal) < len(quotas):
        return
    if not quotas:
        if resource in _NEVER_TRANSLATED:
            yield _uncovered(workload, queue, resource, demands[0])
        return
    # A pod set gets one flavor; several pod sets may get different ones.
    large = next((demand for demand in demands if demand.total > max(nominal)), None)
    if large is not None:
        yield _exceeding(workload, queue, resource, [large], max(nominal), "in its largest flavor")
    elif sum(demand.total for demand in demands) > sum(nominal):
        yield _exceeding(workload, queue, resource, demands, sum(nominal), "in all its flavors")


def _uncovered(workload: Workload, queue: ClusterQueue, resource: str, demand: _Demand) -> Finding:
    covered = sorted({quota.resource for quota in queue.quotas})
    return Finding(
        f"{workload.ref.kind} {workload.ref.name} asks for {resource}, and ClusterQueue {queue.ref.name} covers "
        f"{listed(covered)} alone; unless Kueue is told to ignore {resource}, it is never admitted",
        at=largest_asker((*demand.pods.containers, *demand.pods.init_containers), resource),
        otherwise=demand.pods.origin or workload.origin,
        remedy=f"Add {resource} to coveredResources of {queue.ref.name}, with a quota.",
        evidence=(evidence("covered resources", listed(covered), source=str(queue.origin)),),
        related=((queue.origin, "the queue"),),
    )


def _exceeding(
    workload: Workload, queue: ClusterQueue, resource: str, demands: list[_Demand], has: int, where: str
) -> Finding:
    wanted = shown(resource, sum(demand.total for demand in demands))
    parts = listed(f"{plural(d.count, 'pod')} {d.pods.name} with {shown(resource, d.each)}" for d in demands)
    return Finding(
        f"{workload.ref.kind} {workload.ref.name} asks for {wanted} {resource} ({parts}); ClusterQueue "
        f"{queue.ref.name} has {shown(resource, has)} {where} and no cohort to borrow from, so it is never admitted",
        at=largest_asker((*demands[0].pods.containers, *demands[0].pods.init_containers), resource),
        otherwise=demands[0].pods.origin or workload.origin,
        remedy=f"Raise nominalQuota to {wanted} or more, or ask for {shown(resource, has)} or less.",
        evidence=(
            evidence(f"{resource} of the workload", wanted, source=parts),
            evidence(f"nominalQuota {resource}", shown(resource, has), source=str(queue.origin)),
        ),
        related=((queue.origin, "the queue"),),
        severity=Severity.ERROR,
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Kueue suspends the workload until its ClusterQueue has room for all of it. A demand above the quota, "
    "and a resource that the queue does not cover, are waited for without an end and without a pod to look at. A "
    "queue that covers GPUs alone, while the pods also ask for CPU, is the common form; it is a warning, since Kueue "
    "may be told to ignore resources.",
    remedy="Give the queue a quota for all that the workload asks for.",
    sources=(
        "Kueue: ClusterQueue, resourceGroups: coveredResources and flavors; one flavor a pod set and resource group",
    ),
    bad=(
        """
        apiVersion: kueue.x-k8s.io/v1beta1
        kind: ClusterQueue
        metadata: {name: research}
        spec:
          resourceGroups:
            - coveredResources: [nvidia.com/gpu]
              flavors:
                - name: a100
                  resources: [{name: nvidia.com/gpu, nominalQuota: 8}]
        ---
        apiVersion: kueue.x-k8s.io/v1beta1
        kind: LocalQueue
        metadata: {name: team, namespace: models}
        spec: {clusterQueue: research}
        ---
        apiVersion: batch/v1
        kind: Job
        metadata:
          name: train
          namespace: models
          labels: {kueue.x-k8s.io/queue-name: team}
        spec:
          parallelism: 3
          completions: 3
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    requests:
                      cpu: 8  # fires
                    limits:
                      nvidia.com/gpu: 4  # fires
        """,
    ),
    good=(
        """
        apiVersion: kueue.x-k8s.io/v1beta1
        kind: ClusterQueue
        metadata: {name: research}
        spec:
          resourceGroups:
            - coveredResources: [cpu, nvidia.com/gpu]
              flavors:
                - name: a100
                  resources: [{name: cpu, nominalQuota: 64}, {name: nvidia.com/gpu, nominalQuota: 16}]
        ---
        apiVersion: kueue.x-k8s.io/v1beta1
        kind: LocalQueue
        metadata: {name: team, namespace: models}
        spec: {clusterQueue: research}
        ---
        apiVersion: batch/v1
        kind: Job
        metadata:
          name: train
          namespace: models
          labels: {kueue.x-k8s.io/queue-name: team}
        spec:
          parallelism: 3
          completions: 3
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    requests: {cpu: 8}
                    limits: {nvidia.com/gpu: 4}
        """,
    ),
    check=check,
)
