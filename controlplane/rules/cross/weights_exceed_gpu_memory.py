"""The weights alone are larger than the memory of the GPUs that hold them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.frozen import frozen
from controlplane.rules.engine_arguments import whole_number
from controlplane.rules.engine_gpu import EngineGpus, gpus_of_engine, most_bytes, slice_bytes
from controlplane.rules.engine_model import shape_of
from controlplane.rules.parallelism import formula
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Fact, Known, value_of
from controlplane.stack.model import Stack

_GIB = 2**30
_BYTES = {"half": 2, "float16": 2, "bfloat16": 2, "float": 4, "float32": 4}
_MAKES_IT_LESS = (
    *("quantization", "cpu_offload_gb", "cpu_offload_params", "offload_backend", "offload_group_size"),
    *("offload_num_in_group", "offload_params", "offload_prefetch_step", "model_loader_extra_config"),
    *("task", "runner", "convert", "device", "worker_cls", "prefill_context_parallel_size"),
)
"""What stores weights in fewer bits, leaves some outside the GPU, or leaves a layer out."""


@frozen
class _Weights:
    """Bytes of all weights in memory, and where that is from; not certain where the files' dtype is not known."""

    size: int
    fact: Fact[int] | Fact[str]
    source: str
    is_certain: bool


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        weights, most, gpus = _weights(engine), most_bytes(engine), gpus_of_engine(engine)
        ranks = (whole_number(engine.tensor_parallel) or 0) * (whole_number(engine.pipeline_parallel) or 0)
        if weights is not None and most is not None and gpus is not None and 0 < ranks * most < weights.size:
            yield _too_large(engine, weights, ranks, most, gpus)


def _weights(engine: DeployedEngine) -> _Weights | None:
    """The size of the weights in memory; None where it is not certain."""
    if not all(_is_one_of(engine, name, ()) for name in _MAKES_IT_LESS):
        return None
    if not _is_one_of(engine, "load_format", ("auto", "safetensors")):
        return None
    shape, declared, model = shape_of(engine), engine.engine.weights, value_of(engine.engine.model) or ""
    native = _BYTES.get(shape.dtype) if shape else None
    if isinstance(declared, Known):
        known = shape is not None and native == 2
        return _Weights(declared.value, declared, "as declared", known) if _is_one_of(engine, "dtype") else None
    # A folder of another name than the model's may hold it in fewer bits.
    if declared != ABSENT or shape is None or not shape.parameters or not model.endswith(shape.name):
        return None
    width = native if _is_one_of(engine, "dtype") else _BYTES.get(str(value_of(engine.written("dtype"))))
    if native != 2 or width is None:
        return None
    formula = f"{shape.parameters} parameters of {width} bytes"
    return _Weights(shape.parameters * width, engine.engine.model, f"{shape.source}: {formula}", True)


def _is_one_of(engine: DeployedEngine, name: str, values: tuple[str, ...] = ("auto",)) -> bool:
    """Whether an argument is left out or has one of these values."""
    fact = engine.written(name)
    return fact == ABSENT or (isinstance(fact, Known) and fact.value in (None, *values))


def _too_large(engine: DeployedEngine, weights: _Weights, ranks: int, most: int, gpus: EngineGpus) -> Finding:
    unit = f"a slice of {gpus.name}" if slice_bytes(engine) else gpus.name
    each = weights.size / ranks
    return Finding(
        f"the weights take {each / _GIB:.2f} GiB on each GPU ({weights.size / _GIB:.2f} GiB, {formula(engine)}); "
        f"{unit} has {most / _GIB:.2f} GiB in all",
        at=weights.fact,
        otherwise=engine.place,
        severity=None if weights.is_certain else Severity.WARNING,
        remedy=f"Share the weights out over at least {math.ceil(weights.size / most)} GPUs (tensor x pipeline), or "
        "take a larger GPU or a checkpoint with fewer bits.",
        evidence=(
            evidence("weights", weights.size, source=weights.source),
            evidence("memory of a GPU", most, source=gpus.name),
        ),
        related=((gpus.origin, f"the GPU: {gpus.name}"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="vLLM loads all weights before anything else, each rank its part. A part that is larger than the GPU "
    "ends in `CUDA out of memory` on every start. What else needs memory is not counted, so silence does not say "
    "that the model fits. Only models are judged whose parameters are known exactly, and policies that say how large "
    "their weights are. The latter is a warning where the dtype is not known: 32 bits are loaded as 16.",
    remedy="Use more GPUs for an engine, a larger GPU, or a quantised checkpoint.",
    sources=("vLLM 0.8.5 to 0.33.0, v1/worker/gpu_worker.py: load_model",),
    bad=(
        example("- --max-model-len=4096", model="Qwen/Qwen3-32B  # fires", product="NVIDIA-L4"),
        example("- --tensor-parallel-size=2", model="Qwen/Qwen3-32B  # fires", product="NVIDIA-L4", gpus=2),
    ),
    good=(
        example("- --tensor-parallel-size=4", model="Qwen/Qwen3-32B", product="NVIDIA-L4", gpus=4),
        example("- --quantization=fp8", model="Qwen/Qwen3-14B", product="NVIDIA-L4"),
    ),
    check=check,
)
