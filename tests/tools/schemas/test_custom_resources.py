"""What is read from CustomResourceDefinitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import yaml

from tools.schemas import custom_resources
from tools.schemas.crd_fields import fields_of, kind_of
from tools.schemas.custom_resources import COMPONENTS, feature_gates, fields

GROUP = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "template": {"type": "object", "properties": {"spec": {"type": "object"}}},
            "params": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    },
}
SPEC = {
    "type": "object",
    "required": ["groups"],
    "properties": {
        "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "surge": {"x-kubernetes-int-or-string": True},
        "fixed": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
        "size": {"type": "integer", "minimum": 1},
        "groups": GROUP,
        "rayClusterConfig": {"type": "object", "properties": {"rayVersion": {"type": "string"}}},
    },
}


def definition(folder: Path, kind: str = "RayCluster") -> Path:
    versions = [
        {"name": "v1alpha1", "storage": False, "schema": {"openAPIV3Schema": {"properties": {}}}},
        {"name": "v1", "storage": True, "schema": {"openAPIV3Schema": {"properties": {"spec": SPEC}}}},
    ]
    content = {"spec": {"group": "ray.io", "names": {"kind": kind}, "versions": versions}}
    path = folder / f"ray.io_{kind.lower()}s.yaml"
    path.write_text(yaml.safe_dump(content), "utf-8")
    return path


def test_fields_end_where_types_of_kubernetes_begin(tmp_path: Path) -> None:
    crd = definition(tmp_path)
    assert kind_of(crd) == ("ray.io", "RayCluster")
    assert dict(fields_of(crd)) == {
        "spec": {"type": "object"},
        "spec.mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "spec.surge": {"type": "int-or-string"},
        "spec.fixed": {"type": "string", "rules": ["self == oldSelf"]},
        "spec.size": {"type": "integer", "minimum": 1},
        "spec.groups": {"type": "array", "required": True},
        "spec.groups[].name": {"type": "string", "required": True},
        "spec.groups[].template": {"type": "object"},
        "spec.groups[].params": {"type": "object", "open": True},
        "spec.rayClusterConfig": {"type": "object", "same_as": "RayCluster.spec"},
    }


def test_only_the_kinds_that_are_wanted_are_read(tmp_path: Path) -> None:
    definition(tmp_path)
    definition(tmp_path, "Other")
    component = replace(COMPONENTS["kuberay"], kinds=("RayCluster",))
    assert {name.partition(".")[0] for name in fields(tmp_path, component)} == {"RayCluster"}


def test_feature_gates_are_read_from_the_operators_source(tmp_path: Path) -> None:
    assert feature_gates(tmp_path) == {}
    folder = tmp_path / "pkg" / "features"
    folder.mkdir(parents=True)
    lines = [
        "\tOne:   {Default: true, PreRelease: featuregate.Beta},",
        "\tTwo: {Default: false, PreRelease: featuregate.Alpha},",
    ]
    (folder / "features.go").write_text("\n".join(lines), "utf-8")
    assert feature_gates(tmp_path) == {"One": {"on": True, "stage": "beta"}, "Two": {"on": False, "stage": "alpha"}}


def test_check_passes() -> None:
    assert custom_resources.main(["--check"]) == 0
