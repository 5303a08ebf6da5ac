"""What stands around a workload: its ReplicaSets, its pods, and the nodes they are on or could be on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.adapters.errors import Forbidden
from controlplane.adapters.kubernetes.discovery import Discovery
from controlplane.adapters.kubernetes.reading import get, listed
from controlplane.adapters.kubernetes.requests import Requests
from controlplane.emit.bundle import Manifest
from controlplane.plan.health import Related
from controlplane.stack.references import ObjectRef


def related(requests: Requests, discovery: Discovery, workload: Manifest) -> Related:
    """What `plan.health.assess` needs besides the live workload itself.

    Nodes are read whole while a pod is not scheduled, since any of them could be meant; else those that run a pod.
    """
    replica_sets = _replica_sets(requests, discovery, workload)
    pods = _pods(requests, discovery, workload, replica_sets)
    return Related(replica_sets, pods, _nodes(requests, discovery, pods))


def pods_of(requests: Requests, discovery: Discovery, workload: Manifest) -> tuple[Manifest, ...]:
    """The pods of a live workload, by name: those it controls, of a Deployment through ReplicaSets."""
    return _pods(requests, discovery, workload, _replica_sets(requests, discovery, workload))


def selector_text(selector: Mapping[str, Any] | None) -> str | None:
    """A label selector as the API's query parameter wants it; None selects everything."""
    selector = selector or {}
    parts = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    parts += [
        _expression(each["key"], each["operator"], each.get("values") or ())
        for each in selector.get("matchExpressions") or ()
    ]
    return ",".join(parts) or None


def _expression(key: str, operator: str, values: Sequence[str]) -> str:
    match operator:
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
    return f"{key} {operator.lower()} ({','.join(values)})"


def _replica_sets(requests: Requests, discovery: Discovery, workload: Manifest) -> tuple[Manifest, ...]:
    if workload.get("kind") != "Deployment":
        return ()
    found = listed(
        requests,
        discovery.resource("apps/v1", "ReplicaSet"),
        workload["metadata"]["namespace"],
        label_selector=selector_text(workload["spec"].get("selector")),
    )
    return tuple(each for each in found if _controlled_by(each, {workload["metadata"]["uid"]}))


def _pods(
    requests: Requests, discovery: Discovery, workload: Manifest, replica_sets: Sequence[Manifest]
) -> tuple[Manifest, ...]:
    owners = {each["metadata"]["uid"] for each in replica_sets} | {workload["metadata"]["uid"]}
    selector = (workload.get("spec") or {}).get("selector")
    found = listed(
        requests,
        discovery.resource("v1", "Pod"),
        workload["metadata"]["namespace"],
        label_selector=selector_text(selector) if isinstance(selector, Mapping) else None,
    )
    return tuple(each for each in found if _controlled_by(each, owners))


def _controlled_by(manifest: Manifest, uids: set[str]) -> bool:
    owners = manifest["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] in uids for owner in owners)


def _nodes(requests: Requests, discovery: Discovery, pods: Sequence[Manifest]) -> tuple[Manifest, ...] | None:
    names = {(pod.get("spec") or {}).get("nodeName") for pod in pods}
    try:
        if None in names or "" in names:
            return tuple(listed(requests, discovery.resource("v1", "Node"), ""))
        found = (get(requests, discovery, ObjectRef("v1", "Node", "", name)) for name in sorted(filter(None, names)))
        return tuple(node for node in found if node is not None)
    except Forbidden:
        return None
