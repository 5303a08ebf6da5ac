"""CPU, memory and /dev/shm of a pod: what the policy says, or the pod's share of its node."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, Layer
from controlplane.policy.findings import finding
from controlplane.policy.resolution.gpus import Gpus
from controlplane.policy.resolution.setting import Setting, evidence, sure
from controlplane.source import Quantity, parse_quantity
from controlplane.stack.facts import Fact, Known, derived

_SHARE: Final = Fraction(9, 10)
"""Part of a pod's share of the node that it asks for; the rest is for daemons and the kubelet's own rounding."""
_GIB: Final = 1 << 30
_SHARED_MEMORY_PER_GPU: Final = 2 * _GIB
"""NCCL's and vLLM's shared buffers need a few hundred MiB a GPU; two GiB leaves room for any transport."""


@dataclass(frozen=True, slots=True)
class PodResources:
    """Requests and limits of the engine's container, and the size of /dev/shm inside the memory limit."""

    requests: Mapping[str, Fact[Quantity]]
    limits: Mapping[str, Fact[Quantity]]
    shared_memory: Known[Quantity]


def derive_resources(setting: Setting, gpus: Gpus) -> tuple[PodResources, list[Diagnostic]]:
    """The pod's resources. CPU is requested and not limited: a limit throttles the engine's scheduler loop."""
    shared, memory = _shared_memory(setting, gpus), _memory(setting, gpus)
    gpu: Known[Quantity] = Known(parse_quantity(gpus.per_pod.value), gpus.per_pod.origin)
    resource = setting.accelerator.resource
    resources = PodResources(
        requests={"cpu": _cpu(setting, gpus), "memory": memory, resource: gpu},
        limits={"memory": memory, resource: gpu},
        shared_memory=shared,
    )
    return resources, _check(setting, memory, shared)


def _cpu(setting: Setting, gpus: Gpus) -> Known[Quantity]:
    section, pool = setting.service.machine, setting.pool
    wish = section.fact(section.value.cpu, "cpu")
    if isinstance(wish, Known):
        return wish
    share = pool.cpu.value * _share(setting, gpus)
    cores = math.floor(share) if share >= 1 else Fraction(math.floor(share * 1000), 1000)
    quantity = parse_quantity(str(cores) if isinstance(cores, int) else f"{int(cores * 1000)}m")
    formula = f"{pool.cpu} CPUs of a node × {_share_words(setting, gpus)}, rounded down = {quantity}"
    return derived(quantity, formula, _share_inputs(setting, gpus, "cpu", pool.cpu))


def _memory(setting: Setting, gpus: Gpus) -> Known[Quantity]:
    section, pool = setting.service.machine, setting.pool
    wish = section.fact(section.value.memory, "memory")
    if isinstance(wish, Known):
        return wish
    share = math.floor(pool.memory.bytes() * _share(setting, gpus))
    unit = _GIB if share >= _GIB else 1 << 20
    quantity = Quantity.from_bytes(share // unit * unit)
    formula = (
        f"{pool.memory} of a node × {_share_words(setting, gpus)}, rounded down to "
        f"{'Gi' if unit == _GIB else 'Mi'} = {quantity}, /dev/shm included"
    )
    return derived(quantity, formula, _share_inputs(setting, gpus, "memory", pool.memory))


def _shared_memory(setting: Setting, gpus: Gpus) -> Known[Quantity]:
    section = setting.service.machine
    wish = section.fact(section.value.shared_memory, "sharedMemory")
    if isinstance(wish, Known):
        return wish
    quantity = Quantity.from_bytes(_SHARED_MEMORY_PER_GPU * gpus.per_pod.value)
    return derived(quantity, f"2Gi × {gpus.per_pod.value} GPUs of a pod = {quantity}", [("GPUs", gpus.per_pod)])


def _share(setting: Setting, gpus: Gpus) -> Fraction:
    return Fraction(gpus.per_pod.value, setting.accelerator.count) * _SHARE


def _share_words(setting: Setting, gpus: Gpus) -> str:
    return f"{gpus.per_pod.value} of {setting.accelerator.count} GPUs × 0.9"


def _share_inputs(setting: Setting, gpus: Gpus, key: str, value: Quantity) -> list[tuple[str, Fact[Any]]]:
    return [
        (f"node {key}", setting.pool_fact(value, key)),
        ("GPUs of a pod", gpus.per_pod),
        ("GPUs of a node", setting.pool_fact(setting.accelerator.count, "accelerator", "count")),
    ]


def _check(setting: Setting, memory: Known[Quantity], shared: Known[Quantity]) -> list[Diagnostic]:
    section = setting.service.machine
    wishes = (section.fact(section.value.memory, "memory"), section.fact(section.value.shared_memory, "sharedMemory"))
    if not sure(*wishes) or shared.value < memory.value:
        return []
    where = section.declared("sharedMemory" if section.wrote("sharedMemory") else "memory")
    return [
        finding(
            "policy/shared-memory-above-limit",
            f"the shared memory may grow to {shared.value}, but the pod's memory limit is {memory.value}, and it "
            "counts against that",
            where.span,
            where.path,
            f"Set machine.memory well above {shared.value}, or machine.sharedMemory well below {memory.value}.",
            layer=Layer.KUBERNETES,
            evidence=(evidence("shared memory", shared), evidence("memory limit", memory)),
        )
    ]
