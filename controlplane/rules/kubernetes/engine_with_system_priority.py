"""An engine has a priority that is meant for the cluster's own components."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_SYSTEM = ("system-cluster-critical", "system-node-critical")


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        given = value_of(engine.pods.constraints.priority_class) if engine.pods is not None else None
        if engine.pods is not None and given in _SYSTEM and engine.workload.ref.namespace != "kube-system":
            yield Finding(
                f"the engine's pods {engine.pods.name} have priorityClassName {given}, above all that is not the "
                "cluster's own; they may preempt DNS and device plug-ins, and some clusters refuse it here",
                at=engine.pods.constraints.priority_class,
                otherwise=engine.place,
                remedy="Make a PriorityClass of your own, such as value: 1000000, and name it.",
                evidence=(evidence("priorityClassName", engine.pods.constraints.priority_class),),
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="When a node is short, the scheduler and the kubelet remove pods of lower priority, and with these "
    "classes that is everything but system pods. GKE and others allow them in kube-system alone, by a quota: then "
    "there are no pods at all.",
    remedy="Use a PriorityClass of your own.",
    sources=(
        "Kubernetes: system-node-critical 2000001000, system-cluster-critical 2000000000; user classes to 10^9",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat, namespace: models}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              priorityClassName: system-node-critical  # fires
              containers:
                - name: server
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-8B]
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat, namespace: models}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              priorityClassName: serving
              containers:
                - name: server
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-8B]
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
