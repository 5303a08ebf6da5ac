"""PodDisruptionBudget policy/v1."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.stack.facts import Fact, Unknown, Why
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import DisruptionBudget


def read(manifest: Field) -> DisruptionBudget:
    """The disruption budget of a manifest."""
    spec = manifest["spec"]
    return DisruptionBudget(
        ref=metadata.reference(manifest),
        selector=_selector(spec["selector"]),
        max_unavailable=spec["maxUnavailable"].integer_or_text(),
        min_available=spec["minAvailable"].integer_or_text(),
        labels=metadata.labels_of(manifest),
        origin=manifest.at("metadata", "name").origin,
    )


def _selector(selector: Field) -> Fact[Mapping[str, str]]:
    if selector["matchExpressions"].value:
        return Unknown(Why.UNRESOLVED, "a selector of labels alone; matchExpressions are not read")
    return selector["matchLabels"].text_map_fact()
