"""Namespace v1."""

from __future__ import annotations

from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import Namespace


def read(manifest: Field) -> Namespace:
    """The namespace of a manifest."""
    origin = manifest.at("metadata", "name").origin
    return Namespace(metadata.reference(manifest), metadata.labels_of(manifest), origin)
