"""PodDisruptionBudget policy/v1."""

from __future__ import annotations

from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata, selectors
from controlplane.stack.references import DisruptionBudget


def read(manifest: Field) -> DisruptionBudget:
    """The disruption budget of a manifest."""
    spec = manifest["spec"]
    return DisruptionBudget(
        ref=metadata.reference(manifest),
        selector=selectors.read(spec["selector"]),
        max_unavailable=spec["maxUnavailable"].integer_or_text(),
        min_available=spec["minAvailable"].integer_or_text(),
        labels=metadata.labels_of(manifest),
        origin=metadata.name_origin(manifest),
        label_origins=metadata.label_origins(manifest),
        namespace_origin=metadata.namespace_origin(manifest),
    )
