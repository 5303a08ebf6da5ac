"""PersistentVolumeClaim v1, by itself or as the template of a StatefulSet."""

from __future__ import annotations

from controlplane.stack.facts import ABSENT, Fact, Known
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import ObjectRef, VolumeClaim


def read(manifest: Field) -> VolumeClaim:
    """The claim of a manifest."""
    return _claim(manifest, metadata.reference(manifest), "")


def of_template(template: Field, owner: ObjectRef) -> VolumeClaim:
    """A StatefulSet's claim template, under the template's name."""
    name = template.at("metadata", "name").plain_text()
    return _claim(template, ObjectRef("v1", "PersistentVolumeClaim", owner.namespace, name), owner.name)


def _claim(manifest: Field, ref: ObjectRef, owner: str) -> VolumeClaim:
    spec = manifest["spec"]
    return VolumeClaim(
        ref=ref,
        access_modes=_modes(spec["accessModes"]),
        storage_class=spec["storageClassName"].text(),
        size=spec.at("resources", "requests", "storage").quantity(),
        volume_name=spec["volumeName"].text(),
        owner=owner,
        origin=metadata.name_origin(manifest),
    )


def _modes(modes: Field) -> Fact[tuple[str, ...]]:
    found = [mode.text() for mode in modes.items()]
    known = tuple(mode.value for mode in found if isinstance(mode, Known))
    if len(known) < len(found):
        return next(mode for mode in found if not isinstance(mode, Known))  # type: ignore[return-value]  # unknown
    return Known(known, modes.origin) if known else ABSENT
