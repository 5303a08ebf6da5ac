"""Cases from public issue threads, retold: the fault is found where it stands, and the repaired form is silent.

Versions, numbers and names of arguments are the threads'; everything else is invented.
"""

from __future__ import annotations

import pytest

from controlplane.diagnostics import Diagnostic, Severity
from controlplane.rules.vllm._example import engine
from tests.rules.judging import findings_of, marked_lines

_FORTY_HEADS = "Qwen/Qwen2.5-14B-Instruct"


def _rules(text: str) -> list[str]:
    return [found.rule for found in findings_of(text)]


def _only(text: str, rule: str) -> Diagnostic:
    """The one finding, which is of that rule and stands where the text marks it."""
    found = findings_of(text)
    assert [f.rule for f in found] == [rule]
    assert [f.span.line for f in found] == marked_lines(text)
    return found[0]


def test_forty_heads_on_six_gpus_are_told_with_what_six_gpus_can_do() -> None:
    """vllm-project/vllm#4232: tensor parallel 6 for a model of 40 heads."""
    found = _only(
        engine("- --tensor-parallel-size=6  # fires", model=_FORTY_HEADS, gpus=6), "vllm/heads-not-divisible"
    )
    assert "40 / 6 leaves 4" in found.message
    assert found.remedy is not None
    assert "2 uses all 6 GPUs with pipeline_parallel_size 3, or 3 engines of 2 GPUs" in found.remedy.text


@pytest.mark.parametrize(("args", "gpus"), [("- -tp=8", 8), ("- -tp=2\n- -pp=3", 6)])
def test_forty_heads_in_sizes_that_divide_them_are_silent(args: str, gpus: int) -> None:
    assert _rules(engine(args, model=_FORTY_HEADS, gpus=gpus)) == []


def test_size_that_divides_the_heads_and_not_the_eight_kv_heads_is_told() -> None:
    text = engine("- --tensor-parallel-size=5  # fires", model=_FORTY_HEADS, gpus=5)
    assert "8 / 5 leaves 3" in _only(text, "vllm/kv-heads-not-divisible").message


def test_heads_of_a_model_that_nobody_knows_are_not_judged() -> None:
    assert _rules(engine("- --tensor-parallel-size=6", model="registry.example/own-40-heads", gpus=6)) == []


@pytest.mark.parametrize("product", ["Tesla-T4", "Tesla-V100-SXM2-16GB"])
def test_bfloat16_before_ampere_is_told(product: str) -> None:
    """vllm-project/vllm#35720: --dtype=bfloat16 on compute capability 7.x."""
    found = _only(
        engine("- --dtype=bfloat16  # fires", product=product, version="0.16.0"), "vllm/dtype-unsupported-by-gpu"
    )
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(("product", "version"), [("Tesla-T4", "0.16.0"), ("NVIDIA-GeForce-RTX-3090", "0.10.2")])
def test_fp8_blocks_before_the_gpus_that_read_them_are_told(product: str, version: str) -> None:
    """vllm-project/vllm#35720 and #26431: --kv-cache-dtype=fp8 below 8.9; FlashInfer reads it on Ampere since V1."""
    _only(
        engine("- --kv-cache-dtype=fp8  # fires", product=product, version=version),
        "vllm/kv-cache-dtype-unsupported-by-gpu",
    )


@pytest.mark.parametrize("args", ["- --dtype=half", "- --kv-cache-dtype=auto"])
def test_formats_that_an_old_gpu_has_are_silent(args: str) -> None:
    assert _rules(engine(args, product="Tesla-T4", version="0.16.0")) == []


@pytest.mark.parametrize(
    ("version", "rule"),
    [
        ("0.9.2", "vllm/argument-turns-v1-off"),
        ("0.20.0", "vllm/argument-not-supported"),
        ("0.26.0", "vllm/argument-not-supported"),
        ("0.27.0", "vllm/argument-removed"),
        ("0.32.0", "vllm/argument-removed"),
    ],
)
def test_partial_prefills_are_told_in_each_release_as_it_takes_them(version: str, rule: str) -> None:
    """vllm-project/vllm#57413: the knob that was meant to let short prompts past does nothing, or ends the server."""
    _only(engine("- --max-num-partial-prefills=4  # fires", version=version), rule)


def test_a_threshold_for_long_prompts_is_the_remedy_and_silent() -> None:
    args = "- --max-model-len=180000\n- --max-num-batched-tokens=16384"
    assert _rules(engine(args, version="0.29.0")) == ["vllm/long-prompt-blocks-short-ones"]
    assert _rules(engine(f"{args}\n- --long-prefill-token-threshold=4096", version="0.29.0")) == []


_GONE = [
    ("--disable-log-requests", "0.16.0", "0.17.0"),
    ("--swap-space=4", "0.17.0", "0.18.0"),
    ("--num-scheduler-steps=8", "0.10.0", "0.10.1"),
    ("--use-v2-block-manager", "0.9.2", "0.10.0"),
    ("--preemption-mode=swap", "0.10.2", "0.11.0"),
    ("--scheduler-delay-factor=0.5", "0.10.2", "0.11.0"),
    ("--max-seq-len-to-capture=8192", "0.10.2", "0.11.0"),
    ("--cuda-graph-sizes=512", "0.12.0", "0.13.0"),
    ("--guided-decoding-backend=xgrammar", "0.11.2", "0.12.0"),
    ("--max-num-partial-prefills=4", "0.26.0", "0.27.0"),
    ("--max-long-partial-prefills=2", "0.26.0", "0.27.0"),
]
"""Argument, last release with it, first without; kserve/kserve#6037, #4883 and vllm-project/vllm#23283, #50292."""


@pytest.mark.parametrize(("argument", "last", "gone"), _GONE, ids=[row[0].partition("=")[0] for row in _GONE])
def test_argument_that_went_away_is_told_from_the_first_release_without_it(
    argument: str, last: str, gone: str
) -> None:
    found = _only(engine(f"- {argument}  # fires", version=gone), "vllm/argument-removed")
    assert found.severity is Severity.ERROR
    assert f"gone since vLLM {gone} (last in {last})" in found.message
    _only(engine(f"- {argument}  # fires", version="0.32.0"), "vllm/argument-removed")
    assert "vllm/argument-removed" not in _rules(engine(f"- {argument}", version=last))


def test_all_arguments_of_an_old_command_line_are_told_at_once() -> None:
    """kserve/kserve#6037: a command line of 0.8 with an image of 0.32."""
    text = engine(
        """
        - --disable-log-requests  # fires
        - --swap-space=4  # fires
        - --num-scheduler-steps=8  # fires
        - --use-v2-block-manager  # fires
        - --guided-decoding-backend=xgrammar  # fires
        """,
        version="0.32.0",
    )
    found = findings_of(text)
    assert {f.rule for f in found} == {"vllm/argument-removed"}
    assert [f.span.line for f in found] == marked_lines(text)
    assert _rules(engine("- --structured-outputs-config.backend=xgrammar", version="0.32.0")) == []


def test_disable_log_requests_is_an_argument_again_where_every_switch_has_its_opposite() -> None:
    """vLLM 0.33.0, `EnableDisableAction`: `--disable-log-requests` is the opposite of `--enable-log-requests`."""
    assert _rules(engine("- --disable-log-requests", version="0.33.0")) == []


@pytest.mark.parametrize(
    ("variable", "value", "last", "gone"),
    [("VLLM_ATTENTION_BACKEND", "FLASHINFER", "0.14.0", "0.15.0"), ("VLLM_USE_V1", "'0'", "0.11.0", "0.11.1")],
)
def test_variable_that_went_away_is_a_warning_from_the_first_release_that_ignores_it(
    variable: str, value: str, last: str, gone: str
) -> None:
    """kserve/kserve#6037, vllm-project/vllm#22772: set, ignored, and one generic line in the log."""
    env = f"- {{name: {variable}, value: {value}}}"
    found = _only(engine("", env=f"{env}  # fires", version=gone), "vllm/variable-removed")
    assert found.severity is Severity.WARNING
    assert "ignores it" in found.message
    assert _rules(engine("", env=env, version=last)) == []


def test_attention_backend_as_an_argument_is_the_repaired_form() -> None:
    assert _rules(engine("- --attention-backend=FLASHINFER", version="0.32.0")) == []
    _only(engine("- --attention-backend=FLASHINFER  # fires", version="0.12.0"), "vllm/argument-too-new")


def test_strict_environment_turns_the_ignored_variable_into_an_error() -> None:
    text = engine(
        "- --fail-on-environ-validation",
        env="- {name: VLLM_ATTENTION_BACKEND, value: FLASHINFER}  # fires",
        version="0.32.0",
    )
    assert _only(text, "vllm/variable-removed").severity is Severity.ERROR


def test_names_of_service_links_and_of_vendors_are_no_variables_of_vllm() -> None:
    """vllm-project/vllm#15613: a Service named vllm sets VLLM_SERVICE_HOST, VLLM_PORT_8000_TCP and the like."""
    env = "\n".join(
        f"- {{name: {name}, value: x}}"
        for name in (
            "VLLM_SERVICE_HOST",
            "VLLM_PORT_8000_TCP_ADDR",
            "VLLM_CHAT_SERVICE_PORT",
            "VLLM_NVIDIA_HPCX_VERSION",
            "VLLM_TP_SIZE",
        )
    )
    assert _rules(engine("", env=env)) == []
