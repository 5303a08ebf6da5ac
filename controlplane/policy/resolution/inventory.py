"""A Fleet as the Stack's inventory: pools and storage, each value from its line."""

from __future__ import annotations

from controlplane.policy.fleet import FleetSpec, Pool
from controlplane.policy.fleet_checks import selector_of
from controlplane.policy.policy_set import Policy
from controlplane.source import Quantity, parse_quantity
from controlplane.stack.facts import Fact
from controlplane.stack.inventory import Accelerator, Inventory, NodePool, Sharing, Storage, Taint
from controlplane.stack.pods import Count


def inventory_of(fleet: Policy[FleetSpec]) -> Inventory:
    """All pools and storage systems of a Fleet."""
    pools = tuple(node_pool(fleet, index) for index in range(len(fleet.spec.pools)))
    storage = tuple(
        Storage(s.name, fleet.fact(s.read_bandwidth.bytes(), "spec", "storage", index, "readBandwidth"))
        for index, s in enumerate(fleet.spec.storage)
    )
    return Inventory(pools, storage)


def node_pool(fleet: Policy[FleetSpec], index: int) -> NodePool:
    """One pool. Its wanted number of nodes is the smallest: what it grows to is the autoscaler's business."""
    pool = fleet.spec.pools[index]
    low = fleet.fact(pool.nodes.min, "spec", "pools", index, "nodes", "min")
    high = fleet.fact(pool.nodes.max, "spec", "pools", index, "nodes", "max")
    return NodePool(
        name=pool.name,
        nodes=_count(fleet, index, low, high),
        allocatable=_allocatable(pool),
        labels=dict(pool.labels),
        selector=dict(selector_of(pool)),
        taints=tuple(Taint(t.key, t.value, t.effect) for t in pool.taints),
        accelerator=_accelerator(pool),
    )


def _count(fleet: Policy[FleetSpec], index: int, low: Fact[int], high: Fact[int]) -> Count:
    path = ("spec", "pools", index, "nodes")
    if (*path, "min") in fleet.document.places:
        return Count(low, low, high)
    both = fleet.fact(fleet.spec.pools[index].nodes.min, *path)
    return Count(both, both, both)


def _allocatable(pool: Pool) -> dict[str, Quantity]:
    found = {"cpu": pool.cpu, "memory": pool.memory, "pods": parse_quantity(pool.pods)}
    if pool.accelerator is not None:
        found[pool.accelerator.resource] = parse_quantity(pool.accelerator.count)
    return found


def _accelerator(pool: Pool) -> Accelerator | None:
    found = pool.accelerator
    if found is None:
        return None
    return Accelerator(found.product, found.resource, found.count, Sharing(found.sharing))
