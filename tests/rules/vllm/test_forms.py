"""The same fault in the forms in which people start an engine: files, scripts, keyword arguments."""

from __future__ import annotations

import textwrap

import pytest

from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of, marked_lines

_FILE = """\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: chat}
    data:
      engine.yaml: |
        max-num-seqs: 64
        ENTRY
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: chat}
    spec:
      strategy: {type: Recreate}
      selector: {matchLabels: {app: chat}}
      template:
        metadata: {labels: {app: chat}}
        spec:
          containers:
            - name: engine
              image: registry.example/vllm-openai:v0.32.0
              args: [--model=registry.example/chat, --config=/etc/engine/engine.yaml]
              volumeMounts: [{name: config, mountPath: /etc/engine}]
              resources:
                limits: {nvidia.com/gpu: 1}
          volumes: [{name: config, configMap: {name: chat}}]
    """


def _of_file(entry: str) -> list[tuple[str, int]]:
    text = textwrap.dedent(_FILE).replace("ENTRY", entry)
    return [(f.rule, f.span.line) for f in findings_of(text) if f.rule.startswith("vllm/")]


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("swap-space: 4  # fires", "vllm/argument-removed"),
        ("max-model-length: 8192  # fires", "vllm/argument-unknown"),
        ("dtype: bf16  # fires", "vllm/value-not-a-choice"),
        ("max-num-batched-tokens: 32  # fires", "vllm/token-budget-below-sequences"),
    ],
)
def test_key_of_a_config_file_is_judged_as_the_argument_that_it_is(entry: str, rule: str) -> None:
    line = marked_lines(textwrap.dedent(_FILE).replace("ENTRY", entry))[0]
    assert _of_file(entry) == [(rule, line)]


def test_false_key_that_the_release_does_not_know_is_left_out_by_vllm_itself() -> None:
    """vLLM 0.32.0, `load_config_file`: a false key becomes `--no-key` only where there is one."""
    assert _of_file("disable-log-requests: false") == []
    assert _of_file("disable-log-requests: true") != []


@pytest.mark.parametrize(
    "args",
    ["- --max_model_length=1", "- --max-model-length\n- '1'", '- "--max-model-length=1"'],
)
def test_misspelled_argument_is_found_in_every_way_to_write_one(args: str) -> None:
    assert [f.rule for f in findings_of(engine(args))] == ["vllm/argument-unknown"]


@pytest.mark.parametrize(
    "args",
    [
        "- --max_model_len=4k",
        "- --tensor-parallel-siz=1",
        "- -tp=1",
        "- -O3",
        "- -cc.mode=3",
        "- --no-enable-prefix-caching",
    ],
)
def test_other_ways_to_write_what_vllm_takes_are_silent(args: str) -> None:
    assert [f.rule for f in findings_of(engine(args))] == []


@pytest.mark.parametrize(
    ("args", "fires"),
    [
        ("- --data-parallel-size=2\n- --data-parallel-hybrid-lb\n- --data-parallel-external-lb", True),
        ("- --data-parallel-size=2\n- --data-parallel-external-lb", True),
        ("- --data-parallel-size=2\n- --data-parallel-external-lb\n- --data-parallel-rank=0", False),
        ("- --data-parallel-size=2\n- --data-parallel-hybrid-lb\n- --headless\n- --data-parallel-size-local=1", True),
        ("- --data-parallel-size=2\n- --data-parallel-hybrid-lb\n- --nnodes=2", False),
    ],
)
def test_ways_to_spread_requests_over_ranks(args: str, fires: bool) -> None:
    found = [f.rule for f in findings_of(engine(args, gpus=2)) if f.rule.startswith("vllm/data")]
    assert found == (["vllm/data-parallel-modes-exclude-each-other"] if fires else [])


@pytest.mark.parametrize(
    ("config", "fires"),
    [
        ('{"method": "ngram"}', True),
        ('{"model": "[ngram]", "prompt_lookup_max": 4}', True),
        ('{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_min": 5, "prompt_lookup_max": 2}', True),
        ('{"method": "eagle", "num_speculative_tokens": 3}', True),
        ('{"method": "mtp", "num_speculative_tokens": 1}', False),
        ('{"model": "acme/draft", "num_speculative_tokens": 5}', False),
        ('{"method": "suffix"}', False),
    ],
)
def test_speculation_needs_what_its_method_needs(config: str, fires: bool) -> None:
    found = [f.rule for f in findings_of(engine(f"- --speculative-config\n- '{config}'"))]
    assert found == (["vllm/speculation-incomplete"] if fires else [])


@pytest.mark.parametrize(("version", "fires"), [("0.12.0", True), ("0.20.0", False)])
def test_draft_models_are_refused_by_the_releases_without_them(version: str, fires: bool) -> None:
    config = '{"method": "draft_model", "model": "acme/draft", "num_speculative_tokens": 3}'
    found = [f.rule for f in findings_of(engine(f"- --speculative-config\n- '{config}'", version=version))]
    assert found == (["vllm/speculation-incomplete"] if fires else [])
