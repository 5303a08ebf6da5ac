"""Part of a GPU is asked for.

Kubernetes counts devices in whole numbers; sharing one is the device plug-in's or the engine's work.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.gpu_resources import gpu_limits
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        for resource, amount in gpu_limits(container).items():
            if isinstance(amount, Known) and amount.value.value.denominator != 1:
                whole, written = amount.value.bytes(), f"{float(amount.value.value):g}"
                yield Finding(
                    f"container {container.name} asks for {written} {resource}; "
                    f"the API server takes whole numbers of it only, such as {whole}",
                    at=amount,
                    remedy=f"Write {whole}; to share a GPU, ask for a MIG or time slice that the node's plug-in "
                    "offers, or give Ray the fraction as num_gpus of an actor.",
                    evidence=(evidence(resource, written, source=str(amount.origin)),),
                )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Extended resources are counted, not measured: the API server refuses 0.5 of one. What limits an "
    "engine's share of a GPU's memory is its own --gpu-memory-utilization.",
    remedy="Ask for a whole number of devices, or for slices by the name that the device plug-in gives them.",
    sources=("Kubernetes 1.36.3, asked by server-side dry run: 'Invalid value: \"500m\": must be an integer'",),
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
                    limits:
                      nvidia.com/gpu: 0.5  # fires
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
                    limits: {nvidia.com/mig-1g.10gb: 1, cpu: 1500m}
        """,
    ),
    check=check,
)
