"""The machines of a fleet: an inventory's pools as simulated machines."""

from __future__ import annotations

from controlplane.emit.bundle import Manifest
from controlplane.emit.kubernetes.node import nodes
from controlplane.sandbox.machines import Machine
from controlplane.stack.inventory import Inventory


def machines_of(inventory: Inventory) -> tuple[Machine, ...]:
    """As many machines a pool as it wants (its least number where that is not known), named `<pool>-<index>`."""
    return tuple(_machine(node) for pool in inventory.pools for node in nodes(pool))


def _machine(node: Manifest) -> Machine:
    metadata, taints = node["metadata"], node.get("spec", {}).get("taints", ())
    return Machine(
        name=metadata["name"],
        labels=metadata["labels"],
        annotations=metadata.get("annotations", {}),
        taints=tuple((taint["key"], taint.get("value", ""), taint["effect"]) for taint in taints),
        allocatable=node["status"]["allocatable"],
    )
