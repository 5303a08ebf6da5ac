"""The engine claims the whole memory of its GPU."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, is_unset, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_CHECKS_FREE_MEMORY = Releases("0.9.2")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        fraction = engine.written("gpu_memory_utilization")
        if value_of(fraction) != 1 or not _CHECKS_FREE_MEMORY.has(engine.version):
            continue
        if is_unset(engine, "kv_cache_memory_bytes"):
            flag = spelled(engine, "gpu_memory_utilization")
            yield Finding(
                f"{flag} is 1: the CUDA context already takes memory when the engine looks, so that less than the "
                "whole GPU is free and it refuses to start",
                at=fraction,
                otherwise=engine.place,
                remedy=f"Set {flag} to 0.95 or less.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Before it loads the model an engine compares the free memory of its GPU with the fraction it may "
    "take. The CUDA context, NCCL and cuBLAS are there by then, some hundred MiB, so that a fraction of 1 is never "
    "free (`Free memory on device is less than desired GPU memory utilization`).",
    remedy="Leave a few per cent of the GPU's memory.",
    sources=("vLLM 0.9.2 to 0.33.0, v1/worker/gpu_worker.py: init_device, and v1/worker/utils.py: request_memory",),
    bad=(example("- --gpu-memory-utilization=1.0  # fires"),),
    good=(example("- --gpu-memory-utilization=0.95"),),
    check=in_every_release(check),
)
