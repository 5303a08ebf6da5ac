from __future__ import annotations

import pytest

from controlplane.stack.facts import Known, Unknown, Why
from controlplane.stack.versions import is_unset_by_image, is_vllm_image, starts_vllm, version_of_image, vllm_version
from tests.stack.strategies import WRITTEN

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("vllm/vllm-openai:v0.33.0", "0.33.0"),
        ("docker.io/vllm/vllm-openai:v0.11.0", "0.11.0"),
        ("registry.example:5000/mirror/vllm-openai:0.20.1", "0.20.1"),
        ("registry.example/vllm-openai:v0.20.1", "0.20.1"),
        ("vllm/vllm-openai:v0.10.1.post1", "0.10.1.post1"),
        ("vllm/vllm-openai:v0.33.0rc2", "0.33.0rc2"),
        ("vllm/vllm-openai:v0.33.0-cu129", "0.33.0"),
        ("vllm/vllm-openai:v0.33.0-cu130-ubuntu2404", "0.33.0"),
        ("vllm/vllm-openai:v0.33.0-x86_64", "0.33.0"),
        ("vllm/vllm-openai:v0.33.0-aarch64-cu130", "0.33.0"),
        (f"vllm/vllm-openai:v0.33.0@{DIGEST}", "0.33.0"),
        ("vllm/vllm-openai-rocm:v0.20.0", "0.20.0"),
        ("vllm/vllm-openai-cpu:v0.20.0", "0.20.0"),
        ("vllm/vllm-openai-cpu:v0.20.0-arm64", "0.20.0"),
        ("vllm/vllm-tpu:v0.12.0", "0.12.0"),
        ("public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.9.2", "0.9.2"),
        ("public.ecr.aws/q9t5s3a7/vllm-arm64-cpu-release-repo:v0.9.2", "0.9.2"),
    ],
)
def test_a_release_tag_of_an_image_of_the_project_tells_the_version(image: str, version: str) -> None:
    assert version_of_image(image) == version


@pytest.mark.parametrize(
    "image",
    [
        pytest.param("vllm/vllm-openai:latest", id="a tag that moves"),
        pytest.param("vllm/vllm-openai", id="no tag, so latest"),
        pytest.param(f"vllm/vllm-openai@{DIGEST}", id="a digest alone"),
        pytest.param("vllm/vllm-openai:nightly", id="nightly"),
        pytest.param("vllm/vllm-openai:nightly-0a1b2c3d4e", id="a commit"),
        pytest.param("vllm/vllm-openai:gptoss", id="a build for one model"),
        pytest.param("vllm/vllm-openai:v0.33", id="no release has two numbers"),
        pytest.param("vllm/vllm-openai:v0.11.0-0a1b2c3", id="a release and a commit"),
        pytest.param("vllm/vllm-openai:v0.11.0-g0a1b2c3", id="a release and git's commit"),
        pytest.param("vllm/vllm-openai:v0.11.1rc2.dev45-g0a1b2c3", id="a development build"),
        pytest.param("vllm/vllm-openai:v0.5.2-distributed", id="a fork's own variant"),
        pytest.param("registry.example/vllm-openai:v0.10.0-cu128-nixl-v0.4.1-lmcache-0.3.2", id="with more inside"),
        pytest.param("registry.example/vllm-openai:v0.11.0-ours", id="a build of somebody's own"),
        pytest.param("lmcache/vllm-openai:2025-05-05-v1", id="a date"),
        pytest.param("lmcache/vllm-openai:v0.3.9", id="the other project's release"),
        pytest.param("ghcr.io/lmcache/vllm-openai:v0.3.9.post2", id="the other project's, elsewhere"),
        pytest.param("registry.example/vllm-openai:2025.5.1", id="a year"),
        pytest.param("ghcr.io/llm-d/llm-d:v0.3.0", id="llm-d's release"),
        pytest.param("ghcr.io/llm-d/llm-d-cuda:v0.9.0", id="llm-d's CUDA build"),
        pytest.param("substratusai/vllm:v0.5.5-cpu", id="a build of another project"),
        pytest.param("rocm/vllm:rocm6.4.1_vllm_0.9.1_20250702", id="AMD's own"),
        pytest.param("nvcr.io/nvidia/vllm:25.09-py3", id="NVIDIA's own"),
        pytest.param("opea/vllm:1.3", id="OPEA's own"),
        pytest.param("kserve/huggingfaceserver:v0.15.0-gpu", id="KServe's"),
        pytest.param("rayproject/ray-llm:2.52.0-py311-cu128", id="Ray's"),
        pytest.param("registry.example/engine:v0.33.0", id="any other image"),
        pytest.param("registry.example/my-vllm-openai:v0.33.0", id="a name that only ends like it"),
        pytest.param("vllm/vllm-openai:v0.33.0:x", id="no image at all"),
        pytest.param("", id="nothing"),
    ],
)
def test_a_tag_that_only_looks_like_a_version_is_none(image: str) -> None:
    assert version_of_image(image) is None
    fact = vllm_version(Known(image, WRITTEN))
    assert isinstance(fact, Unknown)
    assert fact.why is Why.VERSION


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("vllm-openai", True),
        ("vllm/vllm-openai:latest", True),
        ("lmcache/vllm-openai:v0.3.9", True),
        ("public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.9.2", True),
        ("registry.example:5000/a/b/vllm-openai@sha256:00", True),
        ("vllm/vllm-openai-tools:v1", False),
        ("vllm/vllm-tpu:v0.12.0", False),
        ("vllm/vllm-cpu:v0.33.0", False),
        ("", False),
    ],
)
def test_images_that_start_the_server_are_known_by_their_name(image: str, expected: bool) -> None:
    assert is_vllm_image(image) is expected
    assert starts_vllm(Known(image, WRITTEN)) is expected


def test_an_unknown_image_starts_nothing_that_is_known() -> None:
    assert not starts_vllm(Unknown(Why.TEMPLATED))
    assert isinstance(vllm_version(Unknown(Why.TEMPLATED)), Unknown)


@pytest.mark.parametrize(
    ("image", "name", "expected"),
    [
        ("vllm/vllm-openai:v0.33.0", "SWAP", True),
        ("vllm/vllm-openai:v0.33.0", "VLLM_EXTRA", True),
        ("vllm/vllm-openai:v0.33.0", "VLLM_PORT", False),
        ("vllm/vllm-openai:v0.33.0", "CUDA_VERSION", False),
        ("vllm/vllm-openai:v0.33.0", "HF_HOME", False),
        ("registry.example/vllm-openai:v0.33.0", "SWAP", False),
        ("registry.example/own:1", "SWAP", False),
    ],
)
def test_what_a_container_has_no_variable_for_is_certain_for_images_of_the_project(
    image: str, name: str, expected: bool
) -> None:
    assert is_unset_by_image(Known(image, WRITTEN))(name) is expected
