"""An autoscaler takes the last replica away, and only the replicas themselves could ask for a new one."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler, ScalingMetric

_ASIDE = regex(
    r"\{[^{}]*\}|\[[^\[\]]*\]|\"[^\"]*\"|'[^']*'|"
    r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)|\b\d[\w.]*"
)
"""Selectors, ranges, texts, lists of labels and numbers of PromQL: none of them names a metric."""

_FUNCTION = regex(r"[A-Za-z_]\w*\s*(?=\()")
_WORD = regex(r"[A-Za-z_:][\w:]*")
_OPERATORS = frozenset({"and", "or", "unless", "bool", "offset", "atan2"})
_ANSWERS_ALWAYS = regex(r"\b(?:absent|absent_over_time|vector)\s*\(")
"""Functions that answer where there is no data."""


def check(stack: Stack) -> Iterator[Finding]:
    engines = [workload for workload in stack.workloads if workload.engines]
    for autoscaler, workload in scaled_workloads(stack) if engines else ():
        if workload in engines and _reaches_zero(autoscaler) and _watches_itself(autoscaler, workload, len(engines)):
            yield _finding(autoscaler, workload)


def _reaches_zero(autoscaler: Autoscaler) -> bool:
    if autoscaler.ref.kind != "ScaledObject":
        return False
    return 0 in (value_of(autoscaler.min_replicas), value_of(autoscaler.idle_replicas))


def _watches_itself(autoscaler: Autoscaler, workload: Workload, engines: int) -> bool:
    """Whether every trigger asks for metrics that the workload alone exports, as far as the input tells."""
    if not autoscaler.metrics or not all(_is_vllms(metric) for metric in autoscaler.metrics):
        return False
    queries = [str(value_of(metric.query)) for metric in autoscaler.metrics]
    return engines == 1 or all(workload.ref.name in query for query in queries)


def _is_vllms(metric: ScalingMetric) -> bool:
    """Whether a trigger's query names metrics of vLLM alone, and answers nothing without them."""
    if metric.kind != "prometheus" or not isinstance(metric.query, Known):
        return False
    query = metric.query.value
    if _ANSWERS_ALWAYS.search(query) or "$" in query:
        return False
    words = set(_WORD.findall(_FUNCTION.sub(" ", _ASIDE.sub(" ", query)))) - _OPERATORS
    return bool(words) and all(word.startswith("vllm:") for word in words)


def _finding(autoscaler: Autoscaler, workload: Workload) -> Finding:
    idle = value_of(autoscaler.idle_replicas) == 0
    place, name = (
        (autoscaler.idle_replicas, "idleReplicaCount") if idle else (autoscaler.min_replicas, "minReplicaCount")
    )
    return Finding(
        f"ScaledObject {autoscaler.ref.name} scales {workload.ref.kind} {workload.ref.name} to 0 ({name}) and "
        "watches metrics of its own engines alone; with no replica nobody exports them, and it stays at 0",
        at=place,
        otherwise=autoscaler.origin,
        remedy="Set minReplicaCount: 1, or add a trigger that needs no replica: a gateway's metric, or cron.",
        evidence=(evidence(name, 0, source=str(autoscaler.origin)),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="The queue that should wake the service is counted inside its engines. KEDA takes an answer without "
    "data for 0, and requests are refused by a Service without endpoints before anything can count them.",
    remedy="Keep one replica, or scale on what is measured before the engines.",
    sources=(
        "KEDA 2.18, pkg/scalers/prometheus_scaler.go: ignoreNullValues is true unless it is set, and no data is 0",
        "KEDA 2.18, apis/keda/v1alpha1: minReplicaCount is 0 where it is not set",
    ),
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
          minReplicaCount: 0  # fires
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(vllm:num_requests_waiting{service="chat"})
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
          minReplicaCount: 0
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(vllm:num_requests_waiting{service="chat"})
                threshold: "8"
            - type: cron
              metadata: {timezone: UTC, start: 0 7 * * *, end: 0 20 * * *, desiredReplicas: "1"}
        """,
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
          minReplicaCount: 0
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: sum(envoy_cluster_upstream_rq_active)
                threshold: "8"
        """,
    ),
    check=check,
)
