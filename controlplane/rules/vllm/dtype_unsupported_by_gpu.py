"""The model is to run in bfloat16 on a GPU that has none."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, text
from controlplane.rules.engine_gpu import gpus_of_engine
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        dtype, gpus = engine.written("dtype"), gpus_of_engine(engine)
        if text(engine, "dtype") == "bfloat16" and gpus is not None and gpus.all_below((8, 0)):
            flag = spelled(engine, "dtype")
            yield Finding(
                f"{flag} is bfloat16, which needs compute capability 8.0; {gpus.name} has {gpus.capabilities()}, so "
                "the engine refuses to start",
                at=dtype,
                otherwise=engine.place,
                remedy=f"Set {flag} to half, or leave it to vLLM.",
                related=((gpus.origin, f"the GPU: {gpus.name}"),),
                evidence=(evidence("dtype", dtype),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="GPUs before Ampere (compute capability 8.0) have no bfloat16. Left to itself vLLM takes float16 "
    "there; told to use bfloat16 it refuses (`Bfloat16 is only supported on GPUs with compute capability of at least "
    "8.0`).",
    remedy="Use half on such a GPU.",
    sources=("vLLM 0.8.5 to 0.33.0, platforms/cuda.py: check_if_supports_dtype (0.8.5: v1/worker/gpu_worker.py)",),
    bad=(example("- --dtype=bfloat16  # fires", product="Tesla-T4"),),
    good=(example("- --dtype=half", product="Tesla-T4"),),
    check=check,
)
