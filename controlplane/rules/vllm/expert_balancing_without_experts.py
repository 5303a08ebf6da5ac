"""Experts are to be balanced and are not spread."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_off, is_on, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_RANKS = ("tensor_parallel_size", "data_parallel_size", "prefill_context_parallel_size")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        if table.argument("enable_eplb") is None:
            continue
        if is_on(engine, "enable_eplb"):
            yield from _nothing_to_balance(engine)
        elif is_off(engine, "enable_eplb"):
            yield from _redundant(engine)


def _nothing_to_balance(engine: DeployedEngine) -> Iterator[Finding]:
    balancing = spelled(engine, "enable_eplb")
    if is_off(engine, "enable_expert_parallel"):
        spread = spelled(engine, "enable_expert_parallel")
        yield Finding(
            f"{balancing} is on and {spread} is not, so the engine refuses to start",
            at=engine.written("enable_eplb"),
            otherwise=engine.place,
            remedy=f"Add {spread}, or take {balancing} out.",
        )
    elif all(value_of(engine.parallel(name)) == 1 for name in _RANKS):
        yield Finding(
            f"{balancing} is on with one rank (tensor x data parallel = 1): there is nothing to balance, and the "
            "engine refuses to start",
            at=engine.written("enable_eplb"),
            otherwise=engine.place,
            remedy=f"Take {balancing} out, or spread the experts over several GPUs.",
        )


def _redundant(engine: DeployedEngine) -> Iterator[Finding]:
    config = engine.written("eplb_config")
    value = value_of(config)
    wanted = value.get("num_redundant_experts") if isinstance(value, dict) else 0
    if wanted:
        switch = spelled(engine, "enable_eplb")
        yield Finding(
            f"num_redundant_experts is {wanted} and {switch} is not on, so the engine refuses to start",
            at=config,
            otherwise=engine.place,
            remedy=f"Add {switch}, or take num_redundant_experts out.",
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Expert parallel load balancing moves experts between the ranks that hold them. Without expert "
    "parallelism, or with one rank, there is nothing to move and vLLM refuses it; redundant experts without "
    "balancing alike.",
    remedy="Switch expert parallelism on, or balancing off.",
    sources=("vLLM 0.10.2 to 0.33.0, ParallelConfig (config/parallel.py)",),
    bad=(
        example("- --enable-eplb  # fires\n- --tensor-parallel-size=8", gpus=8),
        example("- --enable-expert-parallel\n- --enable-eplb  # fires"),
        example("- --eplb-config.num_redundant_experts=32  # fires\n- --tensor-parallel-size=8", gpus=8),
    ),
    good=(example("- --enable-eplb\n- --enable-expert-parallel\n- --tensor-parallel-size=8", gpus=8),),
    check=in_every_release(check),
)
