"""The machines there are, by pool."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact
from controlplane.stack.pods import Count


class Sharing(enum.StrEnum):
    """How a node offers its GPUs."""

    WHOLE = "whole"
    MIG = "mig"
    TIME_SLICED = "time-sliced"


@frozen
class Taint:
    """A taint of a node; `effect` is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"


@frozen
class Accelerator:
    """The accelerators of one node: catalogue name, resource name and how many the node offers."""

    product: str
    resource: str
    per_node: int
    sharing: Sharing = Sharing.WHOLE


@frozen
class NodePool:
    """Nodes of one shape. `selector` are the labels that pick the pool; they are among `labels`."""

    name: str
    nodes: Count
    allocatable: Mapping[str, Quantity]
    labels: Mapping[str, str] = field(default_factory=dict)
    selector: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    accelerator: Accelerator | None = None
    varying_labels: frozenset[str] | None = field(default=None, compare=False)
    """Keys that not all of its nodes have with one value; None where the labels are those that somebody declared."""


@frozen
class Storage:
    """A storage system of the fleet; `read_bytes_per_second` is what one pod can read."""

    name: str
    read_bytes_per_second: Fact[int] = ABSENT


@frozen
class Inventory:
    """All pools of one cluster."""

    pools: tuple[NodePool, ...] = ()
    storage: tuple[Storage, ...] = ()

    def pool(self, name: str) -> NodePool | None:
        """The pool of that name, or None."""
        return next((p for p in self.pools if p.name == name), None)
