"""Tensor parallel ranks cannot be split into groups of the decode context parallel size."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import listed
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        context = engine.written("decode_context_parallel_size")
        size, ranks = whole_number(context), whole_number(engine.tensor_parallel)
        prefill = whole_number(engine.parallel("prefill_context_parallel_size"))
        known = table.argument("decode_context_parallel_size") is not None
        if not known or size is None or ranks is None or prefill != 1 or size < 1 or ranks % size == 0:
            continue
        flag = spelled(engine, "decode_context_parallel_size")
        fits = listed([n for n in range(1, ranks + 1) if ranks % n == 0], "or")
        yield Finding(
            f"{flag} is {size} and the tensor parallel size {ranks}: {ranks} / {size} leaves {ranks % size}, so the "
            "engine refuses to start",
            at=context,
            otherwise=engine.place,
            remedy=f"Set {flag} to {fits}.",
            related=((engine.tensor_parallel, f"{ranks} tensor parallel ranks"),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Decode context parallelism takes its groups out of the tensor parallel ranks, so their number has to "
    "be a multiple of its size (`tp_size must be divisible by dcp_size`).",
    remedy="Let the tensor parallel size be a multiple of the decode context parallel size.",
    sources=("vLLM 0.10.2 to 0.33.0, EngineArgs.create_engine_config and ParallelConfig",),
    bad=(example("- --tensor-parallel-size=8\n- --decode-context-parallel-size=3  # fires", gpus=8),),
    good=(example("- --tensor-parallel-size=8\n- --decode-context-parallel-size=2", gpus=8),),
    check=in_every_release(check),
)
