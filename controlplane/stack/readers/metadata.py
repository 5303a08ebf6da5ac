"""What every object says of itself."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.stack.facts import Origin
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


def kind(manifest: Field) -> tuple[str, str]:
    """API group and kind, empty where they are no texts."""
    version, name = manifest["apiVersion"].value, manifest["kind"].value
    group = version.rpartition("/")[0] if isinstance(version, str) else ""
    return group, name if isinstance(name, str) else ""


def labels_of(manifest: Field) -> dict[str, str]:
    """`metadata.labels`."""
    return manifest.at("metadata", "labels").text_map()


def origins_of(entries: Field) -> Mapping[str, Origin]:
    """The place of every value of a map such as labels."""
    return {key: field.origin for key, field in entries.entries()} if isinstance(entries.value, dict) else {}


def name_origin(manifest: Field) -> Origin:
    """The place that names an object."""
    return manifest.at("metadata", "name").origin


def namespace_origin(manifest: Field) -> Origin | None:
    """The place of an object's namespace, None where it gives none."""
    namespace = manifest.at("metadata", "namespace")
    return namespace.origin if namespace.is_set else None


def label_origins(manifest: Field) -> Mapping[str, Origin]:
    """The place of every label's value."""
    return origins_of(manifest.at("metadata", "labels"))


def annotations_of(manifest: Field) -> dict[str, str]:
    """`metadata.annotations`."""
    return manifest.at("metadata", "annotations").text_map()
