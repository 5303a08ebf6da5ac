"""Pods onto nodes: what is placed, what is not, and what stays free."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.placement import Node, Placement, Pod, fit, nodes_of
from controlplane.source import parse_quantity
from controlplane.stack.facts import Derived, Known
from controlplane.stack.inventory import NodePool, Taint
from controlplane.stack.pods import Constraints, Count, Toleration

ONE = 10**9
GPU = "nvidia.com/gpu"


def node(name: str, gpus: int) -> Node:
    return Node(name, {GPU: gpus * ONE})


def pod(name: str, gpus: int) -> Pod:
    return Pod(name, {GPU: gpus * ONE})


def nodes(*gpus: int) -> list[Node]:
    return [node(f"n{index}", count) for index, count in enumerate(gpus)]


def pods(*gpus: int) -> list[Pod]:
    return [pod(f"p{index}", count) for index, count in enumerate(gpus)]


def test_pods_pack_onto_the_fullest_node() -> None:
    placement = fit(pods(4, 2, 2), nodes(8, 8))
    assert set(placement.assigned.values()) == {"n0"}
    assert placement.largest_free(GPU) == 8 * ONE


def test_free_in_total_is_not_free_on_one_node() -> None:
    """Three nodes with 1, 2 and 1 GPUs left: 4 are free, and a pod of 4 finds no place (volcano-sh/volcano#3948)."""
    placement = fit([pod("new", 4)], nodes(1, 2, 1))
    assert [p.name for p in placement.unplaced] == ["new"]
    assert placement.total_free(GPU) == 4 * ONE
    assert placement.largest_free(GPU) == 2 * ONE


def test_order_of_arrival_does_not_strand_the_last_pod() -> None:
    """Nodes of 4, 4, 2 and jobs of 2, 4, 4: spreading puts the 2 onto a node of 4 (kubernetes/kubernetes#68036)."""
    assert fit(pods(2, 4, 4), nodes(4, 4, 2)).unplaced == ()


def test_large_pools_are_packed_as_small_ones_are() -> None:
    placement = fit(pods(*[8] * 1000, *[4] * 500), nodes(*[8] * 5000))
    assert placement.unplaced == ()
    assert len(set(placement.assigned.values())) == 1250
    assert placement.total_free(GPU) == 5000 * 8 * ONE - 10000 * ONE


def test_pod_that_asks_for_what_no_node_has_is_unplaced() -> None:
    placement = fit([Pod("p", {"amd.com/gpu": ONE})], nodes(8))
    assert len(placement.unplaced) == 1
    assert placement.largest_free("amd.com/gpu") == 0


def test_pod_that_asks_for_nothing_fits_anywhere() -> None:
    assert fit([Pod("p", {})], nodes(0)).unplaced == ()


def test_no_nodes_place_nothing() -> None:
    placement = fit(pods(1), [])
    assert len(placement.unplaced) == 1
    assert (placement.total_free(GPU), placement.largest_free(GPU)) == (0, 0)


def test_no_pods_leave_all_free() -> None:
    assert fit([], nodes(8)) == Placement({}, (), {"n0": {GPU: 8 * ONE}})


def test_second_resource_that_runs_out_is_respected() -> None:
    crowded = [Node("n", {GPU: 8 * ONE, "memory": 3 * ONE})]
    wanted = [Pod(f"p{i}", {GPU: ONE, "memory": ONE}) for i in range(8)]
    assert len(fit(wanted, crowded).assigned) == 3


def pool(**taints: str) -> NodePool:
    count = Known(1, Derived("test"))
    return NodePool(
        "p",
        Count(count, count, count),
        {GPU: parse_quantity(8), "cpu": parse_quantity("500m")},
        labels={"pool": "p"},
        taints=tuple(Taint(key, value) for key, value in taints.items()),
    )


def test_nodes_of_a_pool_take_the_pods_a_kubelet_takes() -> None:
    (found,) = nodes_of(pool(), 1)
    assert found.free == {GPU: 8 * ONE, "cpu": ONE // 2, "pods": 110 * ONE}


def test_taint_keeps_pods_off_that_do_not_tolerate_it() -> None:
    tainted = nodes_of(pool(gpu="present"), 1)
    bears = Constraints(tolerations=Known((Toleration("gpu", "Equal", "present"),), Derived("test")))
    assert fit([Pod("p", {GPU: ONE})], tainted).unplaced
    assert not fit([Pod("p", {GPU: ONE}, bears)], tainted).unplaced


def test_label_that_the_nodes_lack_keeps_pods_off() -> None:
    other = Constraints(node_selector=Known({"pool": "other"}, Derived("test")))
    right = Constraints(node_selector=Known({"pool": "p"}, Derived("test")))
    assert fit([Pod("p", {GPU: ONE}, other)], nodes_of(pool(), 1)).unplaced
    assert not fit([Pod("p", {GPU: ONE}, right)], nodes_of(pool(), 1)).unplaced


SIZES = st.lists(st.sampled_from([1, 2, 4, 8]), max_size=12)


@given(SIZES, st.lists(st.sampled_from([4, 8]), max_size=5))
@settings(deadline=None)
def test_nothing_is_placed_twice_or_lost(wanted: list[int], there: list[int]) -> None:
    placement = fit(pods(*wanted), nodes(*there))
    names = sorted([*placement.assigned, *(p.name for p in placement.unplaced)])
    assert names == sorted(p.name for p in pods(*wanted))
    used = sum(p.requests[GPU] for p in pods(*wanted) if p.name in placement.assigned)
    assert placement.total_free(GPU) == sum(there) * ONE - used
    assert all(amount >= 0 for free in placement.free.values() for amount in free.values())


@given(SIZES, st.lists(st.sampled_from([4, 8]), max_size=5))
@settings(deadline=None)
def test_sizes_that_divide_each_other_are_packed_whenever_they_can_be(wanted: list[int], there: list[int]) -> None:
    """With such sizes all pods fit if, for each size, the pods that are no smaller fill no more than whole blocks."""
    possible = all(
        sum(pod for pod in wanted if pod >= size) <= sum(count // size * size for count in there)
        for size in (1, 2, 4, 8)
    )
    assert (fit(pods(*wanted), nodes(*there)).unplaced == ()) == possible


@given(st.lists(st.integers(1, 8), max_size=5), st.lists(st.integers(1, 8), max_size=3))
@settings(deadline=None)
def test_one_pod_a_node_is_found_whenever_it_exists(wanted: list[int], there: list[int]) -> None:
    """Where even one pod for each node is an answer, the packing finds one too."""
    orders = itertools.permutations(there, len(wanted)) if len(wanted) <= len(there) else ()
    if any(all(p <= n for p, n in zip(wanted, order, strict=True)) for order in orders):
        assert fit(pods(*wanted), nodes(*there)).unplaced == ()
