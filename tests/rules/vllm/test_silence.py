"""What rules on vLLM do not know they do not judge: each fault here is one if only its condition were known."""

from __future__ import annotations

import pytest

from controlplane.rules.vllm._example import LLAMA, engine
from tests.rules.judging import findings_of


def _rules(text: str) -> list[str]:
    return [found.rule for found in findings_of(text)]


@pytest.mark.parametrize(
    "args",
    [
        "- --no-such-argument=1",
        "- --swap-space=4",
        "- --dtype=bf16",
        "- --max-num-seqs=many",
        "- --enable-auto-tool-choice",
        "- --tool-call-parser=hermes",
    ],
)
def test_arguments_are_not_judged_where_the_release_is_not_known(args: str) -> None:
    assert _rules(engine(args).replace(":v0.33.0", ":latest")) == []


@pytest.mark.parametrize("name", ["VLLM_USE_V1", "VLLM_LOGGING_LEVLE"])
def test_variables_are_not_judged_where_the_release_is_not_known(name: str) -> None:
    text = engine("", env=f"- {{name: {name}, value: '1'}}")
    assert _rules(text.replace(":v0.33.0", ":latest")) == []
    assert _rules(text) != []


def test_release_of_an_unknown_minor_is_not_judged() -> None:
    assert _rules(engine("- --no-such-argument=1", version="0.99.0")) == []


def test_value_that_a_template_brings_is_not_judged() -> None:
    assert _rules(engine("- --max-num-seqs=$(SEQUENCES)")) == []


@pytest.mark.parametrize(
    "args",
    [
        "- --enable-auto-tool-choice",
        "- --tool-call-parser=hermes",
        "- --lora-modules=sql=registry.example/sql",
        "- --enable-eplb\n- --tensor-parallel-size=2",
    ],
)
def test_absence_is_not_judged_where_part_of_the_command_line_cannot_be_read(args: str) -> None:
    unread = f"{args}\n- $(MORE_ARGUMENTS)"
    secret = "- {name: MORE_ARGUMENTS, valueFrom: {secretKeyRef: {name: extra, key: args}}}"
    assert [rule for rule in _rules(engine(unread, env=secret, gpus=2)) if rule.startswith("vllm/")] == []
    assert [rule for rule in _rules(engine(args, gpus=2)) if rule.startswith("vllm/")] != []


def test_length_is_not_judged_where_the_embedding_is_stretched_or_the_owner_takes_the_risk() -> None:
    long = "- --max-model-len=262144"
    assert _rules(engine(long, model=LLAMA)) == ["vllm/length-exceeds-positions"]
    assert _rules(engine(f"{long}\n- '--hf-overrides={{\"rope_theta\": 1e7}}'", model=LLAMA)) == []
    allowed = "- {name: VLLM_ALLOW_LONG_MAX_MODEL_LEN, value: '1'}"
    assert _rules(engine(long, model=LLAMA, env=allowed)) == []


def test_model_under_a_path_or_a_name_of_its_own_has_no_known_shape() -> None:
    for model in ("/models/meta-llama/Llama-3.1-8B-Instruct", "acme/Llama-3.1-8B-Instruct-tuned"):
        assert _rules(engine("- --tensor-parallel-size=6\n- --max-model-len=262144", model=model, gpus=6)) == []


def test_formats_are_not_judged_where_the_gpu_is_not_known() -> None:
    args = "- --dtype=bfloat16\n- --kv-cache-dtype=fp8"
    assert _rules(engine(args)) == []
    assert _rules(engine(args, product="Acme-Nova-9000")) == []


def test_class_of_the_owner_is_a_value_that_a_plug_in_may_bring() -> None:
    assert _rules(engine("- --distributed-executor-backend=acme.executors.Own")) == []


def test_argument_that_collects_values_may_be_given_twice() -> None:
    assert _rules(engine("- --middleware=acme.First\n- --middleware=acme.Second")) == []


def test_one_fault_of_an_argument_is_told_once() -> None:
    """An argument that is gone is not also unknown, too new or without effect."""
    for version in ("0.8.5", "0.11.0", "0.18.0", "0.33.0"):
        for argument in ("--swap-space=4", "--cuda-graph-sizes=8", "--task=generate", "--kv-offloading-size=8"):
            assert len(_rules(engine(f"- {argument}", version=version))) <= 1


def test_prefix_caching_is_on_unless_it_is_refused() -> None:
    """The parser's default is None; the engine then turns it on."""
    algorithm = "- --prefix-caching-hash-algo=sha256"
    for version in ("0.10.0", "0.11.0", "0.33.0"):
        assert _rules(engine(algorithm, version=version)) == []
    refused = engine(f"{algorithm}\n- --no-enable-prefix-caching", version="0.11.0")
    assert _rules(refused) == ["vllm/argument-without-effect"]


@pytest.mark.parametrize(
    "value", ['{"method": {"a": 1}}', '{"model": [1], "method": "eagle", "num_speculative_tokens": 1}']
)
def test_speculation_of_a_strange_kind_is_left_to_the_rule_that_knows_kinds(value: str) -> None:
    assert "vllm/speculation-incomplete" not in _rules(engine(f"- --speculative-config={value!r}"))
