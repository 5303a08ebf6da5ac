"""A rollout waits for a new pod that has no place while the old one runs."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.machines import has_room, known_pools, least_pods, placement, shape, willing
from controlplane.rules.pod_arithmetic import RollingUpdate, matches, rolling_update
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet

_MOST_SEARCHES = 8


def check(stack: Stack) -> Iterator[Finding]:
    placed = placement(stack) if known_pools(stack) else None
    if placed is None or placed.unplaced:
        return  # without a place for the pods there is nothing to roll out
    searched: dict[object, str] = {}
    for workload in stack.workloads:
        for pods in workload.pod_sets if workload.ref.kind == "Deployment" else ():
            replicas = least_pods(pods)
            rolling = rolling_update(workload.strategy, replicas)
            if replicas and rolling is not None and rolling.unavailable == 0:
                why = _alone_on_its_node(stack, pods)
                if not why and not has_room(stack, placed, workload, pods):
                    why = _search(searched, stack, workload, pods)
                if why:
                    yield _stuck(workload, pods, rolling, why)


def _search(searched: dict[object, str], stack: Stack, workload: Workload, pods: PodSet) -> str:
    """A new packing is looked for once for pods of one shape, and for few shapes: it takes a while."""
    key = shape(stack, workload, pods)
    if key not in searched and len(searched) < _MOST_SEARCHES:
        searched[key] = _no_place(stack, workload, pods)
    return searched.get(key, "")


def _stuck(workload: Workload, pods: PodSet, rolling: RollingUpdate, why: str) -> Finding:
    replicas = least_pods(pods)
    surge, unavailable = workload.strategy.max_surge, workload.strategy.max_unavailable
    default = " (the default, 25 % of both)" if surge == ABSENT == unavailable else ""
    return Finding(
        f"a rollout of {workload.ref.kind} {workload.ref.name} never ends: of {plural(replicas, 'pod')} 0 may be "
        f"missing and {rolling.surge} be too many{default}, and {why}",
        at=surge if unavailable == ABSENT else unavailable,
        otherwise=workload.origin,
        remedy="Set strategy: {type: Recreate}, or rollingUpdate: {maxSurge: 0, maxUnavailable: 1}.",
        evidence=(
            evidence("maxSurge", rolling.surge, source=f"of {replicas}, rounded up"),
            evidence("maxUnavailable", rolling.unavailable, source=f"of {replicas}, rounded down"),
        ),
    )


def _no_place(stack: Stack, workload: Workload, pods: PodSet) -> str:
    more = placement(stack, (workload, pods))
    return "no node has room for one more pod beside those that run" if more is not None and more.unplaced else ""


def _alone_on_its_node(stack: Stack, pods: PodSet) -> str:
    """Whether the pods keep each other away from their nodes, and have as many nodes as there are pods."""
    for term in pods.pod_affinity:
        itself = term.anti and term.exact and term.match_labels and matches(term.match_labels, pods.labels)
        if itself and term.topology_key == "kubernetes.io/hostname":
            counts = [value_of(pool.nodes.max) for pool in willing(known_pools(stack), pods)]
            nodes = sum(count or 0 for count in counts)
            if None not in counts and nodes == least_pods(pods):
                return f"each of the {plural(nodes, 'node')} has one already, which its anti-affinity keeps alone"
    return ""


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="With one replica the default of 25 % lets no pod be missing and one be too many: the new pod waits "
    "for a GPU, and the old one that holds it is not removed before the new one is ready. Judged only where the "
    "input shows all machines (Nodes, or a Fleet), and with each pool as large as it may get.",
    remedy="Let the rollout remove a pod first.",
    sources=(
        "Kubernetes 1.36, pkg/controller/deployment/util: maxSurge rounded up, maxUnavailable rounded down",
        "Field case: defilantech/LLMKube issue 192",
    ),
    bad=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "1", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: train  # fires
        spec:
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
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "1", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train}
        spec:
          strategy:
            rollingUpdate: {maxSurge: 0, maxUnavailable: 1}
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "2", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train}
        spec:
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
