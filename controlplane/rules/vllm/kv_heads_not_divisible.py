"""The model's KV heads cannot be shared out over the tensor parallel ranks."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, whole_number
from controlplane.rules.engine_model import kv_heads_divide, shape_of, tensor_parallel_sizes
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence, listed
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        shape, ranks = shape_of(engine), whole_number(engine.tensor_parallel)
        if shape is None or ranks is None or ranks < 2 or shape.attention_heads % ranks:
            continue
        if not kv_heads_divide(shape, ranks):
            heads = shape.kv_heads
            more, fewer = max(heads, ranks), min(heads, ranks)
            yield Finding(
                f"{spelled(engine, 'tensor_parallel_size')} is {ranks} and {shape.name} has {heads} KV heads: "
                f"{more} / {fewer} leaves {more % fewer}, so the engine refuses to load the model",
                at=engine.tensor_parallel,
                otherwise=engine.place,
                remedy=f"Set it to {listed(tensor_parallel_sizes(shape, ranks), 'or')}.",
                evidence=(evidence("KV heads", heads, source=shape.source),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A rank holds whole KV heads, or with more ranks than KV heads each head is held by the same number "
    "of ranks. Anything else fails an assertion when the attention layers are made.",
    remedy="Choose a tensor parallel size that divides the KV heads, or that they divide.",
    sources=("vLLM 0.8.5 to 0.33.0, model_executor/layers/linear.py: QKVParallelLinear",),
    bad=(example("- --tensor-parallel-size=14  # fires", model="Qwen/Qwen2.5-7B-Instruct", gpus=14),),
    good=(example("- --tensor-parallel-size=4", model="Qwen/Qwen2.5-7B-Instruct", gpus=4),),
    check=check,
)
