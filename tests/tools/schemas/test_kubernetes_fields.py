from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from tools.schemas import digests, kubernetes_fields
from tools.schemas.kubernetes_fields import FILE, FOLDER, ROOTS, takes, types


@pytest.mark.parametrize(
    ("field", "told", "expected"),
    [
        ("env", "List[V1EnvVar]", "[V1EnvVar]"),
        ("livenessProbe", "V1Probe", "V1Probe"),
        ("nodeSelector", "Dict[str, str]", "{string}"),
        ("limits", "Dict[str, str]", ""),
        ("replicas", "int", "integer"),
        ("tty", "bool", "boolean"),
        ("sizeLimit", "str", ""),
        ("port", "object", ""),
        ("command", "List[str]", ""),
    ],
)
def test_what_a_field_takes_is_told_where_the_model_is_exact(field: str, told: str, expected: str) -> None:
    assert takes(field, told) == expected


def test_types_are_found_from_the_roots_by_the_names_that_manifests_use() -> None:
    leaf = SimpleNamespace(attribute_map={"run_as": "runAs"}, openapi_types={"run_as": "int"})
    root = SimpleNamespace(
        attribute_map={"items": "items", "status": "status"},
        openapi_types={"items": "List[V1Leaf]", "status": "V1Status"},
    )
    models = SimpleNamespace(V1Leaf=leaf, **dict.fromkeys({*ROOTS.values(), "V1PodTemplateSpec"}, root))
    found = types(models)
    assert found["V1Leaf"] == {"runAs": "integer"}
    assert found["V1Pod"] == {"items": "[V1Leaf]", "status": ""}
    assert "V1Status" not in found


def test_shipped_table_is_as_its_generator_wrote_it() -> None:
    assert digests.problems((f"{FOLDER}/{FILE}",)) == []
    assert kubernetes_fields.main(["--check"]) == 0
    content = json.loads((digests.SCHEMAS / FOLDER / FILE).read_text(encoding="utf-8"))
    assert content["roots"] == ROOTS
    assert set(ROOTS.values()) <= content["types"].keys()
    assert content["types"]["V1Container"]["livenessProbe"] == "V1Probe"


def test_writing_needs_a_date() -> None:
    with pytest.raises(SystemExit) as refused:
        kubernetes_fields.main([])
    assert refused.value.code == 2
