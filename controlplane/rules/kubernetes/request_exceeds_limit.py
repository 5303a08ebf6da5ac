"""A container requests more than its limit allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source import Quantity
from controlplane.stack.facts import Fact, Known
from controlplane.stack.gpu_resources import is_gpu
from controlplane.stack.model import Stack

_Amounts = Mapping[str, Fact[Quantity]]


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        yield from _above(f"container {container.name}", container.requests, container.limits)
    for workload in stack.workloads:
        if workload.ray is not None:
            options = workload.ray.autoscaling
            yield from _above("the autoscaler's container", options.requests, options.limits)


def _above(name: str, requests: _Amounts, limits: _Amounts) -> Iterator[Finding]:
    for resource, request in requests.items():
        limit = limits.get(resource)
        # A GPU's request has to equal its limit: another rule says so.
        if is_gpu(resource) or not isinstance(request, Known) or not isinstance(limit, Known):
            continue
        if request.value > limit.value:
            wanted, granted = request.value.canonical(), limit.value.canonical()
            yield Finding(
                f"{name} requests {resource} {wanted} and its limit is {granted}; "
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
    since="0.1.0",
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
