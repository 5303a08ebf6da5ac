"""A GPU is requested but not limited.

The API server refuses an extended resource without a limit: it cannot be overcommitted.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of, is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.gpu_resources import is_gpu
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container


def check(stack: Stack) -> Iterator[Finding]:
    for workload, pods, container in containers_of(stack):
        yield from () if is_partial(workload, pods) else _unlimited(container)


def _unlimited(container: Container) -> Iterator[Finding]:
    for resource, request in container.requests.items():
        if is_gpu(resource) and isinstance(request, Known) and resource not in container.limits:
            amount = request.value.canonical()
            yield Finding(
                f"container {container.name} requests {amount} {resource} and sets no limit for it; "
                "the API server takes a GPU only with a limit that equals the request",
                at=request,
                remedy=f"Write limits: {{{resource}: {amount}}}; the request then follows from it.",
                evidence=(evidence(f"requests.{resource}", amount, source=str(request.origin)),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Extended resources are never overcommitted, so the API server refuses a pod that requests a GPU "
    "without a limit, and a Deployment with such pods. A RayCluster is accepted all the same: its operator "
    "then fails to create pods, and there is no pod to look at.",
    remedy="Set the limit to the request.",
    sources=("Kubernetes 1.36, pkg/apis/core/validation: 'Limit must be set for non overcommitable resources'",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    requests:
                      nvidia.com/gpu: 1  # fires
        """,
    ),
    good=(
        """
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
                - name: trainer
                  image: registry.example/trainer:1.0
                  resources:
                    limits:
                      nvidia.com/gpu: 1
        """,
    ),
    check=check,
)
