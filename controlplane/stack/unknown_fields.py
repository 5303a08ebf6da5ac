"""Keys of custom resources that no release of their schema has, and that are spelled almost like one that it has.

`kubectl apply` refuses them (strict field validation, on by default since Kubernetes 1.27); whoever sends them
without it, as controllers and older tools do, has them dropped without a word, and what they were to say is not done.
A key that is like no other may belong to a later release: nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, KeyPath, Layer, Remedy, Severity, render_path
from controlplane.source.suggest import nearest
from controlplane.stack.facts import Declared
from controlplane.stack.kuberay_tables import COMPONENT_OF, fields, versions
from controlplane.stack.manifest_fields import Field

_JUDGED: Final = frozenset(
    {
        ("ray.io/v1", "RayCluster"),
        ("ray.io/v1", "RayService"),
        ("ray.io/v1", "RayJob"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
        ("keda.sh/v1alpha1", "ScaledObject"),
    }
)
"""Kinds whose whole schema is in the tables, in the version of the API that was read."""


def unknown_fields(manifest: Field) -> Iterator[Diagnostic]:
    """The misspelt keys of a manifest in a file; none of a live object, which its API server has seen already."""
    kind = manifest["kind"].value
    if manifest.source.document is None or (manifest["apiVersion"].value, kind) not in _JUDGED:
        return
    for path, key, siblings in _unknown(manifest["spec"].value, "spec", ("spec",), kind):
        near = nearest(key, siblings)
        origin = manifest.source.key_origin((*manifest.path, *path))
        if near is not None and isinstance(origin, Declared):
            yield Diagnostic(
                rule="kubernetes/field-unknown",
                severity=Severity.ERROR,
                layer=Layer.ADMISSION,
                message=f"a {kind} has no field {render_path(path)}, in no release from {_releases(kind)}",
                span=origin.span,
                path=(*manifest.path, *path),
                remedy=Remedy(f"Write {near}."),
            )


def _unknown(value: Any, told: str, path: KeyPath, kind: str) -> Iterator[tuple[KeyPath, str, frozenset[str]]]:
    """The keys below a value that no release has, each with its place and what else may stand there."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, f"{told}[]", (*path, index), kind)
        return
    known = _below(kind, _newest(kind)).get(told)
    if known is None or not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in known:
            yield from _unknown(inner, f"{told}.{key}", (*path, key), kind)
        elif isinstance(key, str) and not _ever(kind, told, key):
            yield (*path, key), key, known - value.keys()


def _ever(kind: str, told: str, key: str) -> bool:
    return any(key in _below(kind, version).get(told, frozenset()) for version in versions(COMPONENT_OF[kind]))


@cache
def _below(kind: str, version: str) -> dict[str, frozenset[str]]:
    """The keys of each mapping that the schema of a release tells; the items of a list are `path[]`."""
    found: dict[str, set[str]] = {}
    for path in fields(kind, version) or ():
        parent, _, key = path.rpartition(".")
        if parent and key:
            found.setdefault(parent, set()).add(key.removesuffix("[]"))
    return {parent: frozenset(keys) for parent, keys in found.items()}


def _newest(kind: str) -> str:
    return versions(COMPONENT_OF[kind])[-1]


def _releases(kind: str) -> str:
    read = versions(COMPONENT_OF[kind])
    return f"{read[0]} to {read[-1]}"
