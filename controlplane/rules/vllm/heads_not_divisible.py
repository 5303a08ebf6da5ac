"""The model's attention heads cannot be shared out over the tensor parallel ranks."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, whole_number
from controlplane.rules.engine_model import shape_of, tensor_parallel_sizes
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import LLAMA
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence, listed, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.model import Stack
from controlplane.stack.model_catalogue import ModelShape


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        shape, ranks = shape_of(engine), whole_number(engine.tensor_parallel)
        if shape is not None and ranks is not None and ranks > 1 and shape.attention_heads % ranks:
            yield _uneven(engine, shape, ranks)


def _uneven(engine: DeployedEngine, shape: ModelShape, ranks: int) -> Finding:
    heads, parallel = shape.attention_heads, engine.tensor_parallel
    return Finding(
        f"{spelled(engine, 'tensor_parallel_size')} is {ranks} and {shape.name} has {heads} attention heads: "
        f"{heads} / {ranks} leaves {heads % ranks}, so the engine refuses to start",
        at=parallel,
        otherwise=engine.place,
        remedy=_split(shape, whole_number(engine.gpus) or ranks),
        evidence=(
            evidence("attention heads", heads, source=shape.source),
            evidence("tensor_parallel_size", parallel),
        ),
    )


def _split(shape: ModelShape, gpus: int) -> str:
    """What the same GPUs can do: the largest tensor parallel size that leaves none idle, and how to use the rest."""
    sizes = tensor_parallel_sizes(shape, gpus)
    size = max(n for n in sizes if gpus % n == 0)
    if size == gpus:
        return f"Set it to {size}."
    rest = gpus // size
    use = f"with pipeline_parallel_size {rest}, or {plural(rest, 'engine')} of {plural(size, 'GPU')}"
    return f"Set it to {listed(sizes, 'or')}; {size} uses all {gpus} GPUs {use}."


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Each tensor parallel rank computes whole attention heads, so their number has to be a multiple of "
    "the ranks (`Total number of attention heads must be divisible by tensor parallel size`). The engine ends before "
    "it loads anything, with its GPUs held.",
    remedy="Choose a tensor parallel size that divides the heads, and use the other GPUs by pipeline parallelism or "
    "more engines.",
    sources=("vLLM 0.8.5 to 0.33.0, ModelConfig.verify_with_parallel_config",),
    bad=(example("- --tensor-parallel-size=6  # fires", model=LLAMA, gpus=6),),
    good=(example("- --tensor-parallel-size=2\n- --pipeline-parallel-size=3", model=LLAMA, gpus=6),),
    check=check,
)
