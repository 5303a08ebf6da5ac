"""Fields of custom resources from their CustomResourceDefinitions, down to where Kubernetes' own types begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

Facts = dict[str, object]

OPAQUE = frozenset(
    {
        "affinity",
        "egressRules",
        "env",
        "envFrom",
        "headService",
        "ingressRules",
        "leaderTemplate",
        "metadata",
        "nodeAffinity",
        "resources",
        "securityContext",
        "selector",
        "serveService",
        "service",
        "submitterPodTemplate",
        "template",
        "valueFrom",
        "volumeClaimTemplates",
        "volumeMounts",
        "worker",
        "workerTemplate",
    }
)
"""Keys whose values are types of Kubernetes (pod templates, Services, environments), or maps of the user's own."""
SAME_AS = {"rayClusterConfig": "RayCluster.spec", "rayClusterSpec": "RayCluster.spec", "jobTemplate": "RayJob.spec"}
"""Keys whose values have the type of another kind's `spec`: told once."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The definitions have a megabyte each: in pure Python one takes ten seconds."""
_NUMBERS = ("minimum", "maximum", "maxLength", "minLength", "maxItems", "minItems")


def fields_of(crd: Path, opaque: frozenset[str] = OPAQUE) -> Iterator[tuple[str, Facts]]:
    """Paths below the object and what the schema of the stored version says of each; lists are `name[]`."""
    definition = yaml.load(crd.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - a safe loader
    versions = definition["spec"]["versions"]
    stored = next(version for version in versions if version["storage"])
    root = stored["schema"]["openAPIV3Schema"]
    spec = root["properties"]["spec"]
    yield "spec", _facts(spec, required="spec" in root.get("required", ()))
    yield from _below("spec", spec, opaque)


def kind_of(crd: Path) -> tuple[str, str]:
    """(API group, kind) that the definition defines."""
    spec = yaml.load(crd.read_text(encoding="utf-8"), Loader=_LOADER)["spec"]  # noqa: S506 - a safe loader
    return spec["group"], spec["names"]["kind"]


def _below(path: str, schema: Mapping[str, Any], opaque: frozenset[str]) -> Iterator[tuple[str, Facts]]:
    items = schema.get("items", {})
    if items.get("properties"):
        path, schema = f"{path}[]", items
    for name, inner in schema.get("properties", {}).items():
        below = f"{path}.{name}"
        same: Facts = {"same_as": SAME_AS[name]} if name in SAME_AS else {}
        yield below, _facts(inner, required=name in schema.get("required", ())) | same
        if name not in opaque and name not in SAME_AS:
            yield from _below(below, inner, opaque)


def _facts(schema: Mapping[str, Any], *, required: bool) -> Facts:
    facts: Facts = {"type": "int-or-string" if schema.get("x-kubernetes-int-or-string") else schema.get("type", "")}
    facts |= {"required": True} if required else {}
    for key in ("enum", "default", "pattern", *_NUMBERS):
        if key in schema:
            facts[key] = schema[key]
    rules = [rule["rule"] for rule in schema.get("x-kubernetes-validations", ())]
    open_map = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    return facts | ({"rules": rules} if rules else {}) | ({"open": True} if open_map else {})
