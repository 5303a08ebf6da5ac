"""One long prompt takes every step whole while short ones wait."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, is_unset, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_V1_ONLY = Releases("0.11.0")
_LONG = 100_000
_STEPS = 8


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        tokens, length = engine.written("max_num_batched_tokens"), engine.written("max_model_len")
        budget, longest = whole_number(tokens), whole_number(length)
        if budget is None or longest is None or budget < 1 or not _V1_ONLY.has(engine.version):
            continue
        whole = value_of(engine.written("enable_chunked_prefill")) is not False
        bounded = not is_unset(engine, "long_prefill_token_threshold")
        if longest >= _LONG and longest // budget >= _STEPS and whole and not bounded:
            yield Finding(
                f"a prompt of {spelled(engine, 'max_model_len')} {longest} takes {longest // budget} steps of "
                f"{budget} tokens whole, and requests that come meanwhile wait for it",
                at=tokens,
                otherwise=engine.place,
                remedy=f"Where prompts are mixed, set long_prefill_token_threshold, such as {budget // 4}, or serve "
                "long ones from a pool of their own.",
                evidence=(evidence("max_num_batched_tokens", tokens), evidence("max_model_len", length)),
            )


RULE = Rule(
    severity=Severity.INFO,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The scheduler gives a prompt as much of a step's token budget as it can take. As long as a prompt of "
    "a hundred thousand tokens is read, nothing is left for those behind it: time to first token of short requests "
    "becomes that of the longest, with KV blocks free and the GPU busy. Partial prefills are no remedy: V1 never had "
    "them.",
    remedy="Bound what one prompt may take of a step, or separate prompts by length.",
    sources=("vLLM 0.11.0 to 0.33.0, v1/core/sched/scheduler.py: Scheduler.schedule",),
    bad=(example("- --max-model-len=180000\n- --max-num-batched-tokens=16384  # fires"),),
    good=(
        example("- --max-model-len=180000\n- --max-num-batched-tokens=16384\n- --long-prefill-token-threshold=4096"),
        example("- --max-model-len=32768\n- --max-num-batched-tokens=8192"),
    ),
    check=in_every_release(check),
    status="preview",
)
