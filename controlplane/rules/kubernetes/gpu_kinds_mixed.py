"""One container asks for two kinds of GPU resources.

The device plug-in answers each kind by itself, and both answers set the same variable of the container.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.source import Quantity
from controlplane.stack.facts import Known
from controlplane.stack.gpu_resources import gpu_limits
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        asked = {
            name: amount
            for name, amount in gpu_limits(container).items()
            if isinstance(amount, Known) and amount.value.nano > 0
        }
        if len(asked) > 1:
            yield _mixed(container, asked)


def _mixed(container: Container, asked: dict[str, Known[Quantity]]) -> Finding:
    words = [f"{amount.value.canonical()} {name}" for name, amount in asked.items()]
    first, second, *_ = asked.values()
    return Finding(
        f"container {container.name} asks for {listed(words)}; the last to be allocated hides the others, "
        "and CUDA uses either whole GPUs or one MIG slice in a process",
        at=second,
        remedy=f"Keep one of {listed(asked)}, or put the other into a container of its own.",
        evidence=tuple(evidence(n, a.value.canonical(), source=str(a.origin)) for n, a in asked.items()),
        related=((first, "the other kind"),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="NVIDIA's device plug-in serves every resource name on its own and passes devices by "
    "NVIDIA_VISIBLE_DEVICES: two names in one container overwrite each other, so that a paid device stays idle. "
    "The API server accepts it.",
    remedy="Ask for one kind of GPU in a container.",
    sources=(
        "NVIDIA k8s-device-plugin: one plug-in a resource name; devices passed in NVIDIA_VISIBLE_DEVICES",
        "NVIDIA MIG user guide: a CUDA process enumerates one MIG instance",
    ),
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
                      nvidia.com/gpu: 1
                      nvidia.com/mig-1g.10gb: 1  # fires
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
                    limits: {nvidia.com/gpu: 1, nvidia.com/mig-1g.10gb: 0}
                - name: ranker
                  image: registry.example/rank:1.0
                  resources:
                    limits: {nvidia.com/mig-1g.10gb: 1}
        """,
    ),
    check=check,
)
