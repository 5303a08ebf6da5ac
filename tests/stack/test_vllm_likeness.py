from __future__ import annotations

import pytest

from controlplane.stack.facts import ABSENT, Known, Unknown, Why, derived
from controlplane.stack.vllm_likeness import may_be_vllm, resembles_vllm, starts_like_vllm
from tests.stack.manifests import workload

ARGS = ("--model=org/chat", "--max-model-len=4096")


def _image(name: str) -> Known[str]:
    return derived(name, "an example")


@pytest.mark.parametrize(
    "image",
    [
        "registry.example/corp/vllm:prod",
        "registry.example/vllm:v0.33.0",
        "corp-vllm-openai:2026-11-01",
        "registry.example:5000/team/vllm-cpu@sha256:" + "0" * 64,
    ],
)
def test_an_image_called_after_vllm_with_its_flags_is_an_engine(image: str) -> None:
    assert starts_like_vllm(_image(image), ARGS)


@pytest.mark.parametrize(
    "image",
    [
        "vllm/chat:1",
        "corp/sglang-vllm:1",
        "lmcache/lmcache-vllm:1",
        "corp/vllm-router:1",
        "corp/vllm-exporter:1",
        "corp/vllm-autoscaler:1",
        "corp/vllm-mock:1",
        "corp/vllm-bench:1",
        "vllm/vllm-omni:v0.14.0",
        "",
    ],
)
def test_another_program_is_none_though_it_is_called_after_vllm(image: str) -> None:
    assert not may_be_vllm(_image(image))
    assert not starts_like_vllm(_image(image), ARGS)


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("org/chat", *ARGS),
        ("--model=org/chat",),
        ("--model", "org/chat", "--port=80", "--host=0.0.0.0"),
        ("--max-model-len=8", "--max-num-seqs=4"),
        ("--model=org/chat", "--service-discovery=k8s"),
        (" ", "-", "--"),
    ],
)
def test_arguments_that_others_take_too_start_no_engine(args: tuple[str, ...]) -> None:
    assert not starts_like_vllm(_image("corp/vllm"), args)


def test_image_that_is_not_known_starts_nothing() -> None:
    assert not starts_like_vllm(ABSENT, ARGS)
    assert not starts_like_vllm(Unknown(Why.TEMPLATED), ARGS)


def test_what_may_be_an_engine_all_the_same_is_told_from_what_is_none() -> None:
    assert resembles_vllm(_image("corp/vllm:1"), ("--max-model-len=8",))
    assert resembles_vllm(_image("corp/chat:1"), ("--model=a", "-tp=2", "--max-model-len=8", "--enable-lora"))
    assert not resembles_vllm(_image("corp/chat:1"), ("--model=a", "--port=8", "--host=h", "--max-model-len=8"))
    assert not resembles_vllm(_image("corp/vllm-router:1"), (*ARGS, "--enable-lora", "--max-num-seqs=8"))
    assert not resembles_vllm(_image("corp/vllm:1"), ("--verbose",))


def _deployment(image: str, command: str = "") -> str:
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  template:
    spec:
      containers:
      - name: main
        image: {image}
        args: [--model=org/chat, --max-model-len=4096]
        {command}
"""


def test_the_tag_of_such_an_image_tells_no_version() -> None:
    (engine,) = workload(_deployment("registry.example/vllm:v0.33.0")).engines
    assert engine.launch == ()
    assert engine.arguments["max_model_len"] == derived(4096, "")
    assert isinstance(engine.version, Unknown)


def test_a_command_of_its_own_is_what_runs() -> None:
    assert workload(_deployment("registry.example/vllm:v0.33.0", "command: [/start.sh]")).engines == ()
