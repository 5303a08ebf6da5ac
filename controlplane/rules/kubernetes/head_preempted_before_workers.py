"""A Ray head has a lower priority than its workers."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, Fact, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import PriorityClass

_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def check(stack: Stack) -> Iterator[Finding]:
    classes = {r.ref.name: r.value for r in stack.references if isinstance(r, PriorityClass)}
    defaults = [r.value for r in stack.references if isinstance(r, PriorityClass) and value_of(r.global_default)]
    for workload in stack.workloads:
        if workload.ray is not None:
            head = workload.pod_set(workload.ray.head.name)
            if head is not None:
                yield from _below(workload, head, classes, defaults)


def _below(
    workload: Workload, head: PodSet, classes: dict[str, Fact[int]], defaults: list[Fact[int]]
) -> Iterator[Finding]:
    own = _priority(head, classes, defaults)
    for pods in workload.pod_sets:
        theirs = _priority(pods, classes, defaults)
        if own is not None and theirs is not None and own < theirs:
            yield _preempted(workload, head, own, pods, theirs)
            return


def _preempted(workload: Workload, head: PodSet, own: int, pods: PodSet, theirs: int) -> Finding:
    their_class = value_of(pods.constraints.priority_class) or "the default"
    return Finding(
        f"the head of {workload.ref.kind} {workload.ref.name} has priority {own}, its workers {pods.name} have "
        f"{theirs}; they, or others like them, may preempt the head, and the whole cluster ends with it",
        at=head.constraints.priority_class,
        otherwise=head.origin or workload.origin,
        remedy=f"Give the head the priorityClassName of its workers, {their_class}, or a higher one.",
        evidence=(
            evidence("priority of the head", own, source="its class, or the default"),
            evidence(f"priority of {pods.name}", theirs, source=their_class),
        ),
        related=((pods.constraints.priority_class, f"the workers have {theirs}"),),
    )


def _priority(pods: PodSet, classes: dict[str, Fact[int]], defaults: list[Fact[int]]) -> int | None:
    """None where the class is not in the input. Without a class it is the default's, or 0 where there is none."""
    name = pods.constraints.priority_class
    if name == ABSENT:
        return value_of(defaults[0]) if defaults else 0
    known = value_of(name) or ""
    return _SYSTEM.get(known, value_of(classes.get(known, ABSENT)))


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="When GPUs or CPUs are short the scheduler removes pods of lower priority to place higher ones. Ray's "
    "head holds the cluster's state: when it goes, all workers and requests of the cluster go, for the sake of one "
    "more worker.",
    remedy="Give the head at least the priority of its workers.",
    sources=(
        "Kubernetes: pod priority and preemption; a pod without a class has the default class's priority, or 0",
    ),
    bad=(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: serving}
        value: 100000
        ---
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.52.0
          headGroupSpec:
            rayStartParams: {num-cpus: "0"}
            template:  # fires below
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.52.0
                    resources: {limits: {cpu: 2, memory: 8Gi}}
          workerGroupSpecs:
            - groupName: gpu
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams: {}
              template:
                spec:
                  priorityClassName: serving
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.52.0
                      resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: serving}
        value: 100000
        ---
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.52.0
          headGroupSpec:
            rayStartParams: {num-cpus: "0"}
            template:
              spec:
                priorityClassName: serving
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.52.0
                    resources: {limits: {cpu: 2, memory: 8Gi}}
          workerGroupSpecs:
            - groupName: gpu
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams: {}
              template:
                spec:
                  priorityClassName: serving
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.52.0
                      resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
