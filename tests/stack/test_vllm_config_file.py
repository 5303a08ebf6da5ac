from __future__ import annotations

import pytest

from controlplane.stack.engine import ArgumentValue, Engine
from controlplane.stack.facts import Known, Unknown, Why
from tests.stack.manifests import at, workload

INPUT = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: engine, namespace: llm}
data:
  engine.yaml: |
CONFIG
---
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: llm}
spec:
  volumes: [VOLUME]
  containers:
  - name: main
    image: vllm/vllm-openai:v0.33.0
    args: ARGS
    volumeMounts: [{name: config, mountPath: /etc/vllm}]
"""
VOLUME = "{name: config, configMap: {name: engine}}"
ARGS = "[--config, /etc/vllm/engine.yaml, --port=81]"


def text_of(config: str, args: str = ARGS, volume: str = VOLUME) -> str:
    indented = "\n".join(f"    {line}" for line in config.splitlines())
    return INPUT.replace("CONFIG", indented).replace("ARGS", args).replace("VOLUME", volume)


def engine(config: str, args: str = ARGS, volume: str = VOLUME) -> Engine:
    (found,) = workload(text_of(config, args, volume)).engines
    return found


@pytest.mark.parametrize(
    ("config", "name", "value"),
    [
        ("max-model-len: 4096", "max_model_len", 4096),
        ("max_model_len: 4k", "max_model_len", 4000),
        ("enable-prefix-caching: true", "enable_prefix_caching", True),
        ("enforce-eager: false", "enforce_eager", False),
        ("dtype: half", "dtype", "half"),
        ("served-model-name: [a, b]", "served_model_name", ["a", "b"]),
        ("speculative-config: {method: ngram}", "speculative_config", {"method": "ngram"}),
        ("compilation-config: '{\"mode\": 3}'", "compilation_config", {"mode": 3}),
        ("frobnicate: 7", "frobnicate", 7),
    ],
)
def test_keys_are_flags(config: str, name: str, value: ArgumentValue) -> None:
    found = engine(config)
    fact = found.arguments[name]
    assert found.complete
    assert isinstance(fact, Known)
    assert fact.value == value


def test_the_model_may_stand_in_the_file() -> None:
    assert engine("model: meta/llama").model == Known("meta/llama", None)  # type: ignore[arg-type]  # not compared


def test_arguments_on_the_command_line_win() -> None:
    found = engine("port: 80\nmax-model-len: 10")
    assert found.arguments["port"] == Known(81, None)  # type: ignore[arg-type]  # not compared
    assert [(a.spelling, a.text) for a in found.written] == [
        ("port", "80"),
        ("max-model-len", "10"),
        ("--config", "/etc/vllm/engine.yaml"),
        ("--port", "81"),
    ]


def test_places_are_those_of_the_file_that_has_the_config_map() -> None:
    text = text_of("dtype: half\nswap-space: 4")
    (found,) = workload(text).engines
    swap = found.written[1]
    assert (at(text, swap.key_origin), at(text, swap.origin)) == ("swap-space", "4")
    assert [at(text, word) for word in swap.words] == ["swap-space: 4"]
    assert at(text, found.arguments["dtype"].origin) == "half"  # type: ignore[union-attr]  # known


def test_false_is_unknown_where_it_may_be_dropped() -> None:
    found = engine("enable-prefix-caching: false")
    fact = found.arguments["enable_prefix_caching"]
    assert isinstance(fact, Unknown)
    assert fact.why is Why.VERSION
    assert (found.written[0].spelling, found.written[0].text) == ("enable-prefix-caching", "false")


@pytest.mark.parametrize(
    ("config", "args", "volume"),
    [
        ("port: 80", "[--config, /etc/vllm/other.yaml]", VOLUME),
        ("port: 80", "[--config, /elsewhere/engine.yaml]", VOLUME),
        ("port: 80", ARGS, "{name: config, configMap: {name: other}}"),
        ("port: 80", ARGS, "{name: config, secret: {secretName: engine}}"),
        ("- port", ARGS, VOLUME),
        ("port: [", ARGS, VOLUME),
        ("port: 80", "[--config, $(PATH_OF_FILE)x]", VOLUME),
    ],
)
def test_a_file_that_cannot_be_seen_leaves_the_line_incomplete(config: str, args: str, volume: str) -> None:
    assert not engine(config, args, volume).complete


def test_items_of_the_volume_name_its_files() -> None:
    volume = "{name: config, configMap: {name: engine, items: [{key: engine.yaml, path: sub/e.yaml}]}}"
    found = engine("max-model-len: 5", "[--config=/etc/vllm/sub/e.yaml]", volume)
    assert found.arguments["max_model_len"] == Known(5, None)  # type: ignore[arg-type]  # not compared
