"""An autoscaler may ask for more GPUs than the namespace's quota allows.

Pods beyond the quota are refused on creation: there is no Pending pod to look at.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ceilings import Ceiling, scaled_ceilings
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.references import ResourceQuota


def check(stack: Stack) -> Iterator[Finding]:
    quotas = [r for r in stack.references if isinstance(r, ResourceQuota) and not r.scopes]
    for ceiling in scaled_ceilings(stack):
        for quota in quotas:
            if quota.ref.namespace == ceiling.workload.ref.namespace:
                yield from _over(ceiling, quota)


def _over(ceiling: Ceiling, quota: ResourceQuota) -> Iterator[Finding]:
    for resource, per_pod in ceiling.amounts.items():
        hard = quota.hard.get(f"requests.{resource}")
        wanted = ceiling.pods * per_pod
        # That not even one pod fits is the finding of the rule on what is asked for now.
        if isinstance(hard, Known) and per_pod <= hard.value.value < wanted:
            fits = int(hard.value.value // per_pod)
            yield Finding(
                f"{ceiling.named} may scale to {ceiling.pods} pods, {wanted} {resource} in all; the quota "
                f"{quota.ref.name} allows {hard.value.canonical()}",
                at=ceiling.limit,
                evidence=(
                    evidence("pods at most", ceiling.limit),
                    evidence(f"hard requests.{resource}", hard.value.canonical(), source=str(hard.origin)),
                ),
                remedy=f"Lower the ceiling to {fits} pods, or raise the quota to {wanted}.",
                related=((hard, "the quota"),),
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="A ResourceQuota refuses pods when they are created. The autoscaler sees fewer replicas than it asked "
    "for and no reason; the reason stands in events of the ReplicaSet or in the status of the Ray cluster.",
    remedy="Let the ceiling x GPUs of a pod be at most what the quota allows.",
    sources=("Kubernetes 1.36, quota of extended resources: only requests.<name> is counted",),
    bad=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: gpus, namespace: llm}
        spec:
          hard: {requests.nvidia.com/gpu: "4"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat, namespace: llm}
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
        metadata: {name: chat, namespace: llm}
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
        kind: ResourceQuota
        metadata: {name: gpus, namespace: llm}
        spec:
          hard: {requests.nvidia.com/gpu: "10"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat, namespace: llm}
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
        metadata: {name: chat, namespace: llm}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 10
          metrics:
            - type: Pods
              pods:
                metric: {name: "vllm:num_requests_waiting"}
                target: {type: AverageValue, averageValue: "5"}
        """,
    ),
    check=check,
)
