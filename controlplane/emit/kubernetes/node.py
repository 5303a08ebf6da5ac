"""Node v1: the machines of a pool as objects, for a simulated cluster and for tests.

Not part of any Bundle: real nodes register themselves.
"""

from __future__ import annotations

from typing import Any

from controlplane.emit.bundle import Manifest
from controlplane.emit.kubernetes.metadata import by_name
from controlplane.stack.facts import value_or
from controlplane.stack.inventory import NodePool, Taint
from controlplane.stack.node_labels import ACCELERATOR_ANNOTATION, POOL_LABEL, SHARING_ANNOTATION

_PODS = "110"
"""Pods a node takes when the pool does not say: the kubelet's default (`maxPods`)."""


def nodes(pool: NodePool) -> tuple[Manifest, ...]:
    """As many nodes as the pool wants (its least number where that is not known), named `<pool>-<index>`."""
    count = value_or(pool.nodes.desired, value_or(pool.nodes.min, 0))
    return tuple(_node(pool, f"{pool.name}-{index}") for index in range(count))


def _node(pool: NodePool, name: str) -> Manifest:
    manifest: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": _metadata(pool, name)}
    taints = [_taint(taint) for taint in pool.taints]
    if taints:
        manifest["spec"] = {"taints": taints}
    amounts = {"pods": _PODS} | {key: amount.canonical() for key, amount in sorted(pool.allocatable.items())}
    manifest["status"] = {"capacity": dict(amounts), "allocatable": dict(amounts)}
    return manifest


def _metadata(pool: NodePool, name: str) -> dict[str, Any]:
    labels = {**pool.labels, **pool.selector, "kubernetes.io/hostname": name, POOL_LABEL: pool.name}
    metadata: dict[str, Any] = {"name": name, "labels": by_name(labels)}
    if pool.accelerator is not None:
        sharing = {SHARING_ANNOTATION: pool.accelerator.sharing.value}
        metadata["annotations"] = {ACCELERATOR_ANNOTATION: pool.accelerator.product, **sharing}
    return metadata


def _taint(taint: Taint) -> dict[str, str]:
    value = {"value": taint.value} if taint.value else {}
    return {"key": taint.key, **value, "effect": taint.effect}
