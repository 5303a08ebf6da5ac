"""An autoscaler may ask for more GPU pods than all machines together can hold.

The pods beyond stay Pending, and the ceiling tells nobody where capacity ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ceilings import Ceiling, scaled_ceilings
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.facts import Known
from controlplane.stack.inventory import NodePool
from controlplane.stack.model import Stack
from controlplane.stack.scheduling import admits


def check(stack: Stack) -> Iterator[Finding]:
    if "Node" not in stack.context.complete:
        return
    for ceiling in scaled_ceilings(stack):
        pools = [pool for pool in stack.inventory.pools if admits(ceiling.pod_set.constraints, pool)]
        for resource, per_pod in ceiling.amounts.items():
            held = _held(pools, resource, per_pod)
            if held is not None and 0 < held < ceiling.pods:
                yield _finding(ceiling, resource, per_pod, held)


def _held(pools: list[NodePool], resource: str, per_pod: int) -> int | None:
    """Pods that the pools at their largest hold of that resource alone; None where a pool's size is not known."""
    total = 0
    for pool in pools:
        amount = pool.allocatable.get(resource)
        if amount is None or not per_pod:
            continue
        if not isinstance(pool.nodes.max, Known):
            return None
        total += pool.nodes.max.value * int(amount.value // per_pod)
    return total


def _finding(ceiling: Ceiling, resource: str, per_pod: int, held: int) -> Finding:
    return Finding(
        f"{ceiling.named} may scale to {plural(ceiling.pods, 'pod')} of {per_pod} {resource}; "
        f"the machines it can use hold {held}",
        at=ceiling.limit,
        evidence=(
            evidence("pods at most", ceiling.limit),
            evidence("pods that fit", held, source=f"nodes x {resource} of every pool that takes the pod"),
        ),
        remedy=f"Lower the ceiling to {held}, or let the pool grow.",
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="Ceilings that disagree hide where capacity ends: the autoscaler goes on asking, pods stay Pending, "
    "and a cluster autoscaler that could add nodes has none to add. Alerts on replicas at their maximum never come.",
    remedy="Let the ceiling be what the machines hold.",
    bad=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-1, labels: {pool: gpu}}
        status: {allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "4", pods: "110"}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 10  # fires
          metrics:
            - type: Pods
              pods:
                metric: {name: "vllm:num_requests_waiting"}
                target: {type: AverageValue, averageValue: "5"}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: gpu-1, labels: {pool: gpu}}
        status: {allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "4", pods: "110"}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 4
          metrics:
            - type: Pods
              pods:
                metric: {name: "vllm:num_requests_waiting"}
                target: {type: AverageValue, averageValue: "5"}
        """,
    ),
    check=check,
)
