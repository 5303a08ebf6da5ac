"""A pod asks for more than any machine has that may take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.machines import candidates, certainty, known_pools, lacking, willing
from controlplane.rules.pod_arithmetic import largest_asker, pod_sets_of, requests_in_all, shown
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.inventory import NodePool
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet


def check(stack: Stack) -> Iterator[Finding]:
    pools = known_pools(stack)
    for workload, pods in pod_sets_of(stack) if pools else ():
        requests = requests_in_all(workload, pods)
        meant = willing(candidates(pools, requests), pods)
        short = [(pool, lacking(requests, pool)) for pool in meant]
        if short and all(lack for _, lack in short):
            nearest, lack = min(short, key=lambda entry: _distance(requests, entry[1]))
            yield replace(_too_large(workload, pods, nearest, lack), severity=certainty(stack))


def _distance(requests: Mapping[str, int], lack: Mapping[str, int]) -> tuple[int, float]:
    """Fewest resources short, and of those the largest part of what is asked."""
    return len(lack), -sum(has / requests[name] for name, has in lack.items())


def _too_large(workload: Workload, pods: PodSet, pool: NodePool, lack: Mapping[str, int]) -> Finding:
    resource = min(lack, key=lambda name: (lack[name] > 0, name))
    wanted, has = shown(resource, requests_in_all(workload, pods)[resource]), shown(resource, lack[resource])
    who = f"a pod {pods.name} of {workload.ref.kind} {workload.ref.name}"
    return Finding(
        f"{who} asks for {wanted} {resource} in all; a node of pool {pool.name}, which comes nearest, has {has}",
        at=largest_asker((*pods.containers, *pods.init_containers), resource),
        otherwise=pods.origin or workload.origin,
        remedy=f"Ask for {has} or less, or add machines with {wanted}."
        if lack[resource]
        else f"Ask for a resource that nodes have: none offers {resource}.",
        evidence=(
            evidence(f"{resource} of the pod", wanted, source="containers, sidecars, init containers and overhead"),
            evidence(f"allocatable {resource}", has, source=f"pool {pool.name}"),
        ),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A pod runs on one node, however much is free in total: it stays Pending for ever, and no autoscaler "
    "adds a node for it. What counts is what is allocatable, which is less than the machine's size. Judged only "
    "where the input shows all machines: as an error beside a Fleet, as a warning beside Nodes, to which an "
    "autoscaler may add larger ones.",
    remedy="Ask for less in a pod, or add larger machines.",
    sources=("Kubernetes 1.36 scheduler: NodeResourcesFit; sums as in component-helpers/resource, PodRequests",),
    bad=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: 31850m, memory: 120Gi, nvidia.com/gpu: "4", pods: "110"}
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
                  resources:
                    requests: {memory: 64Gi}
                    limits:
                      nvidia.com/gpu: 8  # fires
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  resources:
                    requests:
                      cpu: 32  # fires
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-0}
        status:
          allocatable: {cpu: 31850m, memory: 120Gi, nvidia.com/gpu: "4", pods: "110"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: train}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: train}}
          template:
            metadata: {labels: {app: train}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    requests: {cpu: 16, memory: 64Gi}
                    limits: {nvidia.com/gpu: 4}
        """,
    ),
    check=check,
)
