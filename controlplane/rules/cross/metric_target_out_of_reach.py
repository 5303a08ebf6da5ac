"""An autoscaler waits for a value that its metric never reaches.

`vllm:kv_cache_usage_perc` is a share from 0 to 1, and an engine never runs more than max_num_seqs requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence
from controlplane.source import QuantityError, parse_quantity
from controlplane.stack.facts import Fact, Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler, ScalingMetric

_SHARE = regex(r"vllm[:_](gpu_cache_usage_perc|kv_cache_usage_perc)")
_RUNNING = regex(r"vllm[:_]num_requests_running\b")
_LABELS = regex(r"""\{(?:[^{}"']|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*\}""")
"""What a query selects by labels, where arithmetic signs are parts of texts."""

_PER_POD = ("Pods",)
"""Metrics that are averaged over the pods by the autoscaler itself."""


def check(stack: Stack) -> Iterator[Finding]:
    for autoscaler, workload in scaled_workloads(stack):
        for metric in autoscaler.metrics:
            limit = _limit(metric, workload)
            target = _number(metric.target)
            if limit is not None and target is not None and target > limit[0]:
                yield _finding(autoscaler, metric, target, limit)


def _finding(autoscaler: Autoscaler, metric: ScalingMetric, target: float, limit: tuple[float, str]) -> Finding:
    most, why = limit
    return Finding(
        f"{autoscaler.ref.kind} {autoscaler.ref.name} scales up above {target:g}; the metric never exceeds {most:g} "
        f"({why})",
        at=metric.target,
        otherwise=metric.origin,
        evidence=(evidence("target", metric.target), evidence("largest value", most, source=why)),
        remedy=f"Set the target below {most:g}.",
    )


def _limit(metric: ScalingMetric, workload: Workload) -> tuple[float, str] | None:
    """The largest value of one replica's metric, and why. None where it has none, or a query transforms it."""
    name, query = value_of(metric.name) or "", value_of(metric.query) or ""
    if _SHARE.fullmatch(name) and metric.kind in _PER_POD:
        return 1.0, "it is a share of the KV cache"
    if _plain(query) and _SHARE.search(query):
        return 1.0, "it is a share of the KV cache"
    if _RUNNING.fullmatch(name) and metric.kind in _PER_POD:
        sequences = [engine.arguments.get("max_num_seqs") for engine in workload.engines]
        fact = sequences[0] if len(sequences) == 1 else None
        if isinstance(fact, Known) and isinstance(fact.value, int):
            return float(fact.value), f"max_num_seqs is {fact.value}"
    return None


def _plain(query: str) -> bool:
    """Whether a query keeps the metric's scale: avg, max, min or quantile of it, and no arithmetic."""
    bare = _LABELS.sub("", query)
    return bool(re.fullmatch(r"\s*(avg|max|min)(_over_time)?\s*\([^*/+]*\)\s*", bare)) and "sum" not in bare


def _number(fact: Fact[str]) -> float | None:
    if not isinstance(fact, Known):
        return None
    try:
        return float(parse_quantity(str(fact.value)).value)
    except QuantityError:
        return None


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="The names mislead: `_perc` is a share between 0 and 1, so a target of 80 is never met, and running "
    "requests stop at max_num_seqs while the others wait. The autoscaler looks healthy and never adds a replica.",
    remedy="Set a target that the metric can exceed.",
    sources=("vLLM 0.33, v1/metrics/loggers.py: KV cache usage, 1 means 100 percent usage",),
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
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 4
          metrics:
            - type: Pods
              pods:
                metric: {name: "vllm:kv_cache_usage_perc"}
                target: {type: AverageValue, averageValue: "80"}  # fires
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
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 4
          metrics:
            - type: Pods
              pods:
                metric: {name: "vllm:kv_cache_usage_perc"}
                target: {type: AverageValue, averageValue: 800m}
        """,
    ),
    check=check,
)
