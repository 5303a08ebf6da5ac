from __future__ import annotations

import pytest

from controlplane.stack.versions import is_vllm_image, version_of_image


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("vllm/vllm-openai:v0.33.0", "0.33.0"),
        ("registry.example:5000/mirror/vllm-openai:0.20.1", "0.20.1"),
        ("vllm/vllm-openai:v0.10.1.post1", "0.10.1.post1"),
        ("vllm/vllm-openai:v0.33.0-cu129", "0.33.0"),
        ("vllm/vllm-openai:v0.33.0rc2", "0.33.0rc2"),
        ("vllm/vllm-openai:v0.33.0@sha256:" + "0" * 64, "0.33.0"),
        ("vllm/vllm-openai:latest", None),
        ("vllm/vllm-openai:nightly-0a1b", None),
        ("vllm/vllm-openai", None),
        ("vllm/vllm-openai@sha256:" + "0" * 64, None),
        ("vllm/vllm-openai:v0.33", None),
        ("registry.example/engine:v0.33.0", None),
        ("registry.example/my-vllm-openai:v0.33.0", None),
        ("", None),
    ],
)
def test_only_a_release_tag_of_the_server_image_tells_the_version(image: str, version: str | None) -> None:
    assert version_of_image(image) == version


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("vllm-openai", True),
        ("vllm/vllm-openai:latest", True),
        ("registry.example:5000/a/b/vllm-openai@sha256:00", True),
        ("vllm/vllm-openai-tools:v1", False),
        ("vllm/vllm-cpu:v0.33.0", False),
        ("", False),
    ],
)
def test_the_server_image_is_known_by_its_name_in_any_registry(image: str, expected: bool) -> None:
    assert is_vllm_image(image) is expected
