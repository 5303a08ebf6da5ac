"""Engines that share a GPU claim more than its memory together.

A share of a GPU is a share of time: neither time slicing nor a common device limits memory, and each engine takes its
fraction of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from controlplane.diagnostics import Layer, Severity
from controlplane.frozen import frozen
from controlplane.rules.engine_arguments import is_unset, spelled
from controlplane.rules.engine_variables import setting
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.gpu_resources import gpu_limits, is_shared_gpu
from controlplane.stack.model import Stack
from controlplane.stack.pods import CountOwner

_VISIBLE = ("NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


@frozen
class _Claim:
    """One engine with the part of a GPU's memory that it takes."""

    engine: DeployedEngine
    fraction: float


def check(stack: Stack) -> Iterator[Finding]:
    claims = [claim for engine in engines_of(stack) if (claim := _claim(engine)) is not None]
    for claim in claims:
        yield from _with_itself(claim)
    for first, second in combinations(claims, 2):
        yield from _of_one_pod(first, second)


def _claim(engine: DeployedEngine) -> _Claim | None:
    """What an engine takes for certain: not one that may not run, nor one that is given bytes instead."""
    fraction = value_of(engine.argument("gpu_memory_utilization"))
    by_fraction = is_unset(engine, "kv_cache_memory_bytes") and not engine.engine.alternative
    if engine.container is None or not by_fraction or not isinstance(fraction, int | float):
        return None
    return _Claim(engine, float(fraction))


def _with_itself(claim: _Claim) -> Iterator[Finding]:
    """Replicas of one workload on time slices: the scheduler may put two of them on one GPU, and says nothing."""
    engine = claim.engine
    count = engine.pods.count if engine.pods is not None else None
    replicas = value_of(count.desired) if count is not None and count.owner is CountOwner.DECLARED else None
    shared = engine.container is not None and any(map(is_shared_gpu, gpu_limits(engine.container)))
    if shared and replicas is not None and replicas > 1 and 2 * claim.fraction > 1:
        yield Finding(
            f"each of {replicas} replicas takes {claim.fraction:g} of the GPU that it shares in time: two of them on "
            f"one GPU need {2 * claim.fraction:g} of its memory",
            at=engine.argument("gpu_memory_utilization"),
            otherwise=engine.place,
            remedy=f"Set {spelled(engine, 'gpu_memory_utilization')} to less than 1 / engines that share a GPU.",
            evidence=(evidence("gpu_memory_utilization", engine.argument("gpu_memory_utilization")),),
            severity=Severity.WARNING,
        )


def _of_one_pod(first: _Claim, second: _Claim) -> Iterator[Finding]:
    """Two containers of a pod that no plug-in gives GPUs to, and that are told to use the same ones."""
    together = first.fraction + second.fraction
    if first.engine.pods is second.engine.pods and _same_devices(first.engine, second.engine) and together > 1:
        yield Finding(
            f"the engine takes {second.fraction:g} of the GPU on which the engine in container "
            f"{_name(first.engine)} takes {first.fraction:g}: {together:g} in all",
            at=second.engine.argument("gpu_memory_utilization"),
            otherwise=second.engine.place,
            remedy="Let the fractions of both add up to less than 1.",
            related=((first.engine.place, "the other engine"),),
        )


def _same_devices(first: DeployedEngine, second: DeployedEngine) -> bool:
    containers = [engine.container for engine in (first, second)]
    if any(container is None or gpu_limits(container) or container.claims for container in containers):
        return False
    devices = [[setting(engine, name) for name in _VISIBLE] for engine in (first, second)]
    named = devices[0][0] is not None and devices[0][1] is not None
    return named and devices[0] == devices[1]


def _name(engine: DeployedEngine) -> str:
    return engine.container.name if engine.container is not None else ""


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="gpu_memory_utilization is a fraction of the whole GPU, whoever else is on it: the engine that starts "
    "second finds less free than it may take and ends (`Free memory on device is less than desired GPU memory "
    "utilization`). Time slices share the GPU's time alone.",
    remedy="Let the fractions of all engines on a GPU add up to less than 1.",
    sources=(
        "vLLM 0.9.2 to 0.33.0, v1/worker/gpu_worker.py: init_device",
        "NVIDIA device plug-in 0.17: time slicing gives no memory limit",
    ),
    bad=(
        example("- --gpu-memory-utilization=0.9  # fires")
        .replace("nvidia.com/gpu: 1", "nvidia.com/gpu.shared: 1")
        .replace("spec:\n", "spec:\n  replicas: 2\n", 1),
    ),
    good=(
        example("- --gpu-memory-utilization=0.45")
        .replace("nvidia.com/gpu: 1", "nvidia.com/gpu.shared: 1")
        .replace("spec:\n", "spec:\n  replicas: 2\n", 1),
    ),
    check=check,
)
