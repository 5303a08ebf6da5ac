"""A step has fewer tokens than it may have sequences."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, whole_number
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        tokens, sequences = engine.written("max_num_batched_tokens"), engine.written("max_num_seqs")
        budget, most = whole_number(tokens), whole_number(sequences)
        if budget is not None and most is not None and 0 < budget < most:
            flags = spelled(engine, "max_num_batched_tokens"), spelled(engine, "max_num_seqs")
            yield Finding(
                f"{flags[0]} is {budget} and {flags[1]} {most}: a step has at least one token for each sequence, so "
                "the engine refuses to start",
                at=tokens,
                otherwise=engine.place,
                remedy=f"Set {flags[0]} to {most} or more, or {flags[1]} to {budget} or less.",
                evidence=(evidence("max_num_batched_tokens", tokens), evidence("max_num_seqs", sequences)),
                related=((sequences, f"{most} sequences"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Every running sequence takes at least one token of each step's budget, so vLLM refuses a budget below "
    "the largest number of sequences (`max_num_batched_tokens must be greater than or equal to max_num_seqs`). "
    "It happens when the budget is lowered for latency and max_num_seqs stays.",
    remedy="Let the token budget be at least max_num_seqs.",
    sources=("vLLM 0.8.5 to 0.33.0, SchedulerConfig (config/scheduler.py, verify_max_model_len)",),
    bad=(example("- --max-num-batched-tokens=128  # fires\n- --max-num-seqs=256"),),
    good=(example("- --max-num-batched-tokens=2048\n- --max-num-seqs=256"),),
    check=check,
)
