"""How many GPUs an engine's processes take, from its degrees of parallelism."""

from __future__ import annotations

from math import prod

from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived, value_of

_ALONE = derived(1, "a group of one pod")

_WORLD = ("tensor_parallel_size", "pipeline_parallel_size", "prefill_context_parallel_size")

_OWN_RANKS = ("data_parallel_rank", "data_parallel_external_lb", "data_parallel_hybrid_lb", "headless")
"""Arguments that make one process group serve some of the data-parallel ranks, and another the rest."""


def world_size(engine: DeployedEngine) -> Fact[int]:
    """Ranks of one engine core: tensor x pipeline x prefill context (vLLM 0.33, `ParallelConfig.world_size`)."""
    return _product(engine, _WORLD)


def ranks_at_least(engine: DeployedEngine) -> int:
    """The ranks of one engine core for certain, also where a part of the command line is not known."""
    sizes = (value_of(engine.parallel(name)) for name in _WORLD)
    return prod(max(size, 1) for size in sizes if size is not None)


def local_data_parallel(engine: DeployedEngine) -> Fact[int]:
    """Engine cores that this command starts: `--data-parallel-size-local`, else all of `--data-parallel-size`."""
    local = engine.written("data_parallel_size_local")
    if isinstance(local, Known) and isinstance(local.value, int):
        return Known(local.value, local.origin)
    if any(engine.written(name) != ABSENT for name in _OWN_RANKS):
        return Unknown(Why.UNRESOLVED, "how many of the data-parallel ranks this pod starts")
    return engine.data_parallel


def gpus_wanted(engine: DeployedEngine) -> Fact[int]:
    """GPUs that the command of one engine takes on all its nodes together: world size x local data parallel."""
    world, local = world_size(engine), local_data_parallel(engine)
    if not isinstance(world, Known):
        return world
    if not isinstance(local, Known):
        return local
    return derived(
        world.value * local.value,
        formula(engine),
        [(name, engine.written(name)) for name in (*_SHOWN, "data_parallel_size_local")],
    )


def formula(engine: DeployedEngine) -> str:
    """`tensor 4 x pipeline 2`: the factors that are not 1, for messages."""
    shown = [(word, value_of(engine.parallel(name)) or 1) for name, word in _SHOWN.items()]
    return " x ".join(f"{word} {size}" for word, size in shown if size != 1) or "tensor 1"


_SHOWN = {
    "tensor_parallel_size": "tensor",
    "pipeline_parallel_size": "pipeline",
    "prefill_context_parallel_size": "prefill context",
    "data_parallel_size": "data",
}


def written_factor(engine: DeployedEngine) -> Fact[ArgumentValue]:
    """The degree of parallelism to point at: the largest that somebody wrote, ABSENT where nobody wrote any."""
    written = [engine.written(name) for name in _SHOWN]
    known = [fact for fact in written if type(value_of(fact)) is int]
    return max(known, key=_degree, default=ABSENT)


def _degree(fact: Fact[ArgumentValue]) -> int:
    value = value_of(fact)
    return value if isinstance(value, int) else 0


def spans_pods(engine: DeployedEngine) -> bool:
    """Whether the engine may use GPUs outside its own pod: Ray, several nodes, or a launcher that hands out ranks.

    In a group of pods it may without saying so: vLLM takes a Ray cluster that its script has started before it.
    """
    if (
        engine.container is None
        or engine.workload.ray is not None
        or engine.workload.group_size not in (ABSENT, _ALONE)
    ):
        return True
    backend = value_of(engine.written("distributed_executor_backend"))
    nodes = value_of(engine.written("nnodes"))
    unread = not engine.engine.complete
    dp_backend = value_of(engine.written("data_parallel_backend"))
    return unread or backend in ("ray", "external_launcher") or nodes not in (None, 1) or dp_backend == "ray"


def _product(engine: DeployedEngine, names: tuple[str, ...]) -> Fact[int]:
    sizes = [engine.parallel(name) for name in names]
    unknown = next((size for size in sizes if not isinstance(size, Known)), None)
    if unknown is not None:
        return unknown
    if any(size.value < 1 for size in sizes if isinstance(size, Known)):
        return Unknown(Why.UNRESOLVED, "degrees of parallelism of at least 1")
    inputs = list(zip(names, sizes, strict=True))
    return derived(prod(size.value for size in sizes if isinstance(size, Known)), " x ".join(names), inputs)
