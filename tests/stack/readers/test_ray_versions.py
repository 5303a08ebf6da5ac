from __future__ import annotations

import pytest

from controlplane.source import Dialect, read_yaml
from controlplane.stack.facts import Derived, Fact, Known, OneOf, Table, Unknown, Why, value_of
from controlplane.stack.model import Workload
from controlplane.stack.read import read
from controlplane.stack.readers.ray_versions import locked_version
from controlplane.stack.vllm_tables import versions
from tests.stack.manifests import workload
from tests.stack.readers.test_llm_config import CONFIG
from tests.stack.readers.test_ray_job import JOB
from tests.stack.readers.test_serve_config import service

PINNED = "rayproject/ray-llm:2.60.0-py311-cu128"
BOUNDED = "rayproject/ray-llm:2.52.0-py311-cu128"
SERVICE = service(CONFIG).replace("image: x", f"image: {PINNED}")


def image(text: str) -> Fact[str]:
    return Known(text, Derived("a test"))


def assuming(text: str, **versions: str) -> Workload:
    (found,) = read(read_yaml(text.encode(), "m.yaml", Dialect.KUBERNETES).documents, versions).stack.workloads
    return found


def test_a_release_that_pins_vllm_tells_its_version() -> None:
    found = locked_version(image(PINNED))
    assert found == Known("0.29.0", Derived(""))
    assert isinstance(found, Known)
    assert found.origin == Table("vLLM required by ray[llm]", "2.60.0")


def test_a_release_that_bounds_vllm_leaves_one_of_several() -> None:
    found = locked_version(image(BOUNDED))
    assert isinstance(found, OneOf)
    assert "0.11.2" in found.values
    assert "0.10.2" not in found.values
    assert set(found.values) <= set(versions())


@pytest.mark.parametrize(
    "text", ["rayproject/ray:2.60.0", "rayproject/ray-llm:nightly", "someone/ray-llm:2.60.0", "x"]
)
def test_other_images_tell_nothing(text: str) -> None:
    assert locked_version(image(text)) == Unknown(Why.VERSION)


def test_an_engine_of_serve_llm_has_the_vllm_of_its_image() -> None:
    assert value_of(workload(SERVICE).engines[0].version) == "0.29.0"


def test_an_entrypoint_and_a_container_have_the_vllm_of_their_image() -> None:
    assert value_of(workload(JOB.replace("image: x", f"image: {PINNED}")).engines[0].version) == "0.29.0"
    text = SERVICE.replace(f"image: {PINNED}", f"image: {PINNED}, command: [vllm, serve, m]")
    assert [value_of(engine.version) for engine in workload(text).engines] == ["0.29.0", "0.29.0"]


def test_what_is_declared_wins_over_the_image_and_the_image_over_what_is_assumed() -> None:
    declared = SERVICE.replace("{name: chat}", "{name: chat, annotations: {controlplane.dev/vllm-version: 0.30.0}}")
    assert value_of(assuming(declared, vllm="0.33.0").engines[0].version) == "0.30.0"
    assert value_of(assuming(SERVICE, vllm="0.33.0").engines[0].version) == "0.29.0"
    assert value_of(assuming(service(CONFIG), vllm="0.33.0").engines[0].version) == "0.33.0"
    assert value_of(assuming(JOB, vllm="0.33.0").engines[0].version) == "0.33.0"


def test_an_assumed_ray_is_that_of_a_cluster_of_which_nothing_tells_it() -> None:
    ray = assuming(service(CONFIG), ray="2.60.0").ray
    assert ray is not None
    assert value_of(ray.version) == "2.60.0"
    told = assuming(SERVICE, ray="2.50.0").ray
    assert told is not None
    assert (value_of(told.version), value_of(told.image_version)) == (None, "2.60.0")
