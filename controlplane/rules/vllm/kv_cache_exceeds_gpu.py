"""The KV cache is given more memory than the GPU has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, whole_number
from controlplane.rules.engine_gpu import EngineGpus, gpus_of_engine, slice_bytes
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack

_GIB = 2**30


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        size, gpus = engine.written("kv_cache_memory_bytes"), gpus_of_engine(engine)
        wanted = whole_number(size)
        slices = slice_bytes(engine)
        most = slices if slices is not None else _largest(gpus)
        if gpus is not None and most is not None and wanted is not None and wanted >= most:
            flag = spelled(engine, "kv_cache_memory_bytes")
            yield Finding(
                f"{flag} is {wanted} bytes ({wanted / _GIB:.1f} GiB) on each GPU; "
                f"{'a slice of ' if slices else ''}{gpus.name} has {most / _GIB:.1f} GiB for weights and KV "
                "cache together",
                at=size,
                otherwise=engine.place,
                remedy="Set it to what is left beside the weights; the engine's log names it.",
                related=((gpus.origin, f"the GPU: {gpus.name}"),),
            )


def _largest(gpus: EngineGpus | None) -> int | None:
    """Memory of the largest GPU it may run on; None where that of one is not known."""
    ranges = [gpu.memory_range for gpu in gpus.gpus] if gpus is not None else []
    known = [memory[1] for memory in ranges if memory is not None]
    return max(known) if known and len(known) == len(ranges) else None


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.2.0",
    rationale="kv_cache_memory_bytes is taken as it is, for each GPU, without looking at what is free: more than "
    "the GPU has ends in `CUDA out of memory` after the weights were loaded.",
    remedy="Give the KV cache what the GPU has beside the weights.",
    sources=("vLLM 0.10.2 to 0.33.0, v1/worker/gpu_worker.py: determine_available_memory",),
    bad=(example("- --kv-cache-memory-bytes=40G  # fires", product="NVIDIA-L4"),),
    good=(example("- --kv-cache-memory-bytes=12G", product="NVIDIA-L4"),),
    check=check,
)
