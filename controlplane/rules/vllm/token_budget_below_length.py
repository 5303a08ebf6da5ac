"""Without chunked prefill, a step has fewer tokens than the longest prompt."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, whole_number
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        tokens, length = engine.written("max_num_batched_tokens"), engine.written("max_model_len")
        budget, longest = whole_number(tokens), whole_number(length)
        whole = value_of(engine.written("enable_chunked_prefill")) is False
        if whole and budget is not None and longest is not None and 0 < budget < longest:
            flags = spelled(engine, "max_num_batched_tokens"), spelled(engine, "max_model_len")
            yield Finding(
                f"{flags[0]} is {budget}, {flags[1]} {longest} and chunked prefill off: a prompt is read in one "
                "step, so the engine refuses to start",
                at=tokens,
                otherwise=engine.place,
                remedy=f"Set {flags[0]} to {longest} or more, or leave chunked prefill on.",
                evidence=(evidence("max_num_batched_tokens", tokens), evidence("max_model_len", length)),
                related=((length, f"prompts of up to {longest} tokens"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Without chunked prefill a prompt has to fit into one step, so vLLM refuses a token budget below the "
    "model's length. With chunked prefill, which is on by default, the budget may be as small as latency wants it.",
    remedy="Leave chunked prefill on, or let the token budget be at least max_model_len.",
    sources=("vLLM 0.8.5 to 0.33.0, SchedulerConfig (config/scheduler.py, verify_max_model_len)",),
    bad=(
        example("- --no-enable-chunked-prefill\n- --max-num-batched-tokens=8192  # fires\n- --max-model-len=32768"),
    ),
    good=(
        example("- --max-num-batched-tokens=8192\n- --max-model-len=32768"),
        example("- --no-enable-chunked-prefill\n- --max-num-batched-tokens=32768\n- --max-model-len=32768"),
    ),
    check=check,
)
