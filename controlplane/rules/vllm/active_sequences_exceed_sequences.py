"""More sequences may be active than may run."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        active, sequences = engine.written("max_num_active_seqs"), engine.written("max_num_seqs")
        admitted, most = whole_number(active), whole_number(sequences)
        if table.argument("max_num_active_seqs") and admitted is not None and most is not None and admitted > most:
            flags = spelled(engine, "max_num_active_seqs"), spelled(engine, "max_num_seqs")
            yield Finding(
                f"{flags[0]} is {admitted} and {flags[1]} {most}: the first cannot be more, so the engine refuses to "
                "start",
                at=active,
                otherwise=engine.place,
                remedy=f"Set {flags[0]} to {most} or less, or {flags[1]} to {admitted} or more.",
                related=((sequences, f"{most} sequences"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="max_num_active_seqs admits fewer sequences than max_num_seqs sizes buffers and CUDA graphs for. "
    "The other way round makes no sense, and vLLM refuses it (`max_num_active_seqs cannot be greater than "
    "max_num_seqs`).",
    remedy="Let max_num_active_seqs be at most max_num_seqs.",
    sources=("vLLM 0.32.0 and 0.33.0, SchedulerConfig.verify_max_model_len",),
    bad=(example("- --max-num-active-seqs=512  # fires\n- --max-num-seqs=256"),),
    good=(example("- --max-num-active-seqs=128\n- --max-num-seqs=256"),),
    check=in_every_release(check),
)
