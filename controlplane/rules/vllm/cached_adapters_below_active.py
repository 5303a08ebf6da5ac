"""Fewer LoRA adapters fit in host memory than in one batch."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_on, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        cached, active = engine.written("max_cpu_loras"), engine.argument("max_loras")
        kept, batch = whole_number(cached), whole_number(active)
        if is_on(engine, "enable_lora") and kept is not None and batch is not None and kept < batch:
            flags = spelled(engine, "max_cpu_loras"), spelled(engine, "max_loras")
            yield Finding(
                f"{flags[0]} is {kept} and {flags[1]} {batch}: every adapter of a batch is kept in host memory, so "
                "the engine refuses to start",
                at=cached,
                otherwise=engine.place,
                remedy=f"Set {flags[0]} to {batch} or more.",
                related=((active, f"{batch} adapters in a batch"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Adapters of a batch come from the cache in host memory, which has to hold them all; vLLM checks it "
    "(`max_cpu_loras must be >= max_loras`).",
    remedy="Let max_cpu_loras be at least max_loras.",
    sources=("vLLM 0.8.5 to 0.33.0, LoRAConfig (config/lora.py)",),
    bad=(example("- --enable-lora\n- --max-loras=8\n- --max-cpu-loras=4  # fires"),),
    good=(example("- --enable-lora\n- --max-loras=8\n- --max-cpu-loras=16"),),
    check=in_every_release(check),
)
