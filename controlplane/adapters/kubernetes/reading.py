"""Reading objects: one by name, many by paged listings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controlplane.adapters.kubernetes.answers import Expired
from controlplane.adapters.kubernetes.discovery import Discovery, Resource
from controlplane.adapters.kubernetes.requests import Requests
from controlplane.emit.bundle import Manifest
from controlplane.stack.references import ObjectRef

PAGE = 500
"""Objects asked for at once; what kubectl uses."""


def ref_of(manifest: Manifest) -> ObjectRef:
    """The reference of a manifest."""
    metadata = manifest.get("metadata") or {}
    return ObjectRef(
        str(manifest.get("apiVersion", "")),
        str(manifest.get("kind", "")),
        str(metadata.get("namespace") or ""),
        str(metadata.get("name", "")),
    )


def get(requests: Requests, discovery: Discovery, ref: ObjectRef) -> Manifest | None:
    """The live object, None when there is none. Raises `NotFound` when its kind is not served."""
    answer = requests.read(discovery.path(ref), f"reading {ref}", secret=is_secret(ref.kind))
    if answer.status == 404:
        return None
    value: Manifest = answer.value()
    return value


METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""Asks for names, labels and annotations alone: a kind may be large (a revision holds all its manifests)."""


def listed(
    requests: Requests,
    resource: Resource,
    namespace: str,
    *,
    label_selector: str | None = None,
    field_selector: str | None = None,
    metadata_only: bool = False,
    page: int = PAGE,
) -> Iterator[Manifest]:
    """The objects of a kind in order of namespace and name, page by page as they are consumed.

    Begins again, unpaged, when the server no longer keeps the place (410 after some minutes): an object may then be
    yielded a second time, in its newer state.
    """
    query = {"limit": str(page)}
    if label_selector:
        query["labelSelector"] = label_selector
    if field_selector:
        query["fieldSelector"] = field_selector
    while True:
        try:
            answer = _page(requests, resource, namespace, query, METADATA if metadata_only else "")
        except Expired:
            query = {key: value for key, value in query.items() if key not in {"limit", "continue"}}
            continue
        for item in answer.get("items") or ():
            # A listing leaves these two out of its items, or says there that they are only metadata.
            yield {**item, "apiVersion": resource.api_version, "kind": resource.kind}
        token = (answer.get("metadata") or {}).get("continue")
        if not token:
            return
        query["continue"] = token


def _page(requests: Requests, resource: Resource, namespace: str, query: dict[str, str], accept: str) -> Any:
    place = f" in {namespace}" if namespace else ""
    return requests.read(
        resource.collection(namespace),
        f"listing of {resource.kind}{place}",
        query=query,
        secret=is_secret(resource.kind),
        accept=accept,
    ).value()


def is_secret(kind: str) -> bool:
    """Whether objects of this kind hold secrets, so that the server's words about them are not repeated."""
    return kind == "Secret"
