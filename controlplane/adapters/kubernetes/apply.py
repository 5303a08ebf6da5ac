"""Writes: server-side apply, creation, deletion, labels. One request each, never repeated behind the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane import FIELD_MANAGER
from controlplane.adapters.kubernetes.discovery import Discovery
from controlplane.adapters.kubernetes.observe import apply_query
from controlplane.adapters.kubernetes.reading import is_secret, ref_of
from controlplane.adapters.kubernetes.requests import APPLY, MERGE, Requests
from controlplane.emit.bundle import Manifest
from controlplane.stack.references import ObjectRef


def apply(
    requests: Requests,
    discovery: Discovery,
    manifest: Manifest,
    *,
    force: bool = False,
    resource_version: str | None = None,
    uid: str | None = None,
) -> Manifest:
    """Server-side apply as our field manager; returns the object as it is afterwards.

    With `resource_version` the apply is refused when anything wrote the object since, with `uid` when it was deleted
    (and perhaps made again). Give both: of an object that is gone the version is not looked at, and the apply would
    create it (Kubernetes 1.36).

    Raises `FieldConflict`, `Stale`, `Refused`, `Forbidden`, `NotFound` (the namespace or the kind).
    """
    ref = ref_of(manifest)
    guards = {"resourceVersion": resource_version, "uid": uid}
    metadata = {**manifest["metadata"], **{key: value for key, value in guards.items() if value is not None}}
    value: Manifest = requests.write(
        "PATCH",
        discovery.path(ref),
        f"apply of {ref}",
        query=apply_query(force=force),
        body={**manifest, "metadata": metadata},
        content_type=APPLY,
        secret=is_secret(ref.kind),
    ).value()
    return value


def create(requests: Requests, discovery: Discovery, manifest: Manifest) -> Manifest:
    """Create an object that must not exist yet. Raises `AlreadyExists` besides what `apply` raises."""
    ref = ref_of(manifest)
    value: Manifest = requests.write(
        "POST",
        discovery.resource(ref.api_version, ref.kind).collection(ref.namespace),
        f"creation of {ref}",
        query={"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"},
        body=manifest,
        secret=is_secret(ref.kind),
    ).value()
    return value


def delete(
    requests: Requests, discovery: Discovery, ref: ObjectRef, *, uid: str | None, resource_version: str | None = None
) -> bool:
    """Delete exactly the object with this uid; dependants go in the background. False when it was gone already.

    Raises `Stale` when another object has the name now, or when it was written since `resource_version`.
    """
    preconditions = {"uid": uid, "resourceVersion": resource_version}
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": "Background",
        "preconditions": {key: value for key, value in preconditions.items() if value is not None},
    }
    answer = requests.write(
        "DELETE", discovery.path(ref), f"deletion of {ref}", body=body, secret=is_secret(ref.kind)
    )
    if answer.status == 404:
        return False
    answer.value()
    return True


def patch_metadata(
    requests: Requests,
    discovery: Discovery,
    ref: ObjectRef,
    *,
    labels: Mapping[str, str | None] | None = None,
    annotations: Mapping[str, str | None] | None = None,
) -> Manifest:
    """Set labels and annotations of an object, or remove those that are None, and leave all else alone."""
    value: Manifest = requests.write(
        "PATCH",
        discovery.path(ref),
        f"labelling of {ref}",
        query={"fieldManager": FIELD_MANAGER},
        body={"metadata": {"labels": dict(labels or {}), "annotations": dict(annotations or {})}},
        content_type=MERGE,
        secret=is_secret(ref.kind),
    ).value()
    return value
