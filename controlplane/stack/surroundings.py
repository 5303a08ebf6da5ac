"""What a reader may look up beside the manifest that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.stack.config_maps import ConfigMaps
from controlplane.stack.facts import Derived, Fact, Known
from controlplane.stack.manifest_fields import Field

ASSUMED = Derived("assumed by --assume")


@frozen
class Surroundings:
    """The ConfigMaps of the same input, and the versions to assume of components whose version nothing tells."""

    config_maps: ConfigMaps = field(default_factory=ConfigMaps)
    assumed: Mapping[str, str] = field(default_factory=dict)

    def version(self, component: str, fact: Fact[str]) -> Fact[str]:
        """A version as it is known, else the assumed one of that component, if any."""
        if isinstance(fact, Known) or component not in self.assumed:
            return fact
        return Known(self.assumed[component], ASSUMED)


def surroundings_of(manifest: Field) -> Surroundings:
    """What stands beside a manifest, or beside the one that a field is of."""
    found = manifest.source.surroundings
    return found if isinstance(found, Surroundings) else Surroundings()


def namespace_of(manifest: Field) -> str:
    """The namespace of the object that a field is of, as it is written; empty where it is not."""
    document = manifest.source.document
    root = document.value if document is not None else None
    if isinstance(root, dict) and root.get("kind") == "List" and len(manifest.path) > 1:
        items, index = root.get("items"), manifest.path[1]
        root = items[index] if isinstance(items, list) and isinstance(index, int) and index < len(items) else None
    metadata = root.get("metadata") if isinstance(root, dict) else None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    return namespace if isinstance(namespace, str) else ""
