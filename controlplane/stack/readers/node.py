"""Node v1: the machines of a cluster, as pools.

What nodes can tell of a pool: how many there are, what they offer, their common labels and their taints. The bounds
of an autoscaler are not among them, so the least and the greatest number are the present one. A pool is named by the
label controlplane.dev/pool, which then picks it; nodes without that label form a pool with those of equal shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controlplane.frozen import frozen
from controlplane.source import Quantity
from controlplane.stack.facts import Derived, Known
from controlplane.stack.inventory import Accelerator, NodePool, Sharing, Taint
from controlplane.stack.manifest_fields import Field
from controlplane.stack.node_labels import (
    ACCELERATOR_ANNOTATION,
    GPU_PRODUCT_LABEL,
    GPU_SHARING_LABEL,
    POOL_LABEL,
    SHARING_ANNOTATION,
)
from controlplane.stack.pods import Count
from controlplane.stack.readers import metadata

_OF_ONE_NODE = frozenset({"kubernetes.io/hostname"})
_GPU_DOMAINS = ("nvidia.com/", "amd.com/", "gpu.intel.com/", "habana.ai/", "google.com/tpu")


@frozen
class _Node:
    name: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    allocatable: Mapping[str, Quantity]
    taints: tuple[Taint, ...]

    def shape(self) -> tuple[object, ...]:
        """What nodes of one pool have in common when nothing names the pool."""
        amounts = tuple(sorted((name, amount.nano) for name, amount in self.allocatable.items()))
        product = self.labels.get(GPU_PRODUCT_LABEL, "")
        return (amounts, self.taints, product, self.labels.get("node.kubernetes.io/instance-type", ""))


def is_machine(manifest: Field) -> bool:
    """Whether a Node says what it offers and is named: one of an example or of a script's text is no machine."""
    named = isinstance(manifest.at("metadata", "name").text(), Known)
    return named and any(True for _ in manifest.at("status", "allocatable").entries())


def read(manifests: Iterable[Field]) -> tuple[NodePool, ...]:
    """The pools of some nodes, in the order of their names."""
    groups: dict[object, list[_Node]] = {}
    for node in sorted(map(_node, manifests), key=lambda node: node.name):
        groups.setdefault(node.labels.get(POOL_LABEL) or node.shape(), []).append(node)
    return tuple(sorted(map(_pool, groups.values()), key=lambda pool: pool.name))


def _node(manifest: Field) -> _Node:
    amounts = {name: field.quantity() for name, field in manifest.at("status", "allocatable").entries()}
    return _Node(
        name=manifest.at("metadata", "name").plain_text(),
        labels=metadata.labels_of(manifest),
        annotations=metadata.annotations_of(manifest),
        allocatable={name: fact.value for name, fact in amounts.items() if isinstance(fact, Known)},
        taints=tuple(_taint(item) for item in manifest.at("spec", "taints").items()),
    )


def _taint(item: Field) -> Taint:
    return Taint(item["key"].plain_text(), item["value"].plain_text(), item["effect"].plain_text("NoSchedule"))


def _pool(nodes: Sequence[_Node]) -> NodePool:
    first = nodes[0]
    name = first.labels.get(POOL_LABEL, "")
    count = Known(len(nodes), Derived(f"{len(nodes)} nodes seen"))
    return NodePool(
        name=name or first.name,
        nodes=Count(count, count, count),
        allocatable=first.allocatable,
        labels=_common(node.labels for node in nodes),
        selector={POOL_LABEL: name} if name else {},
        taints=first.taints,
        accelerator=_accelerator(first),
        varying_labels=_varying([node.labels for node in nodes]),
    )


def _common(labels: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The labels that all nodes have with the same value, without those that tell one node from another."""
    sets = [set(one.items()) for one in labels]
    return {key: value for key, value in sorted(set.intersection(*sets)) if key not in _OF_ONE_NODE}


def _varying(labels: Sequence[Mapping[str, str]]) -> frozenset[str]:
    """The keys of all nodes without those that they have in common; what tells one node from another among them."""
    common = _common(labels)
    return frozenset(key for one in labels for key in one if key not in common) | _OF_ONE_NODE


def _accelerator(node: _Node) -> Accelerator | None:
    resource = next((r for r in sorted(node.allocatable) if r.startswith(_GPU_DOMAINS)), None)
    if resource is None:
        return None
    product = node.annotations.get(ACCELERATOR_ANNOTATION) or node.labels.get(GPU_PRODUCT_LABEL, "")
    return Accelerator(product, resource, node.allocatable[resource].bytes(), _sharing(node, resource))


def _sharing(node: _Node, resource: str) -> Sharing:
    declared = node.annotations.get(SHARING_ANNOTATION, "")
    if declared in {sharing.value for sharing in Sharing}:
        return Sharing(declared)
    if resource.startswith("nvidia.com/mig-"):
        return Sharing.MIG
    return Sharing.TIME_SLICED if node.labels.get(GPU_SHARING_LABEL) == "time-slicing" else Sharing.WHOLE
