"""PriorityClass scheduling.k8s.io/v1."""

from __future__ import annotations

from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import PriorityClass


def read(manifest: Field) -> PriorityClass:
    """The priority class of a manifest."""
    return PriorityClass(
        ref=metadata.reference(manifest),
        value=manifest["value"].integer(),
        preemption_policy=manifest["preemptionPolicy"].text(),
        global_default=manifest["globalDefault"].boolean(),
        origin=metadata.name_origin(manifest),
    )
