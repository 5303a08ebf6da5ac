from __future__ import annotations

import pytest

from controlplane.rules.vllm.command_among_arguments import RULE
from tests.rules.judging import findings_of

WORDS = "args: [vllm, serve, org/chat, --max-num-seqs=8]"
(BAD,) = RULE.bad


def _rules(text: str) -> list[str]:
    return [finding.rule for finding in findings_of(text)]


@pytest.mark.parametrize(
    "words",
    [
        "args: [python3, -m, vllm.entrypoints.openai.api_server, --model=org/chat]",
        "args: [sh, -c, 'exec vllm serve org/chat']",
        "args: [/bin/bash, -c, 'vllm serve org/chat --max-num-seqs 8']",
    ],
)
def test_every_way_to_start_the_server_a_second_time_is_found(words: str) -> None:
    assert _rules(BAD.replace(WORDS, words)) == ["vllm/command-among-arguments"]


@pytest.mark.parametrize("image", ["registry.example/team/vllm-openai:v0.33.0", "registry.example/chat:v0.33.0"])
def test_entrypoint_of_another_image_is_not_known(image: str) -> None:
    assert _rules(BAD.replace("vllm/vllm-openai:v0.33.0", image)) == []


def test_an_empty_entrypoint_is_replaced_by_a_command() -> None:
    assert _rules(BAD.replace(WORDS, "command: [sh, -c]\n          args: ['vllm serve org/chat']")) == []
