"""What nodes tell of the pool they belong to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.emit.bundle import Manifest
from controlplane.emit.kubernetes.node import nodes
from controlplane.source import parse_quantity
from controlplane.stack.facts import Known, value_of
from controlplane.stack.inventory import Accelerator, NodePool, Sharing, Taint
from controlplane.stack.node_labels import POOL_LABEL
from controlplane.stack.pods import Count
from controlplane.stack.read import read_live
from tests.emit import example
from tests.stack import strategies as some
from tests.stack.strategies import WRITTEN

names = st.text("abcdefgh", min_size=1, max_size=8)
taints = st.builds(Taint, key=some.texts, value=some.texts, effect=st.sampled_from(["NoSchedule", "NoExecute"]))
products = st.builds(
    Accelerator,
    product=names,
    resource=st.just("nvidia.com/gpu"),
    per_node=st.integers(1, 16),
    sharing=st.sampled_from(Sharing),
)


@st.composite
def pools(draw: st.DrawFn) -> NodePool:
    """Pools as nodes can tell them: a fixed number, labels that all nodes share, picked by the pool's label."""
    name = draw(names)
    count = Known(draw(st.integers(1, 3)), WRITTEN)
    accelerator = draw(st.one_of(st.none(), products))
    gpus = {accelerator.resource: parse_quantity(str(accelerator.per_node))} if accelerator else {}
    return NodePool(
        name=name,
        nodes=Count(count, count, count),
        allocatable={"cpu": draw(some.quantities), "pods": parse_quantity("110"), **gpus},
        labels={**draw(some.maps), POOL_LABEL: name},
        selector={POOL_LABEL: name},
        taints=draw(some.tuples(taints)),
        accelerator=accelerator,
    )


def read_pools(manifests: list[Manifest]) -> tuple[NodePool, ...]:
    return read_live(manifests).stack.inventory.pools


@settings(deadline=None)
@given(st.lists(pools(), max_size=3, unique_by=lambda pool: pool.name))
def test_pools_are_read_back_from_their_nodes(made: list[NodePool]) -> None:
    assert read_pools([node for pool in made for node in nodes(pool)]) == tuple(
        sorted(made, key=lambda pool: pool.name)
    )


def node(name: str, gpus: int, **labels: str) -> Manifest:
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "status": {"allocatable": {"nvidia.com/gpu": str(gpus)}},
    }


def test_nodes_without_a_pool_label_are_grouped_by_shape() -> None:
    found = read_pools([node("b", 8, zone="1"), node("a", 8, zone="2"), node("c", 4)])
    assert [(pool.name, value_of(pool.nodes.desired)) for pool in found] == [("a", 2), ("c", 1)]
    assert found[0].labels == {}
    assert found[0].selector == {}


def test_bounds_of_an_autoscaler_cannot_be_told_from_nodes() -> None:
    pool = replace(example.pool(nodes=2), nodes=Count(example.known(0), example.known(2), example.known(9)))
    (read,) = read_pools(list(nodes(pool)))
    assert (value_of(read.nodes.min), value_of(read.nodes.max)) == (2, 2)


@pytest.mark.parametrize(
    ("resource", "labels", "sharing"),
    [
        ("nvidia.com/gpu", {}, Sharing.WHOLE),
        ("nvidia.com/mig-1g.10gb", {}, Sharing.MIG),
        ("nvidia.com/gpu", {"nvidia.com/gpu.sharing-strategy": "time-slicing"}, Sharing.TIME_SLICED),
    ],
)
def test_sharing_is_told_by_the_device_plug_in(resource: str, labels: dict[str, str], sharing: Sharing) -> None:
    manifest = node("a", 0, **labels, **{"nvidia.com/gpu.product": "NVIDIA-L4"})
    manifest["status"] = {"allocatable": {resource: "7"}}
    (read,) = read_pools([manifest])
    assert read.accelerator == Accelerator("NVIDIA-L4", resource, 7, sharing)


def test_a_node_without_accelerators_has_none() -> None:
    manifest = node("a", 0)
    manifest["status"] = {"allocatable": {"cpu": "4"}}
    assert read_pools([manifest])[0].accelerator is None
