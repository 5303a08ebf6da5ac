from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from controlplane.emit.bundle import Sourced
from controlplane.emit.vllm.command_line import command_line, words
from controlplane.stack.facts import ABSENT, Unknown, Why
from controlplane.stack.vllm_arguments import arguments_of
from tests.emit import example
from tests.emit.example import known

MODEL = "meta-llama/Llama-3.1-8B-Instruct"


def written(parts: tuple[Sourced, ...]) -> list[str]:
    return [part.value for part in parts]


def args(version: str | None = "0.33.0", **arguments: Any) -> list[str]:
    engine = example.engine(**arguments)
    fact = Unknown(Why.VERSION) if version is None else known(version)
    return written(command_line(replace(engine, version=fact, served_model_name=ABSENT)).args)[1:]


def test_the_model_comes_first_and_the_rest_in_reading_order() -> None:
    engine = example.engine(
        swap_space=4, gpu_memory_utilization=0.9, port=80, tensor_parallel_size=2, max_model_len=1
    )
    line = command_line(engine)
    assert written(line.command) == ["vllm", "serve"]
    assert written(line.args) == [
        MODEL,
        "--served-model-name=chat",
        "--port=80",
        "--tensor-parallel-size=2",
        "--max-model-len=1",
        "--gpu-memory-utilization=0.9",
        "--swap-space=4",
    ]


@pytest.mark.parametrize(
    ("launch", "first"),
    [
        (("vllm", "serve"), MODEL),
        (("numactl", "-m", "0", "vllm", "serve"), MODEL),
        (("python3", "-m", "vllm.entrypoints.openai.api_server"), f"--model={MODEL}"),
        ((), f"--model={MODEL}"),
    ],
)
def test_the_model_is_positional_only_behind_serve(launch: tuple[str, ...], first: str) -> None:
    line = command_line(replace(example.engine(), launch=launch))
    assert written(line.command) == list(launch)
    assert written(line.args)[0] == first


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("enable_prefix_caching", True, ["--enable-prefix-caching"]),
        ("enable_prefix_caching", False, ["--no-enable-prefix-caching"]),
        ("disable_sliding_window", False, ["--no-disable-sliding-window"]),
        ("headless", True, ["--headless"]),
        ("headless", False, []),
        ("max_model_len", 16384, ["--max-model-len=16384"]),
        ("max_model_len", -1, ["--max-model-len=-1"]),
        ("gpu_memory_utilization", 0.9, ["--gpu-memory-utilization=0.9"]),
        ("revision", None, ["--revision=None"]),
        ("compilation_config", {"b": [1, 2], "a": "é"}, ['--compilation-config={"a":"é","b":[1,2]}']),
        ("cudagraph_capture_sizes", [1, 2], ["--cudagraph-capture-sizes", "1", "2"]),
        ("cudagraph_capture_sizes", [8], ["--cudagraph-capture-sizes=8"]),
        ("device_ids", [0, 2], ["--device-ids=0,2"]),
        ("middleware", ["a", "b"], ["--middleware=a", "--middleware=b"]),
        ("quantization", "fp8", ["--quantization=fp8"]),
        ("from_the_future", True, ["--from-the-future"]),
        ("chat_template", "a b\n", ["--chat-template=a b\n"]),
        ("chat_template", "$5 $(X) $$", ["--chat-template=$$5 $$(X) $$$$"]),
    ],
)
def test_values_are_written_as_the_parser_of_vllm_reads_them(name: str, value: Any, expected: list[str]) -> None:
    assert args(**{name: value}) == expected


def test_flags_are_spelled_for_the_version() -> None:
    assert words(arguments_of("0.33.0").named("optimization_level"), 2) == ["--optimization-level=2"]
    assert args("0.8.5", disable_log_requests=True) == ["--disable-log-requests"]


@pytest.mark.parametrize("version", [None, "0.1.0"])
def test_without_a_table_flags_are_spelled_by_rule(version: str | None) -> None:
    assert args(version, some_list=[1, 2], some_switch=False) == ["--some-list=[1,2]", "--no-some-switch"]


def test_several_served_names_are_one_argument() -> None:
    engine = example.engine(served_model_name=["a", "b"])
    assert written(command_line(engine).args)[1:] == ["--served-model-name", "a", "b"]


def test_every_word_has_the_origin_of_its_argument() -> None:
    line = command_line(example.engine(cudagraph_capture_sizes=[1, 2]))
    assert [part.origin for part in line.args] == [
        example.place(10, "spec", "model", "name"),
        *[example.place(1)] * 4,
    ]


@pytest.mark.parametrize("value", [float("inf"), {"a": float("nan")}])
def test_numbers_that_are_not_finite_cannot_be_written(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        args(compilation_config=value)


def test_a_value_that_is_not_known_cannot_be_written() -> None:
    engine = replace(example.engine(), arguments={"port": Unknown(Why.RUNTIME)})
    with pytest.raises(ValueError, match="not known"):
        command_line(engine)
