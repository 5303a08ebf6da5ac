"""The metadata of an object, and the one way from a builder's tree to an `EmittedObject`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.emit.bundle import EmittedObject, at, fixed, lower
from controlplane.stack.facts import Derived, Origin
from controlplane.stack.references import ObjectRef

SERVICE_LABEL = "controlplane.dev/service"
"""The label that names the ModelService an object was made for."""


def metadata(
    ref: ObjectRef,
    labels: Mapping[str, str],
    annotations: Mapping[str, Any] | None = None,
    label_origins: Mapping[str, Origin] | None = None,
    namespace_origin: Origin | None = None,
) -> dict[str, Any]:
    """`metadata` with labels and annotations in the order of their names."""
    return {
        "name": ref.name,
        "namespace": at(ref.namespace, namespace_origin) if ref.namespace else None,
        "labels": from_places(labels, label_origins or {}),
        "annotations": by_name(annotations or {}),
    }


def from_places(values: Mapping[str, str], origins: Mapping[str, Origin]) -> dict[str, Any] | None:
    """The entries in the order of their names, each with its own origin where one is kept."""
    return by_name({key: at(value, origins.get(key)) for key, value in values.items()})


def by_name(values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The entries in the order of their names, or None where there are none: an empty map is never written."""
    return dict(sorted(values.items())) or None


def emitted(
    ref: ObjectRef, tree: Mapping[str, Any], labels: Mapping[str, str], origin: Origin | None
) -> EmittedObject:
    """The object made from a builder's tree; what the tree gives no origin for was named at `origin`."""
    head = {
        "apiVersion": fixed(ref.api_version, f"the API of a {ref.kind}"),
        "kind": fixed(ref.kind, f"the API of a {ref.kind}"),
    }
    manifest, provenance = lower({**head, **tree}, origin or Derived(f"the name and labels given to {ref}"))
    return EmittedObject(ref, manifest, provenance, _service(ref, labels))


def _service(ref: ObjectRef, labels: Mapping[str, str]) -> str:
    name = labels.get(SERVICE_LABEL, "")
    return f"{ref.namespace or ref.name}/{name}" if name else ""
