"""An autoscaler watches a metric that no release of vLLM exports: its name is misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source.suggest import edit_distance
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.references import Autoscaler
from controlplane.stack.vllm_metrics import nearest_of_any_release

_NAME = regex(r"(?<![\w:])vllm:[a-z][a-z0-9_]*(?![\w:])")
_MOST_EDITS = 2


def check(stack: Stack) -> Iterator[Finding]:
    for autoscaler in stack.references if stack.workloads else ():
        if isinstance(autoscaler, Autoscaler):
            for watched in autoscaler.metrics:
                yield from _unknown(autoscaler, watched.name)
                yield from _unknown(autoscaler, watched.query)


def _unknown(autoscaler: Autoscaler, text: object) -> Iterator[Finding]:
    """Names that are near a metric's; others may be those of recording rules."""
    if not isinstance(text, Known):
        return
    for name in sorted({found[0] for found in _NAME.finditer(text.value)}):
        meant = nearest_of_any_release(name)
        if meant is not None and edit_distance(name, meant, _MOST_EDITS) <= _MOST_EDITS:
            yield Finding(
                f"{autoscaler.ref.kind} {autoscaler.ref.name} watches {name}, which no release of vLLM exports; "
                f"{meant} is probably meant",
                at=text,
                otherwise=autoscaler.origin,
                remedy=f"Write {meant}.",
                evidence=(evidence("metric", name, source="names of vLLM 0.8.5 to 0.33.0"),),
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="Prometheus answers a query for a name that nobody exports with nothing, and an autoscaler takes "
    "nothing for no load: the service never grows. Told only of names that are one or two letters off a metric of "
    "vLLM, since a recording rule may have any name.",
    remedy="Correct the name.",
    sources=("vLLM 0.8.5 to 0.33.0, v1/metrics/loggers.py",),
    bad=(
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
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef:
            name: chat
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(vllm:num_requests_waitng{service="chat"})  # fires
                threshold: "8"
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
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef:
            name: chat
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(vllm:num_requests_waiting{service="chat"})
                threshold: "8"
        """,
    ),
    check=check,
)
