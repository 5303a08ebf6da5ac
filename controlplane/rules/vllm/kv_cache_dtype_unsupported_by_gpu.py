"""KV blocks are to be kept in FP8 on a GPU that cannot read it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, spelled, text
from controlplane.rules.engine_gpu import EngineGpus, gpus_of_engine
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.model import Stack

_E4M3 = frozenset({"fp8", "fp8_e4m3"})
_OLD_CHECK = Releases("0.8.5", "0.11.0")


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        dtype, gpus = engine.written("kv_cache_dtype"), gpus_of_engine(engine)
        if text(engine, "kv_cache_dtype") not in _E4M3 or gpus is None:
            continue
        least = _least(engine)
        if gpus.all_below(least):
            flag = spelled(engine, "kv_cache_dtype")
            yield Finding(
                f"{flag} is {text(engine, 'kv_cache_dtype')}; {_why(gpus, least)}",
                at=dtype,
                otherwise=engine.place,
                remedy=f"Set {flag} to auto.",
                related=((gpus.origin, f"the GPU: {gpus.name}"),),
                evidence=(evidence("kv_cache_dtype", dtype),),
            )


def _least(engine: DeployedEngine) -> tuple[int, int]:
    """FlashInfer reads FP8 on Ampere too and is chosen for it by itself; only the Triton kernels need 8.9 then."""
    backend = text(engine, "attention_backend")
    triton = backend is not None and backend.upper().startswith("TRITON")
    return (8, 9) if triton or _OLD_CHECK.has(engine.version) else (8, 0)


def _why(gpus: EngineGpus, least: tuple[int, int]) -> str:
    return f"this needs compute capability {least[0]}.{least[1]}, and {gpus.name} has {gpus.capabilities()}"


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="FP8 KV blocks (e4m3) are read by kernels that begin with compute capability 8.9, and by FlashInfer "
    "from Ampere (8.0) on. On older GPUs the attention kernel fails or the engine refuses (`FP8 KV cache is not "
    "supported by the Triton attention backend`); releases up to 0.10 fell back to the old engine below 8.9.",
    remedy="Leave the KV type to the model's on such a GPU.",
    sources=(
        "vLLM 0.10.2, platforms/cuda.py: is_kv_cache_dtype_supported",
        "vLLM 0.33.0, v1/attention/backends/triton_attn.py and flashinfer.py",
    ),
    bad=(
        example(
            "- --kv-cache-dtype=fp8  # fires",
            product="Tesla-V100-SXM2-32GB",
            version="0.16.0",
        ),
        example(
            "- --kv-cache-dtype=fp8  # fires",
            product="NVIDIA-A10G",
            version="0.10.0",
        ),
    ),
    good=(
        example("- --kv-cache-dtype=fp8", product="NVIDIA-L4"),
        example("- --kv-cache-dtype=fp8", product="NVIDIA-A10G"),
    ),
    check=check,
)
