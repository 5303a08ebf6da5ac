"""Decode context parallelism is wider than the copies of each KV head."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, spelled, whole_number
from controlplane.rules.engine_model import shape_of
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import LLAMA
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.model import Stack
from controlplane.stack.model_catalogue import ModelShape

_CHECKED = Releases("0.11.2")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        shape, ranks = shape_of(engine), whole_number(engine.tensor_parallel)
        size = whole_number(engine.written("decode_context_parallel_size"))
        if shape is None or shape.latent_attention or ranks is None or size is None:
            continue
        checked = _CHECKED.has(engine.version)
        if checked and size > 1 and ranks % size == 0 and shape.attention_heads % ranks == 0:
            yield from _too_wide(engine, shape, ranks, size)


def _too_wide(engine: DeployedEngine, shape: ModelShape, ranks: int, size: int) -> Iterator[Finding]:
    copies = ranks // shape.kv_heads if ranks > shape.kv_heads else 0
    if size > copies:
        flag = spelled(engine, "decode_context_parallel_size")
        yield Finding(
            f"{flag} is {size}; with {ranks} tensor parallel ranks and {shape.kv_heads} KV heads each head is held "
            f"{copies or 1} time{'' if copies < 2 else 's'}, so the engine refuses to start",
            at=engine.written("decode_context_parallel_size"),
            otherwise=engine.place,
            remedy=f"Set {flag} to {copies or 1}" + (" or less." if copies > 1 else "."),
            evidence=(evidence("KV heads", shape.kv_heads, source=shape.source),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="With more ranks than KV heads several ranks hold the same head. Decode context parallelism lets them "
    "hold different tokens of it instead, so it can be no wider than the copies there are.",
    remedy="Let the size be at most tensor parallel size / KV heads.",
    sources=("vLLM 0.11.2 to 0.33.0, ModelConfig.verify_with_parallel_config",),
    bad=(example("- --tensor-parallel-size=8\n- --decode-context-parallel-size=2  # fires", model=LLAMA, gpus=8),),
    good=(example("- --tensor-parallel-size=8\n- --decode-context-parallel-size=1", model=LLAMA, gpus=8),),
    check=in_every_release(check),
)
