"""An autoscaler watches a metric that the engine's version no longer exports.

Without data it never scales, and says so only in its own conditions.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Fact, Known, value_of
from controlplane.stack.histories import Removal
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler
from controlplane.stack.vllm_metrics import metric, removed_metric

_NAME = regex(r"(?P<ray>ray_)?vllm[:_](?P<base>[a-z][a-z0-9_]*)")


def check(stack: Stack) -> Iterator[Finding]:
    for autoscaler, workload in scaled_workloads(stack):
        version = _version(workload)
        if version is None:
            continue
        for place, name in _names(autoscaler):
            removal = removed_metric(name, version)
            if removal is not None and metric(name, version) is None:
                yield _gone(autoscaler, place, name, version, removal)


def _gone(autoscaler: Autoscaler, place: Place, name: str, version: str, removal: Removal) -> Finding:
    instead = removal.successor and f"Watch {removal.successor} instead."
    return Finding(
        f"{autoscaler.ref.kind} {autoscaler.ref.name} watches {name}, which vLLM {version} does not export "
        f"(gone in {removal.gone_in})",
        at=place,
        otherwise=autoscaler.origin,
        evidence=(evidence("version of vLLM", version, source="the engine's image"),),
        remedy=instead or f"Watch another metric; {removal.replacement or 'it has no successor'}.",
    )


def _version(workload: Workload) -> str | None:
    """The version of all engines of the workload, None where it is not known or they differ."""
    versions = {value_of(engine.version) for engine in workload.engines}
    return versions.pop() if len(versions) == 1 else None


def _names(autoscaler: Autoscaler) -> Iterator[tuple[Place, str]]:
    """Metrics of vLLM in names and queries. Adapters write `vllm_x` for `vllm:x`, Ray Serve LLM `ray_vllm_x`."""
    for watched in autoscaler.metrics:
        for fact in (watched.name, watched.query):
            yield from ((fact, f"vllm:{match['base']}") for match in _NAME.finditer(_text(fact)))


def _text(fact: Fact[str]) -> str:
    return fact.value if isinstance(fact, Known) else ""


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="vLLM renames and drops metrics between releases. An autoscaler whose query answers nothing keeps the "
    "replicas it has: the service does not grow under load, and after an upgrade nobody connects the two.",
    remedy="Watch the metric that the engine's version exports.",
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
          scaleTargetRef: {name: chat}
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: avg(vllm:gpu_cache_usage_perc{service="chat"})  # fires
                threshold: "0.8"
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
          scaleTargetRef: {name: chat}
          minReplicaCount: 1
          maxReplicaCount: 4
          triggers:
            - type: prometheus
              metadata:
                serverAddress: http://prometheus.monitoring:9090
                query: avg(vllm:kv_cache_usage_perc{service="chat"})
                threshold: "0.8"
        """,
    ),
    check=check,
)
