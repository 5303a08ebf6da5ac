"""ScaledObject and ScaledJob keda.sh/v1alpha1."""

from __future__ import annotations

from dataclasses import replace

from controlplane.stack.facts import ABSENT, Fact, Known, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.readers.autoscaler import written
from controlplane.stack.references import Autoscaler, ScalingMetric

_TARGETS = ("threshold", "targetValue", "value", "desiredReplicas", "listLength", "lagThreshold", "queueLength")
"""Where the common triggers keep what they aim at (KEDA 2.18)."""

_DEFAULTS = {"minReplicaCount": 0, "maxReplicaCount": 100}
"""What KEDA takes where a bound is not set (2.18, `apis/keda/v1alpha1`)."""


def read(manifest: Field) -> Autoscaler:
    """The autoscaler of a ScaledObject; its target is a Deployment where it names no kind."""
    spec = manifest["spec"]
    target = spec["scaleTargetRef"]
    return Autoscaler(
        ref=metadata.reference(manifest),
        target_api_version=_or(target["apiVersion"], "apps/v1"),
        target_kind=_or(target["kind"], "Deployment"),
        target_name=target["name"].text(),
        min_replicas=_bound(spec["minReplicaCount"]),
        max_replicas=_bound(spec["maxReplicaCount"]),
        metrics=tuple(_trigger(item) for item in spec["triggers"].items()),
        cooldown_seconds=spec["cooldownPeriod"].integer(),
        idle_replicas=spec["idleReplicaCount"].integer(),
        origin=metadata.name_origin(manifest),
    )


def read_job(manifest: Field) -> Autoscaler:
    """The autoscaler of a ScaledJob, which makes Jobs of its own and targets nothing."""
    return replace(read(manifest), target_api_version=ABSENT, target_kind=ABSENT, target_name=ABSENT)


def _or(field: Field, default: str) -> Fact[str]:
    return field.text() if field.is_set else derived(default, f"KEDA's default where {field.path[-1]} is not set")


def _bound(field: Field) -> Fact[int]:
    if field.is_set:
        return field.integer()
    name = str(field.path[-1])
    return derived(_DEFAULTS[name], f"KEDA's default where {name} is not set")


def _trigger(item: Field) -> ScalingMetric:
    settings = item["metadata"]
    targets = [settings[key] for key in _TARGETS if settings[key].is_set]
    query = settings["query"].literal()
    return ScalingMetric(
        kind=item["type"].plain_text(),
        name=settings["metricName"].text() if settings["metricName"].is_set else item["name"].text(),
        query=query if isinstance(query, Known) or settings["query"].is_set else ABSENT,
        target=written(targets[0]) if targets else ABSENT,
        target_type=item["metricType"].text(),
        origin=item.origin,
    )
