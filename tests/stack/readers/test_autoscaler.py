from __future__ import annotations

import pytest

from controlplane.stack.facts import value_of
from controlplane.stack.references import Autoscaler, ScalingMetric
from tests.stack.manifests import at, read_text

TARGET = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}"


def text_of(spec: str, api_version: str = "autoscaling/v2") -> str:
    head = f"apiVersion: {api_version}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: chat, namespace: llm}}\n"
    return f"{head}spec: {{{TARGET}, {spec}}}\n"


def read(spec: str, api_version: str = "autoscaling/v2") -> Autoscaler:
    (found,) = read_text(text_of(spec, api_version)).stack.references
    assert isinstance(found, Autoscaler)
    return found


def shown(metric: ScalingMetric) -> tuple[str, str | None, str | None, str | None]:
    return metric.kind, value_of(metric.name), value_of(metric.target), value_of(metric.target_type)


def test_target_and_bounds_are_as_written() -> None:
    found = read("minReplicas: 2, maxReplicas: 9, behavior: {scaleDown: {stabilizationWindowSeconds: 600}}")
    target = (found.target_api_version, found.target_kind, found.target_name)
    assert tuple(map(value_of, target)) == ("apps/v1", "Deployment", "chat")
    assert (value_of(found.min_replicas), value_of(found.max_replicas), value_of(found.cooldown_seconds)) == (
        2,
        9,
        600,
    )


def test_without_a_minimum_it_is_one() -> None:
    assert value_of(read("maxReplicas: 9").min_replicas) == 1


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (
            "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}",
            ("Resource", "cpu", "70", "Utilization"),
        ),
        (
            "{type: Pods, pods: {metric: {name: q}, target: {type: AverageValue, averageValue: '10'}}}",
            ("Pods", "q", "10", "AverageValue"),
        ),
        (
            "{type: External, external: {metric: {name: q}, target: {type: Value, value: 500m}}}",
            ("External", "q", "500m", "Value"),
        ),
        (
            "{type: Object, object: {metric: {name: q}, target: {type: Value, value: 5}}}",
            ("Object", "q", "5", "Value"),
        ),
        ("{type: New, new: {}}", ("New", None, None, None)),
    ],
)
def test_metrics_keep_their_name_and_their_target(
    metric: str, expected: tuple[str, str | None, str | None, str | None]
) -> None:
    text = text_of(f"maxReplicas: 2, metrics: [{metric}]")
    (found,) = read_text(text).stack.references
    assert isinstance(found, Autoscaler)
    assert shown(found.metrics[0]) == expected
    assert at(text, found.metrics[0].origin) == metric


def test_the_first_version_knows_cpu_alone() -> None:
    (metric,) = read("maxReplicas: 2, targetCPUUtilizationPercentage: 80", "autoscaling/v1").metrics
    assert shown(metric) == ("Resource", "cpu", "80", "Utilization")
