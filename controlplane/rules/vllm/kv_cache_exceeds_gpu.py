"""The KV cache is given more memory than the GPU has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, whole_number
from controlplane.rules.engine_gpu import gpus_of_engine, most_bytes, slice_bytes
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack

_GIB = 2**30


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        size, gpus = engine.written("kv_cache_memory_bytes"), gpus_of_engine(engine)
        wanted = whole_number(size)
        most = most_bytes(engine)
        if gpus is not None and most is not None and wanted is not None and wanted >= most:
            flag = spelled(engine, "kv_cache_memory_bytes")
            unit = f"a slice of {gpus.name}" if slice_bytes(engine) else gpus.name
            yield Finding(
                f"{flag} is {wanted} bytes ({wanted / _GIB:.1f} GiB) on each GPU; {unit} has {most / _GIB:.1f} GiB "
                "for weights and KV cache together",
                at=size,
                otherwise=engine.place,
                remedy="Set it to what is left beside the weights; the engine's log names it.",
                related=((gpus.origin, f"the GPU: {gpus.name}"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="kv_cache_memory_bytes is taken as it is, for each GPU, without looking at what is free: more than "
    "the GPU has ends in `CUDA out of memory` after the weights were loaded.",
    remedy="Give the KV cache what the GPU has beside the weights.",
    sources=("vLLM 0.10.2 to 0.33.0, v1/worker/gpu_worker.py: determine_available_memory",),
    bad=(example("- --kv-cache-memory-bytes=40G  # fires", product="NVIDIA-L4"),),
    good=(example("- --kv-cache-memory-bytes=12G", product="NVIDIA-L4"),),
    check=check,
)
