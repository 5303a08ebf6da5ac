"""HorizontalPodAutoscaler autoscaling/v1 and v2."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.facts import ABSENT, Fact, Known, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import Autoscaler, ScalingMetric

_KEYS = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}


def read(manifest: Field) -> Autoscaler:
    """The autoscaler of a manifest. Without minReplicas it is 1."""
    spec = manifest["spec"]
    target = spec["scaleTargetRef"]
    least: Fact[int] = spec["minReplicas"].integer()
    return Autoscaler(
        ref=metadata.reference(manifest),
        target_api_version=target["apiVersion"].text(),
        target_kind=target["kind"].text(),
        target_name=target["name"].text(),
        min_replicas=derived(1, "the API's default where minReplicas is not set") if least == ABSENT else least,
        max_replicas=spec["maxReplicas"].integer(),
        metrics=tuple(_metrics(spec)),
        cooldown_seconds=spec.at("behavior", "scaleDown", "stabilizationWindowSeconds").integer(),
        origin=metadata.name_origin(manifest),
    )


def _metrics(spec: Field) -> Iterator[ScalingMetric]:
    percentage = spec["targetCPUUtilizationPercentage"]
    if percentage.is_set:
        yield ScalingMetric(
            "Resource",
            name=Known("cpu", percentage.origin),
            target=written(percentage),
            target_type=Known("Utilization", percentage.origin),
            origin=percentage.origin,
        )
    for item in spec["metrics"].items():
        yield _metric(item)


def _metric(item: Field) -> ScalingMetric:
    kind = item["type"].plain_text()
    source = item[_KEYS.get(kind, "")]
    target = source["target"]
    amounts = [target[key] for key in ("averageUtilization", "averageValue", "value") if target[key].is_set]
    return ScalingMetric(
        kind=kind,
        name=source["name"].text() if source["name"].is_set else source.at("metric", "name").text(),
        target=written(amounts[0]) if amounts else ABSENT,
        target_type=target["type"].text(),
        origin=item.origin,
    )


def written(amount: Field) -> Fact[str]:
    """An amount as it is written, a number or a text."""
    if isinstance(amount.value, int | float) and not isinstance(amount.value, bool):
        return Known(str(amount.value), amount.origin)
    return amount.text()
