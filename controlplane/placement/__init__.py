"""The one arithmetic of what fits where: pods onto nodes."""

from __future__ import annotations

from controlplane.placement.amounts import Amounts, amounts, limits_of, requests_of
from controlplane.placement.fit import Node, Placement, Pod, fit, nodes_of, pods_of, remaining

__all__ = [
    "Amounts",
    "Node",
    "Placement",
    "Pod",
    "amounts",
    "fit",
    "limits_of",
    "nodes_of",
    "pods_of",
    "remaining",
    "requests_of",
]
