"""Two ways of spreading requests over data parallel ranks are asked for, or one without what it needs."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, is_on, is_unset, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_EXTERNAL = Releases("0.11.1")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        external, hybrid = "data_parallel_external_lb", "data_parallel_hybrid_lb"
        if is_on(engine, hybrid) and is_on(engine, external) and _EXTERNAL.has(engine.version):
            yield _fault(
                engine, hybrid, f"is on together with {spelled(engine, external)}", "Take one of the two out."
            )
        elif is_on(engine, hybrid):
            yield from _hybrid(engine, hybrid)
        elif is_on(engine, external) and _EXTERNAL.has(engine.version):
            yield from _external(engine, external)


def _hybrid(engine: DeployedEngine, name: str) -> Iterator[Finding]:
    local = spelled(engine, "data_parallel_size_local")
    if is_on(engine, "headless"):
        yield _fault(engine, name, f"is on together with {spelled(engine, 'headless')}", "Take one of the two out.")
    elif is_unset(engine, "data_parallel_size_local") and is_unset(engine, "data_parallel_rank"):
        unread = not is_unset(engine, "nnodes")
        if not unread:
            yield _fault(engine, name, f"is on and no {local} is set", f"Add {local}: the ranks of this pod.")


def _external(engine: DeployedEngine, name: str) -> Iterator[Finding]:
    if whole_number(engine.data_parallel) == 1:
        size = spelled(engine, "data_parallel_size")
        yield _fault(engine, name, f"is on and {size} is 1", f"Set {size} to the number of ranks in all.")
    elif isinstance(engine.data_parallel, Known) and is_unset(engine, "data_parallel_rank"):
        rank = spelled(engine, "data_parallel_rank")
        if is_unset(engine, "nnodes"):
            yield _fault(engine, name, f"is on and no {rank} is set", f"Add {rank}, or --nnodes with --node-rank.")


def _fault(engine: DeployedEngine, name: str, fact: str, remedy: str) -> Finding:
    return Finding(
        f"{spelled(engine, name)} {fact}, so the engine refuses to start",
        at=engine.written(name),
        otherwise=engine.place,
        remedy=remedy,
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Ranks get their requests from one front end (internal), from a balancer outside (external: each "
    "process is one rank), or from one front end a pod (hybrid: each knows how many ranks it has). vLLM refuses two "
    "ways at once, and a way whose numbers are missing.",
    remedy="Choose one way, and give it the numbers that it needs.",
    sources=(
        "vLLM 0.10.2 to 0.33.0, engine/arg_utils.py: EngineArgs.create_engine_config",
        "vLLM 0.11.2 to 0.33.0, ParallelConfig: data_parallel_external_lb needs more than one rank",
    ),
    bad=(
        example("- --data-parallel-size=2\n- --data-parallel-hybrid-lb  # fires", gpus=2),
        example("- --data-parallel-external-lb  # fires"),
    ),
    good=(example("- --data-parallel-size=2\n- --data-parallel-hybrid-lb\n- --data-parallel-size-local=2", gpus=2),),
    check=in_every_release(check),
)
