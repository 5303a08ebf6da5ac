"""What vLLM refuses when it starts although each argument alone is right: limits between arguments.

As its own configuration checks them (`SchedulerConfig`, `ModelConfig.verify_with_parallel_config` and the HTTP
server's `validate_parsed_serve_args`, vLLM 0.8.5 to 0.33.0). A limit that needs a value nobody set is vLLM's alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from controlplane.diagnostics import Diagnostic, Layer
from controlplane.policy.findings import finding
from controlplane.policy.resolution.catalogue import attention_heads
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.stack.facts import Fact, Known, value_of

_Values = Mapping[str, Fact[Any]]
_Places = Mapping[str, tuple[str, ...]]


def check_limits(setting: Setting, values: _Values, places: _Places) -> list[Diagnostic]:
    """Findings for pairs of arguments, and for the model's heads, that cannot be together."""
    return [
        *_tokens_below_sequences(setting, values, places),
        *_tokens_below_length(setting, values, places),
        *_tools_without_parser(setting, values, places),
        *_heads_not_divisible(setting, values),
    ]


def _number(values: _Values, name: str) -> int | None:
    value = value_of(values[name]) if name in values else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _tokens_below_sequences(setting: Setting, values: _Values, places: _Places) -> Iterator[Diagnostic]:
    tokens, sequences = _number(values, "max_num_batched_tokens"), _number(values, "max_num_seqs")
    if tokens is not None and sequences is not None and tokens < sequences:
        yield _pair(
            setting,
            places["max_num_batched_tokens"],
            f"maxNumBatchedTokens is {tokens}, but maxNumSeqs is {sequences}: a step has at least one token for each "
            "of its sequences, and the engine refuses to start",
            f"Set maxNumBatchedTokens to {sequences} or more, or maxNumSeqs to {tokens} or less.",
            (("maxNumBatchedTokens", values["max_num_batched_tokens"]), ("maxNumSeqs", values["max_num_seqs"])),
        )


def _tokens_below_length(setting: Setting, values: _Values, places: _Places) -> Iterator[Diagnostic]:
    whole = "enable_chunked_prefill" in values and value_of(values["enable_chunked_prefill"]) is False
    tokens, length = _number(values, "max_num_batched_tokens"), _number(values, "max_model_len")
    if whole and tokens is not None and length is not None and tokens < length:
        yield _pair(
            setting,
            places["max_num_batched_tokens"],
            f"maxNumBatchedTokens is {tokens}, but maxModelLen is {length}: without chunked prefill a prompt is read "
            "in one step, and the engine refuses to start",
            f"Set maxNumBatchedTokens to {length} or more, or leave enable_chunked_prefill to vLLM.",
            (("maxNumBatchedTokens", values["max_num_batched_tokens"]), ("maxModelLen", values["max_model_len"])),
        )


def _tools_without_parser(setting: Setting, values: _Values, places: _Places) -> Iterator[Diagnostic]:
    wanted = "enable_auto_tool_choice" in values and value_of(values["enable_auto_tool_choice"]) is True
    if wanted and "tool_call_parser" not in values:
        yield _pair(
            setting,
            places["enable_auto_tool_choice"],
            "enable_auto_tool_choice is on, but no tool_call_parser is set: the server refuses to start",
            "Add tool_call_parser with the parser for this model, such as hermes.",
            (),
        )


def _heads_not_divisible(setting: Setting, values: _Values) -> Iterator[Diagnostic]:
    """Each GPU of a tensor parallel group takes whole attention heads."""
    heads, parallel = attention_heads(setting.spec.model.name), _number(values, "tensor_parallel_size")
    if not isinstance(heads, Known) or parallel is None or heads.value % parallel == 0:
        return
    most = setting.accelerator.count if setting.certain else parallel
    fits = [n for n in range(1, min(most, heads.value) + 1) if heads.value % n == 0]
    yield _pair(
        setting,
        ("tensorParallel",),
        f"tensorParallel is {parallel}, but {setting.spec.model.name} has {heads.value} attention heads, and "
        f"{heads.value} / {parallel} leaves {heads.value % parallel}: the engine refuses to start",
        f"Set tensorParallel to {_one_of(fits)}; use what is left by pipelineParallel or more replicas.",
        (("attention heads", heads), ("tensorParallel", values["tensor_parallel_size"])),
    )


def _one_of(numbers: list[int]) -> str:
    return " or ".join(filter(None, (", ".join(map(str, numbers[:-1])), str(numbers[-1]))))


def _pair(
    setting: Setting,
    path: tuple[str, ...],
    message: str,
    remedy: str,
    facts: tuple[tuple[str, Fact[Any]], ...],
) -> Diagnostic:
    where = setting.service.memory.declared(*path)
    return finding(
        "policy/arguments-exclude-each-other",
        message,
        where.span,
        where.path,
        remedy,
        layer=Layer.VLLM,
        evidence=tuple(evidence(name, fact) for name, fact in facts),
    )
