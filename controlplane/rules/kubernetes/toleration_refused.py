"""A toleration that the API server refuses, or that tolerates nothing."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_rendered, pod_sets_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import Toleration

_EFFECTS = ("", "NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS = ("", "Equal", "Exists", "Lt", "Gt")


def check(stack: Stack) -> Iterator[Finding]:
    for workload, pods in pod_sets_of(stack):
        for toleration in value_of(pods.constraints.tolerations) or ():
            fault = _fault(toleration)
            if fault is not None:
                what, remedy = fault
                yield Finding(
                    f"a toleration of pods {pods.name} {what}; the API server refuses it",
                    at=toleration.origin,
                    otherwise=pods.origin or workload.origin,
                    remedy=remedy,
                    evidence=(evidence("toleration", what, source=str(toleration.origin)),),
                )


def _fault(toleration: Toleration) -> tuple[str, str] | None:
    key, operator, value = toleration.key, toleration.operator, toleration.value
    if not all(is_rendered(text) for text in (key, operator, value, toleration.effect)):
        return None
    if operator not in _OPERATORS:
        return (
            f"has the operator {operator}, known are Equal and Exists",
            "Write operator: Exists, or Equal with a value.",
        )
    if operator == "Exists" and value:
        return (
            f"has operator Exists and the value {value}",
            f"Remove the value, or write operator: Equal for {value} alone.",
        )
    if not key and operator != "Exists":
        return "has no key", "Name the taint's key, or write operator: Exists to tolerate all taints."
    if toleration.effect not in _EFFECTS:
        return (
            f"has the effect {toleration.effect}",
            "Write NoSchedule, PreferNoSchedule or NoExecute, or leave it out.",
        )
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        return (
            "has tolerationSeconds without effect NoExecute",
            "Write effect: NoExecute, or remove tolerationSeconds.",
        )
    return None


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="A value beside operator Exists is the common one: nodes are tainted nvidia.com/gpu=present, and both "
    "forms of the toleration get mixed. The workload is refused; a custom resource is accepted and gets no pods.",
    remedy="Write Exists without a value, or Equal with one.",
    sources=("Kubernetes 1.36.3, asked by server-side dry run: 'value must be empty when `operator` is 'Exists''",),
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
              tolerations:
                - {key: nvidia.com/gpu, operator: Exists, value: present, effect: NoSchedule}  # fires
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
            metadata: {labels: {app: embed}}
            spec:
              tolerations:
                - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
                - {key: nvidia.com/gpu, value: present}
                - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 30}
                - {operator: Exists}
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
    ),
    check=check,
)
