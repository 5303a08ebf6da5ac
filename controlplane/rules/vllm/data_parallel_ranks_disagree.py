"""The data parallel ranks of a pod do not fit the ranks there are."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.engine_variables import may_set
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.facts import Fact
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        size = whole_number(engine.data_parallel)
        if size is None or may_set(engine, "VLLM_DP_SIZE"):
            continue
        local, rank = engine.written("data_parallel_size_local"), engine.written("data_parallel_rank")
        here, which = whole_number(local), whole_number(rank)
        if here is not None and here > size:
            yield _finding(engine, "data_parallel_size_local", local, here, f"at most {size}")
        if which is not None and size > 1 and not 0 <= which < size:
            yield _finding(engine, "data_parallel_rank", rank, which, f"between 0 and {size - 1}")


def _finding(engine: DeployedEngine, name: str, at: Fact[ArgumentValue], value: int, needed: str) -> Finding:
    flag, size = spelled(engine, name), engine.data_parallel
    return Finding(
        f"{flag} is {value} and {spelled(engine, 'data_parallel_size')} {whole_number(size)}: it has to be {needed}, "
        "so the engine refuses to start",
        at=at,
        otherwise=engine.place,
        remedy=f"Set {flag} to a number that is {needed}, or raise the size.",
        related=((size, "ranks in all"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="data_parallel_size counts the ranks of all pods together, data_parallel_size_local those of this "
    "one, and a rank is a number below the size. vLLM checks both before it loads anything.",
    remedy="Let the numbers agree with data_parallel_size.",
    sources=("vLLM 0.9.2 to 0.33.0, ParallelConfig (config/parallel.py)",),
    bad=(example("- --data-parallel-size=2\n- --data-parallel-size-local=4  # fires", gpus=4),),
    good=(example("- --data-parallel-size=4\n- --data-parallel-size-local=4", gpus=4),),
    check=in_every_release(check),
)
