"""A workload's selector does not match the labels of its own pods."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial, is_rendered
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet

_SELECTING = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        if workload.ref.kind in _SELECTING:
            for pods in workload.pod_sets:
                yield from _unmatched(workload, pods)


def _unmatched(workload: Workload, pods: PodSet) -> Iterator[Finding]:
    for key, value in workload.selector.items():
        carried = pods.labels.get(key)
        if carried == value or not is_rendered(value) or is_partial(workload, pods):
            continue
        label = f"{key}: {carried}" if carried is not None else f"no label {key}"
        yield Finding(
            f"the selector of {workload.ref.kind} {workload.ref.name} wants {key}: {value}, its pods carry {label}; "
            "the API server refuses it",
            at=pods.label_origins.get(key),
            otherwise=pods.origin or workload.origin,
            remedy=f"Give the pod template the label {key}: {value}.",
            evidence=(evidence(f"selector {key}", value, source="spec.selector.matchLabels"),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="The controller finds its pods by the selector: one that does not match the template is refused. It "
    "happens when a patch or a chart changes one of the two; a selector cannot be changed later.",
    remedy="Make the template's labels those of the selector.",
    sources=("Kubernetes 1.36.3, asked by server-side dry run: '`selector` does not match template `labels`'",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata:
              labels:
                app: embedding  # fires
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
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
            metadata: {labels: {app: embed, tier: batch}}
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
    ),
    check=check,
)
