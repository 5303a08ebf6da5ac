"""Weights larger than the GPUs that hold them: told only where both numbers are certain."""

from __future__ import annotations

import pytest

from controlplane.diagnostics import Diagnostic, Severity
from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of

RULE = "cross/weights-exceed-gpu-memory"
LARGE = "Qwen/Qwen3-32B"


def told(args: str = "", model: str = LARGE, product: str = "NVIDIA-L4", gpus: int = 1) -> list[Diagnostic]:
    return [f for f in findings_of(engine(args, model=model, product=product, gpus=gpus)) if f.rule == RULE]


def test_message_has_both_numbers_and_how_many_gpus_would_do() -> None:
    [found] = told()
    assert "the weights take 61.02 GiB on each GPU (61.02 GiB, tensor 1); L4 has 22.49 GiB in all" in found.message
    assert "at least 3 GPUs" in found.remedy.text
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("args", "gpus", "fires"),
    [
        ("- --tensor-parallel-size=2", 2, True),
        ("- --pipeline-parallel-size=2", 2, True),
        ("- --tensor-parallel-size=4", 4, False),
        ("- --tensor-parallel-size=2\n- --pipeline-parallel-size=2", 4, False),
        ("- --data-parallel-size=4", 4, True),
    ],
)
def test_weights_are_shared_out_over_tensor_and_pipeline_ranks_only(args: str, gpus: int, fires: bool) -> None:
    assert bool(told(args, gpus=gpus)) is fires


@pytest.mark.parametrize(
    "args",
    [
        "- --quantization=fp8",
        "- --load-format=bitsandbytes",
        "- --cpu-offload-gb=40",
        "- --offload-backend=uva",
        "- --hf-overrides={}",
        "- --runner=pooling",
        "- --dtype=$(DTYPE)",
        "- --tensor-parallel-size=$(TP)",
        "- --config=/etc/vllm/config.yaml",
    ],
)
def test_what_may_make_the_weights_smaller_keeps_the_rule_silent(args: str) -> None:
    assert told(args) == []


@pytest.mark.parametrize(
    ("model", "product"),
    [
        ("Qwen/Qwen3-32B-FP8", "NVIDIA-L4"),
        ("Qwen/Qwen3-235B-A22B", "NVIDIA-L4"),
        ("/models/Qwen3-32B", "NVIDIA-L4"),
        ("acme/Qwen3-32B", "NVIDIA-L4"),
        (LARGE, ""),
        (LARGE, "NVIDIA-A100"),
        (LARGE, "NVIDIA-A100-SXM4-80GB"),
    ],
)
def test_unknown_model_or_gpu_keeps_the_rule_silent(model: str, product: str) -> None:
    assert told(model=model, product=product) == []


def test_dtype_of_32_bits_doubles_the_weights() -> None:
    assert told("- --dtype=half", model="Qwen/Qwen3-8B") == []
    [found] = told("- --dtype=float32", model="Qwen/Qwen3-8B")
    assert "30.51 GiB on each GPU" in found.message


def test_weights_that_just_fit_are_not_judged() -> None:
    assert told(model="meta-llama/Llama-3.1-8B-Instruct") == []
    assert told(model="meta-llama/Llama-3.1-8B-Instruct", product="Tesla-T4") == []
    assert told(model="Qwen/Qwen3-8B", product="Tesla-T4") != []
