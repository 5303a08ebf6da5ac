"""Fields of custom resources by the release of what serves them, from the generated `schemas/custom-resources/`.

KubeRay's, and the few of LeaderWorkerSet, KEDA, Kueue and KServe that we read. Paths are as `spec.workerGroupSpecs[]
.groupName`; below pod templates and other types of Kubernetes nothing is told. The rest is what KubeRay's operator
checks beyond the schema, as constants with the release they were read in.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Any, Final

from controlplane.frozen import frozen
from controlplane.source.suggest import nearest
from controlplane.stack.histories import History
from controlplane.stack.schema_files import read_schema

COMPONENT_OF: Final = MappingProxyType(
    {
        "RayCluster": "kuberay",
        "RayService": "kuberay",
        "RayJob": "kuberay",
        "RayCronJob": "kuberay",
        "LeaderWorkerSet": "leaderworkerset",
        "ScaledObject": "keda",
        "ClusterQueue": "kueue",
        "LocalQueue": "kueue",
        "ResourceFlavor": "kueue",
        "LLMInferenceService": "kserve",
    }
)
"""Whose release decides about a kind: the names of `Context.versions`."""

LONGEST_NAME: Final = MappingProxyType({"RayCluster": 53, "RayService": 47, "RayJob": 47, "RayCronJob": 36})
"""The most characters that the operator lets an object's name have (`controllers/ray/utils`, KubeRay 1.4 to 1.7)."""

LEAST_RAY_FOR_AUTHENTICATION: Final = "2.52.0"
"""`authOptions.mode: token` needs this version of Ray, and `rayVersion` (`utils/validation.go`, 1.5.1 to 1.7)."""

LEAST_RAY_FOR_KUBERNETES_AUTHENTICATION: Final = "2.55.0"
"""`authOptions.enableK8sTokenAuth`: this version of Ray, mode token, a RayCluster alone (1.7)."""

LEAST_RAY_FOR_GROUP_PRIORITY: Final = "2.56.0"
"""`workerGroupSpecs[].priority`: this version of Ray and autoscaler v2 (1.7)."""


@frozen
class Field:
    """One field of one release. `type` is OpenAPI's, or int-or-string; `rules` are its CEL rules.

    `free` maps take any keys; `same_as` names the path of another kind that has the same fields below.
    """

    path: str
    type: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    default: str | int | float | bool | None = None
    minimum: float | None = None
    maximum: float | None = None
    rules: tuple[str, ...] = ()
    free: bool = False
    same_as: str = ""


@cache
def fields(kind: str, version: str) -> frozenset[str] | None:
    """The paths that a kind may have in a release of its component; None where no table tells.

    Paths below a `same_as` are listed too: `RayService` has `spec.rayClusterConfig.rayVersion`.
    """
    if kind not in COMPONENT_OF:
        return None
    possible = _history(COMPONENT_OF[kind]).possible(version)
    own = sorted(name for name in possible or () if name.startswith(f"{kind}."))
    if not own:
        return None
    found = {name.partition(".")[2] for name in own}
    for name in own:
        same = str(_said(name, version).get("same_as", ""))
        if same:
            inner = fields(same.partition(".")[0], version) or frozenset()
            found |= {name.partition(".")[2] + path.removeprefix("spec") for path in inner}
    return frozenset(found)


def field(kind: str, path: str, version: str) -> Field | None:
    """What a release says of a path, or None where it lacks it for certain or no table tells."""
    if path not in (fields(kind, version) or ()):
        return None
    said = _said(_told(kind, path, version), version)
    return Field(
        path,
        type=said.get("type", ""),
        required=said.get("required", False),
        choices=tuple(said.get("enum", ())),
        default=said.get("default"),
        minimum=said.get("minimum"),
        maximum=said.get("maximum"),
        rules=tuple(said.get("rules", ())),
        free=said.get("open", False),
        same_as=said.get("same_as", ""),
    )


def field_since(kind: str, path: str) -> str | None:
    """The first release read that has a path, or None; the oldest one read stands for all before it."""
    history = _history(COMPONENT_OF[kind])
    told = _told(kind, path, history.versions[-1])
    found = [since for since in (history.since(told), history.since(f"{kind}.spec")) if since is not None]
    return max(found, key=history.versions.index) if len(found) == 2 else None


def nearest_field(kind: str, path: str, version: str) -> str | None:
    """The last part of the sibling that is spelled most like an unknown path's, or None where none is near."""
    parent, _, name = path.rpartition(".")
    siblings = (known.rpartition(".") for known in fields(kind, version) or ())
    return nearest(name, (last for before, _, last in siblings if before == parent))


def gates(version: str) -> dict[str, bool] | None:
    """KubeRay's feature gates, and whether they are on by default; None where the release was not read."""
    found = read_schema("custom-resources", "kuberay.json")["gates"].get(version.removeprefix("v"))
    return None if found is None else {name: gate["on"] for name, gate in found.items()}


def versions(component: str) -> tuple[str, ...]:
    """The releases of a component that were read, oldest first."""
    return tuple(read_schema("custom-resources", f"{component}.json")["versions"])


def _told(kind: str, path: str, version: str) -> str:
    """The name under which the file tells a path: another kind's where a field above has the same type."""
    name = f"{kind}.{path}"
    if name in _history(COMPONENT_OF[kind]).entries:
        return name
    parts = path.split(".")
    for end in range(len(parts) - 1, 0, -1):
        same = str(_said(f"{kind}.{'.'.join(parts[:end])}", version).get("same_as", ""))
        if same:
            other, _, base = same.partition(".")
            return _told(other, ".".join([base, *parts[end:]]), version)
    return name


def _said(name: str, version: str) -> dict[str, Any]:
    return dict(_history(COMPONENT_OF[name.partition(".")[0]]).facts(name, version))


@cache
def _history(component: str) -> History:
    content = read_schema("custom-resources", f"{component}.json")
    return History(tuple(content["versions"]), content["fields"])
