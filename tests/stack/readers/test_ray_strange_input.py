"""Whatever stands in a manifest of KubeRay, reading it never raises, and says nothing twice differently."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.source import Dialect, read_yaml
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.read import Reading, read, read_live
from tests.stack.readers.test_llm_config import CONFIG as LLM_CONFIG
from tests.stack.readers.test_ray_cluster import CLUSTER
from tests.stack.readers.test_ray_job import CRON, JOB
from tests.stack.readers.test_serve_config import CONFIG as SERVE_CONFIG
from tests.stack.readers.test_serve_config import service

GOOD = [CLUSTER, JOB, CRON, service(LLM_CONFIG), service(SERVE_CONFIG)]
STRANGE: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        ["{{ .Values.x }}", "${X}", "auto", "true", "'", '"', "1e400", "-1", "NaN", "\\", "a: [", "\x00"]
    ),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(
        st.sampled_from(["a", "cpu", "GPU", "name", ""]), st.integers() | st.text(max_size=4), max_size=3
    ),
)


def read_bytes(data: bytes) -> Reading:
    result = read_yaml(data, "m.yaml", Dialect.KUBERNETES)
    reading = read(result.documents)
    list(engines_of(reading.stack))
    return reading


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a value."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [path, *(below for key, inner in items for below in places(inner, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another in one place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(GOOD), st.data())
def test_a_manifest_with_anything_in_one_place_is_read(text: str, data: st.DataObject) -> None:
    value = yaml.safe_load(text)
    for _ in range(data.draw(st.integers(1, 3))):
        value = put(value, data.draw(st.sampled_from(places(value))), data.draw(STRANGE))
    dumped = yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "replace")
    assert read_bytes(dumped).diagnostics == read_bytes(dumped).diagnostics
    if isinstance(value, dict):
        read_live([value])


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([LLM_CONFIG, SERVE_CONFIG]), st.data())
def test_a_serve_configuration_with_anything_in_one_place_is_read(config: str, data: st.DataObject) -> None:
    value = yaml.safe_load(config)
    for _ in range(data.draw(st.integers(1, 3))):
        value = put(value, data.draw(st.sampled_from(places(value))), data.draw(STRANGE))
    inner = data.draw(st.sampled_from([yaml.safe_dump(value), json.dumps(value, default=str)]))
    read_bytes(yaml.safe_dump({**yaml.safe_load(service("x")), "spec": {"serveConfigV2": inner}}).encode())


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=200) | st.lists(st.sampled_from(LLM_CONFIG.split(" ")), max_size=60).map(" ".join))
def test_any_text_as_serve_configuration_is_read(config: str) -> None:
    manifest = {**yaml.safe_load(service("x")), "spec": {"serveConfigV2": config}}
    read_live([manifest])
    read_bytes(yaml.safe_dump(manifest, allow_unicode=True).encode("utf-8", "replace"))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(GOOD), st.integers(0, 10**6), st.binary(max_size=6), st.integers(0, 12))
def test_a_manifest_with_any_bytes_in_it_is_read(text: str, at: int, new: bytes, removed: int) -> None:
    data = text.encode()
    at %= len(data)
    read_bytes(data[:at] + new + data[at + removed :])


@pytest.mark.parametrize("text", GOOD)
def test_good_manifests_have_no_findings(text: str) -> None:
    assert read_bytes(text.encode()).diagnostics == ()
