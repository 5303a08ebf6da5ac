from __future__ import annotations

import pytest

from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of

RULE = "vllm/image-tag-without-v"


def _rules(image: str) -> list[str]:
    return [f.rule for f in findings_of(engine("").replace("registry.example/vllm-openai:v0.33.0", image))]


@pytest.mark.parametrize("image", ["vllm/vllm-openai:0.10.2", "docker.io/vllm/vllm-openai:0.10.1.post1"])
def test_release_without_its_letter_is_found(image: str) -> None:
    assert _rules(image) == [RULE]


@pytest.mark.parametrize(
    "image",
    [
        "vllm/vllm-openai:v0.10.2",
        "registry.example/vllm/vllm-openai:0.10.2",
        "vllm/vllm-openai-rocm:0.10.2",
        "vllm/vllm-openai:latest",
        "vllm/vllm-openai:0.10.2@sha256:" + "0" * 64,
    ],
)
def test_tag_that_may_exist_is_let_be(image: str) -> None:
    assert RULE not in _rules(image)
