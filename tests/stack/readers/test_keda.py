from __future__ import annotations

from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.references import Autoscaler
from tests.stack.manifests import read_text

TRIGGER = """\
  - type: prometheus
    metadata:
      serverAddress: http://prometheus.example
      query: sum(vllm:num_requests_waiting)
      threshold: "5"
"""


def read(spec: str, kind: str = "ScaledObject") -> Autoscaler:
    text = f"apiVersion: keda.sh/v1alpha1\nkind: {kind}\nmetadata: {{name: chat}}\nspec:\n{spec}"
    (found,) = read_text(text).stack.references
    assert isinstance(found, Autoscaler)
    return found


def test_a_trigger_keeps_its_query_and_threshold() -> None:
    (metric,) = read(f"  scaleTargetRef: {{name: chat}}\n  triggers:\n{TRIGGER}").metrics
    assert (metric.kind, value_of(metric.query)) == ("prometheus", "sum(vllm:num_requests_waiting)")
    assert (value_of(metric.target), metric.name) == ("5", ABSENT)


def test_what_is_not_set_is_as_keda_takes_it() -> None:
    found = read("  scaleTargetRef: {name: chat}\n")
    target = (found.target_api_version, found.target_kind, found.target_name)
    assert tuple(map(value_of, target)) == ("apps/v1", "Deployment", "chat")
    assert (value_of(found.min_replicas), value_of(found.max_replicas)) == (0, 100)


def test_bounds_are_as_written() -> None:
    found = read("  minReplicaCount: 1\n  maxReplicaCount: 4\n  idleReplicaCount: 0\n  cooldownPeriod: 300\n")
    assert (value_of(found.min_replicas), value_of(found.max_replicas)) == (1, 4)
    assert (value_of(found.idle_replicas), value_of(found.cooldown_seconds)) == (0, 300)


def test_a_scaled_job_targets_nothing() -> None:
    found = read("  jobTargetRef: {template: {}}\n  maxReplicaCount: 7\n", "ScaledJob")
    assert (found.target_kind, found.target_name, value_of(found.max_replicas)) == (ABSENT, ABSENT, 7)
