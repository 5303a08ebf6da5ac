"""All the pods together do not fit onto all the machines there can be."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.placement import Placement, Pod
from controlplane.rules.machines import placement, pod_prefix
from controlplane.rules.pod_arithmetic import pod_sets_of, shown
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet


def check(stack: Stack) -> Iterator[Finding]:
    placed = placement(stack)
    if placed is None or not placed.unplaced:
        return
    for workload, pods in pod_sets_of(stack):
        left = [pod for pod in placed.unplaced if pod.name.startswith(pod_prefix(workload, pods))]
        if left:
            yield _unplaced(workload, pods, placed, left)


def _unplaced(workload: Workload, pods: PodSet, placed: Placement, left: list[Pod]) -> Finding:
    resource = _scarcest(placed, left[0])
    total, largest = placed.total_free(resource), placed.largest_free(resource)
    who = f"{plural(len(left), 'pod')} {pods.name} of {workload.ref.kind} {workload.ref.name}"
    return Finding(
        f"{who} find no node beside the other pods: each asks for {shown(resource, left[0].requests[resource])} "
        f"{resource}; {shown(resource, total)} are free in all and {shown(resource, largest)} on the node with most, "
        "in the best packing found",
        at=pods.count.desired,
        otherwise=workload.origin,
        remedy="Lower the number of replicas, ask for less in a pod, or let the pool have more nodes.",
        evidence=(
            evidence(f"{resource} of a pod", shown(resource, left[0].requests[resource]), source="its containers"),
            evidence(f"{resource} free in all", shown(resource, total), source="all nodes, pods packed"),
            evidence(f"{resource} free on one node", shown(resource, largest), source="all nodes, pods packed"),
        ),
    )


def _scarcest(placed: Placement, pod: Pod) -> str:
    """What keeps the pod from the emptiest node most."""
    asked = {name: amount for name, amount in pod.requests.items() if amount}
    return min(asked, key=lambda name: (placed.largest_free(name) / asked[name], name))


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="Some pods stay Pending. Counted are the pods that are sure to run, each pool with the most nodes that "
    "it may have, and the best packing that was found: the scheduler itself spreads pods and may leave more of them "
    "without a place. Judged only where the input shows all machines (Nodes, or a Fleet).",
    remedy="Lower the number of replicas, or add machines.",
    sources=("Kubernetes 1.36 scheduler: NodeResourcesFit", "Field case: volcano-sh/volcano issue 3948"),
    bad=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "8", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train}
        spec:
          replicas: 3  # fires
          strategy: {type: Recreate}
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources: {limits: {nvidia.com/gpu: 3}}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "8", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train}
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
                  resources: {limits: {nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
