"""ConfigMap v1."""

from __future__ import annotations

from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import ConfigMap


def read(manifest: Field) -> ConfigMap:
    """The texts of a ConfigMap. What they hold is for those who use them to read."""
    data = {key: text.literal() for key, text in manifest["data"].entries()}
    return ConfigMap(metadata.reference(manifest), data, metadata.name_origin(manifest))
