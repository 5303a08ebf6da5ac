from __future__ import annotations

import pytest

from controlplane.stack.config_maps import ConfigMaps
from controlplane.stack.manifest_fields import of_live_object


def config_map(namespace: str | None, data: object) -> object:
    metadata = {"name": "c"} if namespace is None else {"name": "c", "namespace": namespace}
    return of_live_object({"kind": "ConfigMap", "metadata": metadata, "data": data}, "ConfigMap/c")


@pytest.mark.parametrize(
    ("namespaces", "asked", "found"),
    [
        (["llm"], "llm", True),
        (["llm"], "other", False),
        ([None], "llm", True),
        (["llm"], "", True),
        (["llm", "other"], "llm", True),
        (["llm", "other"], "", False),
        (["llm", None], "llm", False),
        ([], "llm", False),
    ],
)
def test_exactly_one_config_map_must_be_meant(namespaces: list[str | None], asked: str, found: bool) -> None:
    maps = ConfigMaps(config_map(namespace, {"a": "1"}) for namespace in namespaces)  # type: ignore[misc]  # fields
    data = maps.data(asked, "c")
    assert (data is not None) is found
    if data is not None:
        assert data["a"].value == "1"


def test_a_config_map_without_texts_has_none() -> None:
    assert ConfigMaps([config_map("llm", None)]).data("llm", "c") == {}  # type: ignore[list-item]  # a field
