from __future__ import annotations

import pytest

from controlplane.stack.engine import Engine, WrittenArgument
from tests.stack.manifests import at, workload

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: llm}
spec:
  template:
    spec:
      containers:
      - name: main
        image: vllm/vllm-openai:v0.17.0
"""


def manifest(fields: str) -> str:
    return DEPLOYMENT + "\n".join(f"        {line}" for line in fields.splitlines()) + "\n"


def engine(text: str) -> Engine:
    (found,) = workload(text).engines
    return found


def places(text: str, argument: WrittenArgument) -> tuple[str, str, tuple[str, ...]]:
    return at(text, argument.key_origin), at(text, argument.origin), tuple(at(text, word) for word in argument.words)


@pytest.mark.parametrize(
    ("fields", "key", "value", "words"),
    [
        ("args: [m, --port=80]", "--port", "80", ("--port=80",)),
        ('args: [m, "--port=80"]', "--port", "80", ('"--port=80"',)),
        ("args: [m, --port, '80']", "--port", "'80'", ("--port", "'80'")),
        ("args: [m, --enable-prefix-caching]", *["--enable-prefix-caching"] * 2, ("--enable-prefix-caching",)),
        ("args: [m, -tp, '2']", "-tp", "'2'", ("-tp", "'2'")),
        ("args: [m, -O3]", "-O", "3", ("-O3",)),
        ("args: [m, --served-model-name, a, b]", "--served-model-name", "a, b", ("--served-model-name", "a", "b")),
        (
            "args: [m, --compilation-config.mode, '3']",
            "--compilation-config.mode",
            "'3'",
            ("--compilation-config.mode", "'3'"),
        ),
        ("args: [m, --no-such-flag=x]", "--no-such-flag", "x", ("--no-such-flag=x",)),
        ("args:\n- m\n- --max-model-len\n- '4096'", "--max-model-len", "'4096'", ("--max-model-len", "'4096'")),
        ("command: [sh, -c, 'vllm serve m --port 80']", "--port", "80", ("--port", "80")),
        (
            'command: [sh, -c]\nargs:\n- |\n  vllm serve m \\\n    --dtype="half" --x',
            "--dtype",
            "half",
            ('--dtype="half"',),
        ),
        ("command: [sh, -c]\nargs:\n- >-\n  vllm serve m\n  --port 80", "--port", "80", ("--port", "80")),
        ('command: [sh, -c, "vllm serve m --served-model-name \\"a b\\" x"]', "--served-model-name", None, None),
    ],
)
def test_every_argument_knows_its_exact_place(
    fields: str, key: str, value: str | None, words: tuple[str, ...] | None
) -> None:
    text = manifest(fields)
    found = places(text, engine(text).written[0])
    assert found[0] == key
    assert value is None or found[1:] == (value, words)


def test_the_value_of_an_argument_is_at_the_place_of_its_text() -> None:
    text = manifest("args: [m, '--max-model-len=4096']")
    origin = engine(text).arguments["max_model_len"].origin  # type: ignore[union-attr]  # known
    assert at(text, origin) == "4096"


def test_repeated_and_unknown_arguments_are_all_written_in_their_order() -> None:
    found = engine(manifest("args: [m, --port=1, --frobnicate, x, --port=2, --swap_space=4]")).written
    assert [(a.spelling, a.name, a.text) for a in found] == [
        ("--port", "port", "1"),
        ("--frobnicate", "frobnicate", "x"),
        ("--port", "port", "2"),
        ("--swap_space", "swap_space", "4"),
    ]


def test_negated_and_abbreviated_arguments_say_so() -> None:
    found = engine(manifest("args: [m, --no-enable-prefix-caching, --gpu-memory-util=0.8]")).written
    assert [(a.name, a.negated, a.abbreviated) for a in found] == [
        ("enable_prefix_caching", True, False),
        ("gpu_memory_utilization", False, True),
    ]


def test_what_a_variable_brings_in_is_not_to_be_edited() -> None:
    env = "env: [{name: EXTRA, value: '--port 80'}, {name: RANKS, value: '2'}]\n"
    (port,) = engine(manifest(env + "command: [sh, -c, 'vllm serve m $EXTRA']")).written
    assert (port.text, port.verbatim, port.words) == ("80", False, ())
    text = manifest(env + "args: [m, --tensor-parallel-size=$(RANKS)]")
    (degree,) = engine(text).written
    assert (degree.text, degree.verbatim, at(text, degree.origin)) == ("2", False, "$(RANKS)")


def test_what_an_alias_brings_in_is_not_to_be_edited() -> None:
    text = manifest("args: [m, &flag '--port=80', --x, *flag]")
    first, _, second = engine(text).written
    assert (first.verbatim, second.verbatim, second.words) == (True, False, ())
    assert at(text, second.origin) == "*flag"


def test_an_unknown_value_has_no_text() -> None:
    (port,) = engine(manifest("command: [sh, -c, 'vllm serve m --port=$UNSET']")).written
    assert (port.spelling, port.text) == ("--port", None)


def test_a_template_in_one_argument_leaves_the_others_known() -> None:
    found = engine(manifest("args: [m, '--served-model-name={{ .Name }}', --port=80]"))
    assert found.complete
    assert [a.spelling for a in found.written] == ["--served-model-name", "--port"]


def test_a_template_where_a_flag_may_stand_leaves_the_line_incomplete() -> None:
    assert not engine(manifest("args: [m, '{{ .Values.extra }}', --port=80]")).complete
