"""GPUs of a pod: the smaller of TP times PP and the GPUs of a node; and whether one node can hold the engine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from controlplane.diagnostics import Diagnostic, Severity
from controlplane.policy.argument_names import canonical_name
from controlplane.policy.findings import finding
from controlplane.policy.resolution.setting import Setting, evidence, sure
from controlplane.stack.facts import Fact, Known, derived

_MULTIPLIERS: Final = frozenset({"data_parallel_size", "prefill_context_parallel_size"})
"""Arguments that multiply the GPUs of an engine, as tensor and pipeline parallelism do."""


@dataclass(frozen=True, slots=True)
class Gpus:
    """GPUs that the engine uses, and those that its pod gets."""

    world: Known[int]
    per_pod: Known[int]


def derive_gpus(setting: Setting) -> tuple[Gpus, list[Diagnostic]]:
    """The GPUs of a pod. Where a value was refused, a default stands in and nothing is said about the rest."""
    memory, task = setting.service.memory, setting.service.task
    tensor = memory.fact(memory.value.tensor_parallel, "tensorParallel")
    pipeline = memory.fact(memory.value.pipeline_parallel, "pipelineParallel")
    node = setting.pool_fact(setting.accelerator.count, "accelerator", "count")
    wish = task.fact(task.value.gpus_per_pod, "gpusPerPod")
    world = _world(setting, tensor, pipeline)
    count = setting.accelerator.count
    formula = f"min({world.value} GPUs of the engine, {count} GPUs of a node) = {min(world.value, count)}"
    per_pod = derived(min(world.value, count), formula, [("engine", world), ("node", node)])
    if isinstance(wish, Known):
        per_pod = wish
    if not sure(tensor, pipeline, node, wish):
        return Gpus(world, per_pod), []
    return Gpus(world, per_pod), _check(setting, world, wish, node)


def _world(setting: Setting, tensor: Fact[int], pipeline: Fact[int]) -> Known[int]:
    """vLLM's own product; arguments without a key of their own take part in it too."""
    said = setting.service.memory.value
    factors = [
        ("tensorParallel", said.tensor_parallel, tensor),
        ("pipelineParallel", said.pipeline_parallel or 1, pipeline),
    ]
    factors += [(name, fact.value, fact) for name, fact in _extra_factors(setting)]
    total = math.prod(value for _, value, _ in factors)
    formula = f"{' × '.join(f'{name} {value}' for name, value, _ in factors)} = {total}"
    return derived(total, formula, [(name, fact) for name, _, fact in factors])


def _extra_factors(setting: Setting) -> Iterator[tuple[str, Known[int]]]:
    section = setting.service.memory
    for key, value in sorted(section.value.extra_args.items()):
        fact = section.fact(value, "extraArgs", key)
        name = canonical_name(key)
        if name in _MULTIPLIERS and isinstance(fact, Known) and type(value) is int and value > 0:
            yield name, fact


def _check(setting: Setting, world: Known[int], wish: Fact[int], node: Fact[int]) -> list[Diagnostic]:
    count = setting.accelerator.count
    if setting.certain and world.value > count:
        return [_spans_hosts(setting, world, node)]
    if setting.certain and isinstance(wish, Known) and wish.value > count:
        return [_more_than_node(setting, wish, node)]
    if isinstance(wish, Known) and wish.value < world.value:
        return [_too_few(setting, world, wish)]
    if isinstance(wish, Known) and wish.value > world.value:
        return [_idle(setting, world, wish)]
    return []


def _spans_hosts(setting: Setting, world: Known[int], node: Fact[int]) -> Diagnostic:
    where = setting.service.memory.declared("tensorParallel")
    count = setting.accelerator.count
    return finding(
        "policy/engine-larger-than-node",
        f"the engine needs {world.value} GPUs ({world.origin}); a node of pool `{setting.pool.name}` has {count}, "
        "and runtime deployment keeps an engine on one node",
        where.span,
        where.path,
        f"Set tensorParallel × pipelineParallel to {count} or less, or choose a pool with {world.value} GPUs a node; "
        "only ray-serve-llm and leader-worker-set span hosts.",
        evidence=(evidence("GPUs of the engine", world), evidence("GPUs of a node", node)),
    )


def _more_than_node(setting: Setting, wish: Known[int], node: Fact[int]) -> Diagnostic:
    where = setting.service.task.declared("gpusPerPod")
    count = setting.accelerator.count
    return finding(
        "policy/engine-larger-than-node",
        f"gpusPerPod is {wish.value}; a node of pool `{setting.pool.name}` has {count}",
        where.span,
        where.path,
        f"Set gpusPerPod to {count} or less, or leave it out.",
        evidence=(evidence("GPUs of a pod", wish), evidence("GPUs of a node", node)),
    )


def _too_few(setting: Setting, world: Known[int], wish: Known[int]) -> Diagnostic:
    where = setting.service.task.declared("gpusPerPod")
    return finding(
        "policy/fewer-gpus-than-engine",
        f"gpusPerPod is {wish.value}; the engine needs {world.value} ({world.origin}) and refuses to start",
        where.span,
        where.path,
        f"Set gpusPerPod to {world.value}, or leave it out.",
        evidence=(evidence("GPUs of a pod", wish), evidence("GPUs of the engine", world)),
    )


def _idle(setting: Setting, world: Known[int], wish: Known[int]) -> Diagnostic:
    where = setting.service.task.declared("gpusPerPod")
    return finding(
        "policy/idle-gpus",
        f"gpusPerPod is {wish.value}; the engine uses {world.value} ({world.origin}), so "
        f"{wish.value - world.value} of each pod's GPUs idle",
        where.span,
        where.path,
        f"Set gpusPerPod to {world.value}, or raise tensorParallel.",
        severity=Severity.WARNING,
        evidence=(evidence("GPUs of a pod", wish), evidence("GPUs of the engine", world)),
    )
