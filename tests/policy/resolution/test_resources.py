"""CPU, memory and /dev/shm of a pod."""

from __future__ import annotations

import pytest

from controlplane.stack.facts import Derived, Known, value_of
from controlplane.stack.pods import EmptyDir
from tests.policy.folder import FLEET, container, service, stack, told, workload


def amounts(*texts: str) -> tuple[str, str]:
    found = container(*texts)
    return str(value_of(found.requests["cpu"])), str(value_of(found.requests["memory"]))


@pytest.mark.parametrize(
    ("tensor_parallel", "expected"),
    [(1, ("10", "115Gi")), (2, ("21", "230Gi")), (4, ("43", "460Gi")), (8, ("86", "921Gi"))],
)
def test_pod_gets_nine_tenths_of_its_share_of_the_node(tensor_parallel: int, expected: tuple[str, str]) -> None:
    assert amounts(service(memory=f"{{tensorParallel: {tensor_parallel}}}")) == expected


def test_policy_decides_over_the_share() -> None:
    assert amounts(service(machine="{cpu: 12, memory: 200Gi}")) == ("12", "200Gi")


def test_memory_is_limited_and_cpu_is_not() -> None:
    found = container(service())
    assert sorted(found.limits) == ["memory", "nvidia.com/gpu"]
    assert found.limits["memory"] == found.requests["memory"]


def test_share_tells_its_formula_and_its_inputs() -> None:
    memory = container(service()).requests["memory"]
    assert isinstance(memory, Known)
    assert isinstance(memory.origin, Derived)
    assert memory.origin.formula == "1Ti of a node × 1 of 8 GPUs × 0.9, rounded down to Gi = 115Gi, /dev/shm included"
    assert [(i.name, i.value) for i in memory.origin.inputs] == [
        ("node memory", "1Ti"),
        ("GPUs of a pod", 1),
        ("GPUs of a node", 8),
    ]


def shared_memory(*texts: str) -> str:
    (volume,) = [v for v in workload(*texts).pod_sets[0].volumes if v.name == "dshm"]
    source = value_of(volume.source)
    assert isinstance(source, EmptyDir)
    assert source.medium == "Memory"
    return str(value_of(source.size_limit))


@pytest.mark.parametrize(("tensor_parallel", "size"), [(1, "2Gi"), (8, "16Gi")])
def test_shared_memory_grows_with_the_gpus(tensor_parallel: int, size: str) -> None:
    assert shared_memory(service(memory=f"{{tensorParallel: {tensor_parallel}}}")) == size


def test_policy_decides_over_the_shared_memory() -> None:
    assert shared_memory(service(machine="{sharedMemory: 5Gi}")) == "5Gi"


def test_shared_memory_is_mounted() -> None:
    (mount,) = [m for m in container(service()).mounts if m.volume == "dshm"]
    assert mount.path == "/dev/shm"  # noqa: S108  a mount of the pod


@pytest.mark.parametrize("machine", ["{sharedMemory: 200Gi}", "{memory: 2Gi}", "{memory: 1Gi, sharedMemory: 1Gi}"])
def test_shared_memory_that_fills_the_limit_is_an_error(machine: str) -> None:
    found = told("policy/shared-memory-above-limit", service(machine=machine))
    assert len(found.evidence) == 2
    assert all(str(e.value) in found.message for e in found.evidence)


def test_small_node_gives_parts_of_cpus_and_mebibytes() -> None:
    small = FLEET.replace("cpu: 96", "cpu: 4").replace("memory: 1Ti", "memory: 4Gi")
    text = service(machine="{sharedMemory: 64Mi}")
    (found,) = stack(small, text).workloads[0].pod_sets[0].containers
    assert (str(value_of(found.requests["cpu"])), str(value_of(found.requests["memory"]))) == ("450m", "460Mi")
