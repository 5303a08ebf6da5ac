"""Experts are to be spread over one GPU."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_on, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_variables import may_set
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_RANKS = ("tensor_parallel_size", "data_parallel_size", "prefill_context_parallel_size")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        alone = all(value_of(engine.parallel(name)) == 1 for name in _RANKS) and engine.container is not None
        balanced = is_on(engine, "enable_eplb")
        if is_on(engine, "enable_expert_parallel") and alone and not balanced and not may_set(engine, "VLLM_DP_SIZE"):
            flag = spelled(engine, "enable_expert_parallel")
            yield Finding(
                f"{flag} does nothing with tensor x data parallel = 1",
                at=engine.written("enable_expert_parallel"),
                otherwise=engine.place,
                remedy=f"Take {flag} out, or set a tensor or data parallel size.",
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Experts are spread over the tensor and data parallel ranks. With one rank vLLM leaves expert "
    "parallelism off without a word.",
    remedy="Take the argument out, or give it ranks.",
    sources=("vLLM 0.10.2 and 0.33.0, model_executor/layers/fused_moe/config.py: FusedMoEParallelConfig.make",),
    bad=(example("- --enable-expert-parallel  # fires"),),
    good=(example("- --enable-expert-parallel\n- --tensor-parallel-size=4", gpus=4),),
    check=in_every_release(check),
)
