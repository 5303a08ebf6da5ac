"""The GPU is older than the quantization method asks for."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, spelled, text
from controlplane.rules.engine_gpu import gpus_of_engine
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.model import Stack

_EVERY = Releases("0.8.5")
_LATER = Releases("0.13.0")
_LEAST: dict[str, tuple[tuple[Releases, tuple[int, int]], ...]] = {
    "awq": ((_EVERY, (7, 5)),),
    "experts_int8": ((_EVERY, (8, 0)),),
    "fbgemm_fp8": ((_EVERY, (8, 0)),),
    **dict.fromkeys(("awq_marlin", "fp8", "gptq_marlin"), ((_LATER, (7, 5)), (_EVERY, (8, 0)))),
}
"""The least compute capability of a method; the first stretch that has the release counts."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        method = text(engine, "quantization")
        least, gpus = _least(engine, method), gpus_of_engine(engine)
        if least is not None and gpus is not None and gpus.all_below(least):
            needed = f"{least[0]}.{least[1]}"
            yield Finding(
                f"{spelled(engine, 'quantization')} is {method}, which needs compute capability {needed}; "
                f"{gpus.name} has {gpus.capabilities()}",
                at=engine.written("quantization"),
                otherwise=engine.place,
                remedy="Use a checkpoint in another format, or a newer GPU.",
                related=((gpus.origin, f"the GPU: {gpus.name}"),),
                evidence=(evidence("quantization", engine.written("quantization")),),
            )


def _least(engine: DeployedEngine, method: str | None) -> tuple[int, int] | None:
    stretches = _LEAST.get(method or "", ())
    return next((least for releases, least in stretches if releases.has(engine.version)), None)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Each quantization method has kernels from one generation of GPUs on. vLLM compares the GPU's compute "
    "capability with it before it loads the weights, and ends.",
    remedy="Choose a method that the GPU has kernels for.",
    sources=(
        "vLLM 0.8.5 to 0.33.0, model_executor/layers/quantization: get_min_capability",
        "vLLM 0.33.0, config/vllm.py: VllmConfig.get_quantization_config",
    ),
    bad=(example("- --quantization=fp8  # fires", version="0.12.0", product="Tesla-T4"),),
    good=(example("- --quantization=fp8", version="0.12.0", product="NVIDIA-L4"),),
    check=check,
)
