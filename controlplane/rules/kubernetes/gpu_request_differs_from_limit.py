"""A GPU's request is not its limit.

GPUs are never overcommitted, so the API server wants both to be the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source import Quantity
from controlplane.stack.facts import Declared, Known
from controlplane.stack.gpu_resources import is_gpu
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        for resource, request in container.requests.items():
            limit = container.limits.get(resource)
            if not (is_gpu(resource) and isinstance(request, Known) and isinstance(limit, Known)):
                continue
            if request.value != limit.value:
                yield _differing(container, resource, request, limit)


def _differing(container: Container, resource: str, request: Known[Quantity], limit: Known[Quantity]) -> Finding:
    wanted, granted = request.value.canonical(), limit.value.canonical()
    edits = (Edit(request.origin.span, granted),) if isinstance(request.origin, Declared) else ()
    return Finding(
        f"container {container.name} requests {wanted} {resource} and its limit is {granted}; "
        "the API server refuses a GPU request that is not equal to the limit",
        at=request,
        remedy=f"Set the request to {granted}, or leave it out: it follows from the limit.",
        edits=edits,
        applicability=Applicability.SAFE if edits else Applicability.DISPLAY_ONLY,
        evidence=(
            evidence(f"requests.{resource}", wanted, source=str(request.origin)),
            evidence(f"limits.{resource}", granted, source=str(limit.origin)),
        ),
        related=((limit, f"the limit is {granted}"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Extended resources cannot be overcommitted. A Deployment is refused at once; a RayCluster is "
    "accepted, and its operator then cannot create a single pod.",
    remedy="Set the request to the limit, or leave the request out.",
    sources=("Kubernetes 1.36.3, asked by server-side dry run: 'must be equal to nvidia.com/gpu limit of 2'",),
    bad=(
        """
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
                    requests:
                      cpu: 2
                      nvidia.com/gpu: 1  # fires
                    limits:
                      nvidia.com/gpu: 2
        """,
    ),
    good=(
        """
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
                    requests: {cpu: 2, nvidia.com/gpu: "2"}
                    limits: {nvidia.com/gpu: 2}
        """,
    ),
    check=check,
)
