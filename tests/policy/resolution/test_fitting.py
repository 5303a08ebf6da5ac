"""Whether all pods of a pool fit, as they run and while they are replaced."""

from __future__ import annotations

import pytest

from tests.policy.folder import FLEET, findings, one, remedy, service, stack


def many(*sizes: tuple[str, int, int]) -> list[str]:
    """Services by name, tensor parallel and replicas."""
    return [
        service(name=name, memory=f"{{tensorParallel: {gpus}}}", task=f"{{replicas: {replicas}}}")
        for name, gpus, replicas in sizes
    ]


def test_full_pool_fits() -> None:
    assert findings(FLEET, *many(("a", 4, 2), ("b", 2, 4))) == []


def test_pods_beyond_the_pool_are_an_error_with_free_in_total_and_on_one_node() -> None:
    found = one(findings(FLEET, *many(("a", 2, 3), ("b", 4, 3))), "policy/pods-do-not-fit")
    assert "pool `h100` with its 2 nodes holds 5 of the 6 pods of llm/a, llm/b" in found.message
    assert "llm/a needs 2 nvidia.com/gpu, of which 0 are free in total and at most 0 on one node" in found.message
    assert found.path == ("spec", "task", "replicas")


def test_fragments_are_told_from_a_shortage() -> None:
    three = FLEET.replace("count: 8", "count: 3")
    found = one(findings(three, *many(("a", 2, 3))), "policy/pods-do-not-fit")
    assert "needs 2 nvidia.com/gpu, of which 2 are free in total and at most 1 on one node" in found.message


def test_memory_that_runs_out_is_named() -> None:
    text = service(machine="{memory: 600Gi}", task="{replicas: 3}")
    found = one(findings(FLEET, text), "policy/pods-do-not-fit")
    assert "needs 600Gi memory, of which 848Gi are free in total and at most 424Gi on one node" in found.message


def test_largest_size_of_the_pool_counts() -> None:
    growing = FLEET.replace("nodes: 2", "nodes: {min: 0, max: 4}")
    assert findings(growing, *many(("a", 8, 4))) == []
    assert (
        "its 4 nodes holds 4 of the 5" in one(findings(growing, *many(("a", 8, 5))), "policy/pods-do-not-fit").message
    )


def test_pods_of_another_pool_do_not_count() -> None:
    other = (
        "    - {name: l4, accelerator: {product: L4, count: 1}, nodes: 4, cpu: 8, memory: 64Gi, labels: {pool: l4}}\n"
    )
    fleet = FLEET.replace("  storage:\n", f"{other}  storage:\n")
    texts = [service(name="a", machine="{pool: l4}", task="{replicas: 4}"), *many(("b", 8, 2))]
    assert findings(fleet, *texts) == []


def test_surge_that_fits_is_taken() -> None:
    assert findings(FLEET, service(memory="{tensorParallel: 8}", rollout="{surge: 1}")) == []


def test_surge_without_a_free_node_is_an_error() -> None:
    text = service(memory="{tensorParallel: 8}", task="{replicas: 2}", rollout="{surge: 1}")
    found = one(findings(FLEET, text), "policy/surge-does-not-fit")
    assert "surge 1 starts new pods while the old ones run" in found.message
    assert "8 nvidia.com/gpu, of which 0 are free in total" in found.message
    assert "Set surge to 0" in remedy(found)
    assert found.path == ("spec", "rollout", "surge")


def test_surge_of_one_service_needs_room_beside_the_others() -> None:
    surging = service(name="a", memory="{tensorParallel: 8}", rollout="{surge: 1}")
    assert findings(FLEET, surging) == []
    found = one(findings(FLEET, surging, *many(("b", 1, 1))), "policy/surge-does-not-fit")
    assert "8 nvidia.com/gpu, of which 7 are free in total and at most 7 on one node" in found.message


def test_surges_that_only_fit_one_after_the_other_are_a_warning() -> None:
    texts = [service(name=name, memory="{tensorParallel: 4}", rollout="{surge: 1}") for name in ("a", "b", "c")]
    found = one(findings(FLEET, *texts), "policy/surges-share-room")
    assert found.severity == "warning"
    assert "llm/a, llm/b, llm/c need 3 pods beyond the replicas" in found.message
    assert "of which 4 are free in total and at most 4 on one node" in found.message


@pytest.mark.parametrize("strategy", ["rolling", "recreate"])
def test_no_surge_never_needs_room(strategy: str) -> None:
    text = service(memory="{tensorParallel: 8}", task="{replicas: 2}", rollout=f"{{strategy: {strategy}}}")
    assert findings(FLEET, text) == []


def test_service_with_no_replicas_needs_nothing() -> None:
    assert stack(FLEET, service(task="{replicas: 0}")).workloads


def test_surge_is_never_more_than_the_replicas() -> None:
    assert findings(FLEET, service(memory="{tensorParallel: 8}", rollout="{surge: 24}")) == []
    assert findings(FLEET.replace("nodes: 2", "nodes: 0"), service(task="{replicas: 0}", rollout="{surge: 1}")) == []


def test_surge_of_which_one_pod_finds_room_goes_on() -> None:
    text = service(memory="{tensorParallel: 4}", task="{replicas: 3}", rollout="{surge: 3}")
    found = one(findings(FLEET, text), "policy/surges-share-room")
    assert found.severity == "warning"
    assert found.message.startswith("llm/chat needs 3 pods beyond the replicas")
    assert remedy(found) == "Lower surge, or raise nodes.max of the pool in the Fleet."


def test_full_nodes_are_named_by_what_is_short() -> None:
    one_pod = FLEET.replace("memory: 1Ti\n", "memory: 1Ti\n      pods: 1\n")
    found = one(findings(one_pod, service(task="{replicas: 3}")), "policy/pods-do-not-fit")
    assert "needs a place among the pods of a node, of which 0 are free" in found.message
    assert remedy(found).startswith("Lower replicas, choose another pool")
    found = one(findings(FLEET, service(machine="{cpu: 90}", task="{replicas: 3}")), "policy/pods-do-not-fit")
    assert remedy(found).startswith("Lower replicas or machine.cpu, choose")


def test_very_many_services_are_not_all_listed() -> None:
    found = one(findings(FLEET, *many(*((f"s{i:02}", 1, 1) for i in range(20)))), "policy/pods-do-not-fit")
    assert "llm/s07 and 12 more: a pod" in found.message


def test_pool_that_its_selector_misses_is_one_mistake() -> None:
    fleet = FLEET.replace("labels: {example.com/pool: h100}", "labels: {a: b}\n      selector: {c: d}")
    assert [f.rule for f in findings(fleet, service())] == ["policy/selector-misses-pool"]
