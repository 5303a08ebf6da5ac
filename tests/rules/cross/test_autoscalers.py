"""Autoscalers of engines: metrics that nobody exports, and the way back from no replica."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of

_ENGINE = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  strategy: {{type: Recreate}}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
        - name: engine
          image: registry.example/vllm-openai:v0.33.0
          args: [--model=/models/chat]
          resources: {{limits: {{nvidia.com/gpu: 1}}}}
---
"""
_SCALED = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {{name: chat}}
spec:
  scaleTargetRef: {{name: chat}}
  {bounds}
  triggers:
    - type: {kind}
      metadata: {{serverAddress: "http://prometheus.monitoring:9090", query: '{query}', threshold: "8"}}
"""


def _ids(query: str, bounds: str = "minReplicaCount: 1", *, kind: str = "prometheus", others: str = "") -> set[str]:
    text = _ENGINE.format(name="chat") + others + _SCALED.format(query=query, bounds=bounds, kind=kind)
    return {finding.rule for finding in findings_of(text)}


@pytest.mark.parametrize(
    "name",
    ["vllm:num_requests_waitng", "vllm:num_request_waiting", "vllm:kv_cache_usage_prec", "vllm:prompt_tokens_totl"],
)
def test_misspelt_metric_is_told_in_queries_and_names(name: str) -> None:
    assert "cross/metric-unknown" in _ids(f"sum(rate({name}[1m]))")
    hpa = f"""
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: chat}}
spec:
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: chat}}
  maxReplicas: 4
  metrics:
    - type: Pods
      pods: {{metric: {{name: "{name}"}}, target: {{type: AverageValue, averageValue: 8}}}}
"""
    assert "cross/metric-unknown" in {finding.rule for finding in findings_of(_ENGINE.format(name="chat") + hpa)}


@pytest.mark.parametrize(
    "name",
    [
        "vllm:num_requests_waiting",
        "vllm:time_to_first_token_seconds_bucket",
        "vllm:prompt_tokens",
        "vllm:num_requests_waiting:sum",
        "team:vllm:num_requests_waitng",
        "vllm:queue_pressure",
        "vllm_num_requests_waitng",
    ],
)
def test_metric_that_may_be_there_is_left_alone(name: str) -> None:
    assert "cross/metric-unknown" not in _ids(f"sum({name})")


_OWN = 'sum(vllm:num_requests_waiting{namespace="llm"}) by (model_name)'
_TO_ZERO = "cross/scales-to-zero-on-own-metrics"


@pytest.mark.parametrize(
    "bounds", ["minReplicaCount: 0", "maxReplicaCount: 3", "minReplicaCount: 1\n  idleReplicaCount: 0"]
)
@pytest.mark.parametrize(
    "query",
    [
        _OWN,
        'avg_over_time(vllm:kv_cache_usage_perc{pod=~"chat-.*"}[5m]) > 0.5',
        "max(vllm:num_requests_waiting) or max(vllm:num_requests_running)",
    ],
)
def test_last_replica_is_not_left_to_its_own_metrics(query: str, bounds: str) -> None:
    assert _TO_ZERO in _ids(query, bounds)


@pytest.mark.parametrize(
    ("query", "bounds"),
    [
        (_OWN, "minReplicaCount: 1"),
        ("sum(envoy_cluster_upstream_rq_active)", "minReplicaCount: 0"),
        ("sum(vllm:num_requests_waiting) + sum(gateway_pending)", "minReplicaCount: 0"),
        ("sum(vllm:num_requests_waiting) or vector(1)", "minReplicaCount: 0"),
        ("absent(vllm:num_requests_waiting)", "minReplicaCount: 0"),
        ("${QUERY}", "minReplicaCount: 0"),
    ],
)
def test_scale_to_zero_that_may_come_back_is_left_alone(query: str, bounds: str) -> None:
    assert _TO_ZERO not in _ids(query, bounds)


def test_other_engines_may_export_the_metric() -> None:
    other = _ENGINE.format(name="embed")
    assert _TO_ZERO not in _ids(_OWN, "minReplicaCount: 0", others=other)
    assert _TO_ZERO in _ids('sum(vllm:num_requests_waiting{pod=~"chat-.*"})', "minReplicaCount: 0", others=other)


def test_other_kinds_of_triggers_may_wake_the_service() -> None:
    assert _TO_ZERO not in _ids(_OWN, "minReplicaCount: 0", kind="metrics-api")


_MISSPELT = "kubernetes/autoscaler-target-misspelt"


def test_target_one_letter_off_is_told_once_and_no_member_of_a_series() -> None:
    scaled = _SCALED.format(query=_OWN, bounds="minReplicaCount: 1", kind="prometheus")
    assert _MISSPELT in {finding.rule for finding in findings_of(_ENGINE.format(name="chatt") + scaled)}
    for other in ("chat2", "chat-b", "train"):
        assert _MISSPELT not in {finding.rule for finding in findings_of(_ENGINE.format(name=other) + scaled)}
    two = scaled + "---" + scaled.replace("name: chat}", "name: chatt}")
    assert _MISSPELT not in {finding.rule for finding in findings_of(_ENGINE.format(name="chatt") + two)}
