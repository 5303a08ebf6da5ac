"""GPUs of a pod, and engines that are larger than a node."""

from __future__ import annotations

from controlplane.stack.facts import Declared, Derived, Known
from tests.policy.folder import FLEET, container, findings, one, remedy, service, told

GPU = "nvidia.com/gpu"


def test_pod_gets_the_gpus_of_its_engine() -> None:
    found = container(service(memory="{tensorParallel: 2, pipelineParallel: 2}"))
    gpus = found.requests[GPU]
    assert isinstance(gpus, Known)
    assert str(gpus.value) == "4"
    assert isinstance(gpus.origin, Derived)
    assert "min(4 GPUs of the engine, 8 GPUs of a node) = 4" in gpus.origin.formula
    assert [i.name for i in gpus.origin.inputs] == ["engine", "node"]
    assert found.limits[GPU] == gpus


def test_gpus_that_the_policy_sets_keep_their_line() -> None:
    gpus = container(service(task="{gpusPerPod: 1}")).requests[GPU]
    assert isinstance(gpus, Known)
    assert isinstance(gpus.origin, Declared)


def test_engine_larger_than_a_node_names_both_numbers_and_the_runtimes_that_span_hosts() -> None:
    found = told("policy/engine-larger-than-node", service(memory="{tensorParallel: 8, pipelineParallel: 2}"))
    assert "16 GPUs" in found.message
    assert "has 8" in found.message
    assert "leader-worker-set" in remedy(found)
    assert found.path == ("spec", "memory", "tensorParallel")


def test_fewer_gpus_than_the_engine_uses_is_an_error() -> None:
    found = one(
        findings(FLEET, service(memory="{tensorParallel: 4}", task="{gpusPerPod: 2}")),
        "policy/fewer-gpus-than-engine",
    )
    assert "is 2" in found.message
    assert "needs 4" in found.message
    assert remedy(found) == "Set gpusPerPod to 4, or leave it out."


def test_more_gpus_than_a_node_has_is_an_error() -> None:
    found = told("policy/engine-larger-than-node", service(task="{gpusPerPod: 16}"))
    assert "is 16" in found.message
    assert "has 8" in found.message


def test_gpus_that_idle_are_a_warning() -> None:
    found = told("policy/idle-gpus", service(task="{gpusPerPod: 8}"))
    assert found.severity == "warning"
    assert "7 of each pod's GPUs idle" in found.message


def test_data_parallel_engines_need_their_gpus() -> None:
    gpus = container(service(memory="{tensorParallel: 2, extraArgs: {data-parallel-size: 2}}")).requests[GPU]
    assert isinstance(gpus, Known)
    assert str(gpus.value) == "4"
    found = told(
        "policy/engine-larger-than-node", service(memory="{tensorParallel: 8, extraArgs: {data_parallel_size: 2}}")
    )
    assert "tensorParallel 8 × pipelineParallel 1 × data_parallel_size 2 = 16" in found.message


def test_pod_with_more_gpus_than_a_node_is_one_mistake() -> None:
    found = findings(FLEET, service(task="{gpusPerPod: 9}"))
    assert [f.rule for f in found] == ["policy/engine-larger-than-node"]
