"""A container requests more than its limit allows."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.gpu_resources import is_gpu
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        for resource, request in container.requests.items():
            limit = container.limits.get(resource)
            # A GPU's request has to equal its limit: another rule says so.
            if is_gpu(resource) or not isinstance(request, Known) or not isinstance(limit, Known):
                continue
            if request.value > limit.value:
                wanted, granted = request.value.canonical(), limit.value.canonical()
                yield Finding(
                    f"container {container.name} requests {resource} {wanted} and its limit is {granted}; "
                    "the API server refuses a request above the limit",
                    at=request,
                    remedy=f"Raise the limit to {wanted}, or lower the request to {granted}.",
                    evidence=(
                        evidence(f"requests.{resource}", wanted, source=str(request.origin)),
                        evidence(f"limits.{resource}", granted, source=str(limit.origin)),
                    ),
                    related=((limit, f"the limit is {granted}"),),
                )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.2.0",
    rationale="The API server refuses the pod, and every built-in workload with such pods. A custom resource that "
    "holds the same template is accepted, and its operator cannot create pods.",
    remedy="Raise the limit to the request, or lower the request.",
    sources=("Kubernetes 1.36.3, asked by server-side dry run: 'must be less than or equal to cpu limit of 1'",),
    bad=(
        """
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
                      cpu: 2
                      memory: 16Gi  # fires
                    limits:
                      memory: 16G
        """,
    ),
    good=(
        """
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
                    requests: {cpu: 2, memory: 16384Mi}
                    limits: {memory: 16Gi}
        """,
    ),
    check=check,
)
