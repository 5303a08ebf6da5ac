from __future__ import annotations

import textwrap

import pytest

from controlplane.rules import judge
from controlplane.rules.judge import Abstained
from controlplane.rules.vllm._example import engine
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import read
from controlplane.stack.vllm_tables import versions
from tests.rules.judging import FILE, findings_of

UNREAD = "- --config=/etc/vllm/config.yml"


def _abstained(text: str) -> list[tuple[str, str]]:
    file = read_yaml(textwrap.dedent(text).encode(), FILE, Dialect.KUBERNETES)
    found: tuple[Abstained, ...] = judge(read(file.documents).stack).abstained
    assert all(entry.span is not None for entry in found)
    return [(entry.rule, entry.needs) for entry in found]


@pytest.mark.parametrize("tag", ["latest", "nightly"])
def test_tag_that_tells_no_version_is_said_once(tag: str) -> None:
    text = engine("- --swap-space=17\n- --foo=1").replace("v0.33.0", tag)
    ((rule, needs),) = _abstained(text)
    assert rule == "vllm/argument-unknown"
    assert needs.startswith("the version of vLLM: ")
    assert "--assume vllm=" in needs


def test_release_newer_than_the_tables_is_named_beside_the_newest() -> None:
    newest = versions()[-1]
    assert _abstained(engine("- --foo=1", version="9.40.0")) == [
        (
            "vllm/argument-unknown",
            f"the arguments of vLLM 9.40.0, which is newer than the newest table, {newest}",
        )
    ]


def test_release_older_than_the_tables_is_named_beside_their_range() -> None:
    ((_, needs),) = _abstained(engine("- --foo=1", version="0.4.0"))
    assert needs == f"the arguments of vLLM 0.4.0; the tables go from {versions()[0]} to {versions()[-1]}"


def test_variables_are_spoken_of_where_there_are_any() -> None:
    text = engine("", version="9.40.0", env="- {name: VLLM_LOGGING_LEVLE, value: DEBUG}")
    assert {rule for rule, _ in _abstained(text)} == {"vllm/argument-unknown", "vllm/variable-unknown"}


def test_file_of_arguments_that_is_not_there_is_named() -> None:
    assert _abstained(engine(UNREAD)) == [
        ("vllm/argument-unknown", "the file /etc/vllm/config.yml that --config names")
    ]


def test_rest_of_a_command_line_that_is_not_known_is_said() -> None:
    assert _abstained(engine("- --max-num-seqs=8\n- $(MORE)", env="- {name: MORE, valueFrom: {}}")) == [
        ("vllm/argument-unknown", "the part of the command line that could not be read")
    ]


def test_nothing_is_missing_of_an_engine_that_is_read_whole() -> None:
    assert _abstained(engine("- --max-num-seqs=8", env="- {name: VLLM_LOGGING_LEVEL, value: DEBUG}")) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (engine(UNREAD).replace("nvidia.com/gpu: 1", "cpu: 8"), "cross/engine-without-gpu-request"),
        (
            engine(f"{UNREAD}\n- --tensor-parallel-size=2", gpus=2).replace("mountPath: /dev", "mountPath: /data"),
            "kubernetes/shared-memory-missing",
        ),
        (
            engine(f"{UNREAD}\n- --kv-offloading-size=64").replace(
                "nvidia.com/gpu: 1", "nvidia.com/gpu: 1, memory: 8Gi"
            ),
            "cross/host-cache-exceeds-memory-limit",
        ),
        (engine(f"{UNREAD}\n- --max-model-lenn=8"), "vllm/argument-unknown"),
    ],
)
def test_what_does_not_depend_on_the_unread_file_is_judged_all_the_same(text: str, rule: str) -> None:
    assert rule in [finding.rule for finding in findings_of(text)]


@pytest.mark.parametrize(
    ("image", "args"),
    [
        ("corp/vllm:1", "[--max-model-len=8, --max-num-seqs=4]"),
        ("corp/chat:1", "[--model=a, --max-model-len=8, --max-num-seqs=4, --enable-lora]"),
    ],
)
def test_container_that_only_looks_like_an_engine_is_listed(image: str, args: str) -> None:
    text = f"""\
        apiVersion: v1
        kind: Pod
        metadata: {{name: chat}}
        spec:
          containers: [{{name: main, image: "{image}", args: {args}}}]
        """
    assert _abstained(text) == [
        (
            "cross/engine-without-gpu-request",
            "whether container main starts vLLM: if it does, write command: [vllm, serve]",
        )
    ]
