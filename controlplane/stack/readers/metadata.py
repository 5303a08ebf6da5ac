"""What every object says of itself."""

from __future__ import annotations

from controlplane.stack.manifest_fields import Field
from controlplane.stack.references import ObjectRef


def reference(manifest: Field) -> ObjectRef:
    """Kind, namespace and name of an object; a part that is missing is empty."""
    metadata = manifest["metadata"]
    return ObjectRef(
        manifest["apiVersion"].plain_text(),
        manifest["kind"].plain_text(),
        metadata["namespace"].plain_text(),
        metadata["name"].plain_text(),
    )


def labels_of(manifest: Field) -> dict[str, str]:
    """`metadata.labels`."""
    return manifest.at("metadata", "labels").text_map()


def annotations_of(manifest: Field) -> dict[str, str]:
    """`metadata.annotations`."""
    return manifest.at("metadata", "annotations").text_map()
