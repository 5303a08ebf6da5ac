"""The ranks of an engine cannot be shared out over its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_FACTORS = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "prefill_context_parallel_size")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        nodes = engine.written("nnodes")
        count = whole_number(nodes)
        sizes = [whole_number(engine.parallel(name)) for name in _FACTORS]
        if table.argument("nnodes") is None or count is None or count < 2 or not all(sizes):
            continue
        ranks = prod(size for size in sizes if size is not None)
        flag = spelled(engine, "nnodes")
        if ranks % count:
            yield Finding(
                f"{flag} is {count} and the engine has {ranks} ranks: {ranks} / {count} leaves {ranks % count}, so "
                "it refuses to start",
                at=nodes,
                otherwise=engine.place,
                remedy="Let tensor x pipeline x data parallel be a multiple of the number of nodes.",
            )
        if value_of(engine.written("distributed_executor_backend")) == "ray":
            yield Finding(
                f"{flag} is {count} with the executor ray, which places ranks by itself: the engine refuses to start",
                at=nodes,
                otherwise=engine.place,
                remedy=f"Take {flag} out, or use the executor mp.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="With nnodes vLLM itself starts the ranks of each node, the same number on every one. It refuses a "
    "number of ranks that nodes do not divide, and an executor that places ranks in another way.",
    remedy="Let the nodes divide the ranks.",
    sources=("vLLM 0.11.2 to 0.33.0, engine/arg_utils.py: EngineArgs.create_engine_config, and ParallelConfig",),
    bad=(example("- --nnodes=2  # fires\n- --tensor-parallel-size=3\n- --distributed-executor-backend=mp", gpus=2),),
    good=(example("- --nnodes=2\n- --tensor-parallel-size=4\n- --distributed-executor-backend=mp", gpus=2),),
    check=in_every_release(check),
)
