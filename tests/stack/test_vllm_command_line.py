from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.stack.engine import ArgumentValue
from controlplane.stack.environment import Environment, environment_of
from controlplane.stack.facts import ABSENT, Fact, Known, OneOf, Unknown, Why
from controlplane.stack.pods import EnvVar, FieldPath, SecretKey
from controlplane.stack.vllm_command_line import EngineCommand, read_command_line
from tests.stack.strategies import WRITTEN

SERVER = ["python3", "-m", "vllm.entrypoints.openai.api_server"]


def known(texts: list[str]) -> list[Fact[str]]:
    return [Known(text, WRITTEN) for text in texts]


def environment(**values: Any) -> Environment:
    return environment_of([EnvVar(name, Known(value, WRITTEN)) for name, value in values.items()])


def read(
    command: list[str],
    args: list[str] | None = None,
    *,
    version: str | None = "0.33.0",
    image: bool = False,
    **env: Any,
) -> EngineCommand | None:
    return read_command_line(
        known(command), known(args or []), environment(**env), version, has_vllm_entrypoint=image
    )


def engine(command: list[str], args: list[str] | None = None, **how: Any) -> EngineCommand:
    found = read(command, args, **how)
    assert found is not None
    return found


def values(found: EngineCommand) -> dict[str, ArgumentValue]:
    return {name: fact.value for name, fact in found.arguments.items() if isinstance(fact, Known)}


def served(*words: str, **how: Any) -> dict[str, ArgumentValue]:
    return values(engine(["vllm", "serve", "m"], list(words), **how))


@pytest.mark.parametrize(
    ("command", "launch"),
    [
        (["vllm", "serve", "m", "--port", "80"], ("vllm", "serve")),
        (["/opt/venv/bin/vllm", "serve", "m", "--port=80"], ("/opt/venv/bin/vllm", "serve")),
        (["numactl", "-m", "0", "vllm", "serve", "m", "--port=80"], ("numactl", "-m", "0", "vllm", "serve")),
        ([*SERVER, "--model", "m", "--port", "80"], tuple(SERVER)),
        (["python", "-u", *SERVER[1:], "--model=m", "--port=80"], ("python", "-u", *SERVER[1:])),
        (
            ["python3.12", "-m", "vllm.entrypoints.cli.main", "serve", "m", "--port=80"],
            ("python3.12", "-m", "vllm.entrypoints.cli.main", "serve"),
        ),
        (["bash", "-c", "vllm serve m --port 80"], ("vllm", "serve")),
        (["sh", "-c", "exec vllm serve m \\\n  --port 80"], ("vllm", "serve")),
        (["bash", "-lc", "cd /x && ulimit -n 9 && vllm serve 'm' --port \"80\" 2>&1 | tee log"], ("vllm", "serve")),
        (["bash", "-c", f"{' '.join(SERVER)} --model m --port 80"], tuple(SERVER)),
        (["sh", "-c", "ray start --head; vllm serve m --port 80"], ("vllm", "serve")),
        (["sh", "-c", "PORT=80; vllm serve $MODEL --port ${PORT}"], ("vllm", "serve")),
        (["sh", "-c", 'exec vllm serve "$@"', "sh", "m", "--port", "80"], ("vllm", "serve")),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_all_ways_to_start_the_server_are_read(command: list[str], launch: tuple[str, ...]) -> None:
    found = engine(command, MODEL="m")
    assert (found.launch, found.model, values(found)) == (launch, Known("m", WRITTEN), {"port": 80})
    assert found.complete


@pytest.mark.parametrize("args", [["m", "--port=80"], ["--model", "m", "--port=80"], ["--port", "80", "--model=m"]])
def test_arguments_alone_are_read_for_an_image_that_starts_the_server(args: list[str]) -> None:
    found = engine([], args, image=True)
    assert (found.launch, found.model, values(found)) == ((), Known("m", WRITTEN), {"port": 80})
    assert read([], args) is None


def test_command_and_args_are_one_line() -> None:
    assert engine(["vllm"], ["serve", "m"]).model == Known("m", WRITTEN)
    assert engine(["bash", "-c"], ["vllm serve m"]).model == Known("m", WRITTEN)


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["sleep", "infinity"],
        ["vllm", "bench", "serve"],
        ["vllm"],
        ["echo", "vllm", "serve", "m"],
        ["python3", "-m", "http.server"],
        ["python3", "serve.py"],
        ["ray", "start", "--head"],
        ["bash", "-c", "pgrep -f 'vllm serve'"],
        ["bash", "-c", ""],
        ["bash", "/start.sh"],
    ],
    ids=lambda command: " ".join(command) or "nothing",
)
def test_what_does_not_start_the_server_is_no_engine(command: list[str]) -> None:
    assert read(command) is None


def test_a_command_of_its_own_replaces_the_entrypoint_of_the_image() -> None:
    assert read(["sleep", "1"], image=True) is None


def test_model_option_wins_over_the_positional_argument() -> None:
    assert engine(["vllm", "serve", "a", "--model", "b"]).model == Known("b", WRITTEN)
    assert engine(["vllm", "serve"]).model == ABSENT


def test_the_model_may_stand_behind_other_arguments() -> None:
    assert engine(["vllm", "serve", "--port", "80", "--enforce-eager", "m"]).model == Known("m", WRITTEN)
    assert engine(["vllm", "serve", "--port", "80", "--", "m"]).model == Known("m", WRITTEN)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["--max-model-len", "8192"], {"max_model_len": 8192}),
        (["--max_model_len=8192"], {"max_model_len": 8192}),
        (["--max-model-len", "32k"], {"max_model_len": 32000}),
        (["--max-model-len", "32K"], {"max_model_len": 32768}),
        (["--max-model-len", "25.6k"], {"max_model_len": 25600}),
        (["--max-model-len", "auto"], {"max_model_len": -1}),
        (["--max-model-len", "-1"], {"max_model_len": -1}),
        (["--max-model-len", "many"], {"max_model_len": "many"}),
        (["--max-num-batched-tokens", "1.5K"], {"max_num_batched_tokens": "1.5K"}),
        (["-tp", "8"], {"tensor_parallel_size": 8}),
        (["-tp=8", "-pp", "2"], {"tensor_parallel_size": 8, "pipeline_parallel_size": 2}),
        (["-q", "fp8"], {"quantization": "fp8"}),
        (["-O2"], {"optimization_level": 2}),
        (["-O", "3"], {"optimization_level": 3}),
        (["-O=1"], {"optimization_level": 1}),
        (["--gpu-memory-utilization", ".9"], {"gpu_memory_utilization": 0.9}),
        (["--gpu-memory-util", "0.9"], {"gpu_memory_utilization": 0.9}),
        (["--kv-cache-dtype", "fp8"], {"kv_cache_dtype": "fp8"}),
        (["--enable-prefix-caching"], {"enable_prefix_caching": True}),
        (["--no-enable-prefix-caching"], {"enable_prefix_caching": False}),
        (["--no_enable_prefix_caching"], {"enable_prefix_caching": False}),
        (["--disable-prefix-caching"], {"enable_prefix_caching": False}),
        (["--no-enable-prefix-cach"], {"enable_prefix_caching": False}),
        (["--headless"], {"headless": True}),
        (["--port", "80", "--port", "81"], {"port": 81}),
        (["--enable-prefix-caching", "--no-enable-prefix-caching"], {"enable_prefix_caching": False}),
        (["--hf-token", "--port", "80"], {"hf_token": True, "port": 80}),
        (["--middleware", "a", "--middleware=b"], {"middleware": ["a", "b"]}),
        (["--speculative-config", '{"method": "ngram"}'], {"speculative_config": {"method": "ngram"}}),
        (["--speculative-config", "{broken"], {"speculative_config": "{broken"}),
        (["--compilation-config.mode", "3"], {"compilation_config": {"mode": 3}}),
        (
            ["--compilation-config.a.b=x", "--compilation_config.a.c", "1k"],
            {"compilation_config": {"a": {"b": "x", "c": 1000}}},
        ),
        (
            ["--compilation-config.custom_ops+", "a,b", "--compilation-config.custom_ops+=c"],
            {"compilation_config": {"custom_ops": ["a", "b", "c"]}},
        ),
        (["--compilation-config.mode=2", "--compilation-config", '{"mode": 1}'], {"compilation_config": {"mode": 2}}),
        (
            ["--cudagraph-capture-sizes", "1", "2", "4", "--port", "80"],
            {"cudagraph_capture_sizes": [1, 2, 4], "port": 80},
        ),
        (["--cudagraph-capture-sizes=8"], {"cudagraph_capture_sizes": [8]}),
        (["--device-ids", "0, 2"], {"device_ids": [0, 2]}),
        (["--device-ids=GPU-a"], {"device_ids": ["GPU-a"]}),
        (["--revision", "None"], {"revision": None}),
        (["--seed", "0x10"], {"seed": "0x10"}),
        (["--swap-space", "4"], {"swap_space": 4}),
        (["--from-the-future", "--port", "80"], {"from_the_future": True, "port": 80}),
        (["--url", "a.b.c"], {"url": "a.b.c"}),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
)
def test_arguments_mean_what_the_parser_of_vllm_makes_of_them(words: list[str], arguments: dict[str, Any]) -> None:
    assert served(*words) == arguments


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["--max-model-len", "8192"], {"max_model_len": 8192}),
        (["--some-flag", "--no-other", "-tp", "2"], {"some_flag": True, "other": False, "tensor_parallel_size": 2}),
        (["--x=true", "--y=0.5", "--z=text", "--list=[1]"], {"x": True, "y": 0.5, "z": "text", "list": [1]}),
        (["--x", "-1", "--y"], {"x": -1, "y": True}),
        (["--x", '{"a": 1}', "--dotted.key", "v"], {"x": {"a": 1}, "dotted": {"key": "v"}}),
        (["--revision", "123"], {"revision": "123"}),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "",
)
@pytest.mark.parametrize("version", [None, "0.1.0", "nightly"])
def test_without_a_table_arguments_are_read_by_rule(
    words: list[str], arguments: dict[str, Any], version: str | None
) -> None:
    assert served(*words, version=version) == arguments


def test_one_served_name_is_kept_apart_and_several_are_an_argument_too() -> None:
    one = engine(["vllm", "serve", "m", "--served-model-name", "a"])
    assert (one.served_model_name, values(one)) == (Known("a", WRITTEN), {})
    two = engine(["vllm", "serve", "m", "--served-model-name", "a", "b"])
    assert (two.served_model_name, values(two)) == (Known("a", WRITTEN), {"served_model_name": ["a", "b"]})


@pytest.mark.parametrize(
    ("words", "name"),
    [(["--port", "$(PORT)"], "port"), (["--host=$(IP)"], "host"), (["--api-key", "$(KEY)"], "api_key")],
)
def test_values_from_the_environment_are_known_or_say_what_they_need(words: list[str], name: str) -> None:
    found = engine(["vllm", "serve", "m"], words, PORT="80", IP=FieldPath("status.podIP"), KEY=SecretKey("s", "k"))
    if name == "port":
        assert found.arguments == {"port": Known(80, WRITTEN)}
    else:
        assert found.arguments == {name: Unknown(Why.RUNTIME)}
    assert found.complete


def test_a_model_behind_a_part_that_may_be_anything_is_unknown() -> None:
    assert engine(["sh", "-c", "vllm serve --port 80 $MODEL"]).model == Unknown(Why.UNRESOLVED)
    assert engine(["vllm", "serve", "--config", "engine.yaml"]).model == Unknown(Why.UNRESOLVED)


def test_an_unknown_model_is_the_model_and_leaves_the_rest_readable() -> None:
    found = engine(["sh", "-c", "vllm serve $MODEL --port 80"])
    assert found.model == Unknown(Why.RUNTIME)
    assert values(found) == {"port": 80}
    assert found.complete


@pytest.mark.parametrize(
    "script",
    [
        "vllm serve m $EXTRA",
        "vllm serve m --port 80 $(cat args)",
        "vllm serve m $FLAG=1",
        "vllm serve m --config c.yaml",
    ],
)
def test_a_part_that_may_hold_any_argument_makes_the_line_incomplete(script: str) -> None:
    assert not engine(["sh", "-c", script]).complete


def test_arguments_in_a_variable_are_read() -> None:
    found = engine(["sh", "-c", "vllm serve m $EXTRA"], EXTRA="--max-model-len 8192 --enforce-eager")
    assert values(found) == {"max_model_len": 8192, "enforce_eager": True}
    assert found.complete


def test_a_flag_whose_value_is_missing_is_unknown() -> None:
    assert engine(["vllm", "serve", "m", "--port"]).arguments == {"port": Unknown(Why.UNRESOLVED)}
    assert engine(["vllm", "serve", "m", "--port", "--host=h"]).arguments["port"] == Unknown(Why.UNRESOLVED)


def test_templated_words_stay_unknown() -> None:
    command: list[Fact[str]] = [*known(["vllm", "serve"]), Unknown(Why.TEMPLATED, "model")]
    more: list[Fact[str]] = [*known(["--port"]), Unknown(Why.TEMPLATED, "port"), OneOf(("a", "b"), WRITTEN)]
    found = read_command_line(command, more, Environment(), "0.33.0", has_vllm_entrypoint=False)
    assert found is not None
    assert found.model == Unknown(Why.TEMPLATED)
    assert found.arguments == {"port": Unknown(Why.TEMPLATED)}
    assert not found.complete


FLAGS = (
    "--",
    "-",
    "--x",
    "-tp",
    "-O",
    "-O3",
    "--a.b",
    "--a.b+",
    "--a.",
    "--.a",
    "--no-x",
    "--config",
    "--port",
    "-1",
)
KNOWN_FLAGS = (
    "--compilation-config",
    "--compilation-config.a",
    "--max-model-len",
    "--served-model-name",
    "--middleware",
)
VALUES = (
    "=",
    "1k",
    "1e999",
    "{",
    "[" * 9999,
    '{"a":' * 999,
    "9" * 9999,
    "9" * 99 + ".5t",
    "$(A)",
    "$",
    "\0",
    "",
    "NaN",
)


def test_long_lines_are_read_once() -> None:
    many = [word for index in range(20_000) for word in (f"--compilation-config.k{index}", "1")]
    assert len(served(*many)["compilation_config"]) == 20_000  # type: ignore[arg-type]  # it is a dict
    assert len(served(*["--middleware=a"] * 5_000)["middleware"]) == 5_000  # type: ignore[arg-type]  # it is a list


bits = st.sampled_from((*FLAGS, *KNOWN_FLAGS, *VALUES))
lines = st.lists(st.one_of(bits, st.text(max_size=5)), max_size=8)


@settings(deadline=None, max_examples=300)
@given(lines, st.sampled_from([None, "0.33.0", "0.9.2"]), st.booleans())
def test_no_line_stops_the_reader(words: list[str], version: str | None, shell: bool) -> None:
    command = ["sh", "-c", " ".join(["vllm", "serve", *words])] if shell else ["vllm", "serve", *words]
    assert read(command, version=version, A="b") is not None


@settings(deadline=None)
@given(lines, lines)
def test_anything_may_be_a_command(command: list[str], args: list[str]) -> None:
    read(command, args, image=True)
