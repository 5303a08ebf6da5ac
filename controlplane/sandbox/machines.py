"""Simulated machines: Node objects that kwok keeps alive, so that exactly a given set of them exists."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from controlplane.sandbox.api import ApiServer, Object
from controlplane.sandbox.errors import ProgramFailed

GROUP_LABEL = "sandbox.controlplane.dev/machines"
"""The label that says which set of machines a node belongs to."""

FLEET = "fleet"
"""The set that `sandbox up --fleet` sets."""

# A label that a machine no longer has is not to be seen by comparing what it has; a digest of it all is.
_DIGEST = "sandbox.controlplane.dev/machine"

_NODES = "/api/v1/nodes"
_READY_WITHIN_S = 120.0
_POLL_S = 0.1
_SYSTEM_TAINT = "node.kubernetes.io/"


@dataclass(frozen=True, slots=True)
class Machine:
    """One node. `taints` are (key, value, effect); quantities are as Kubernetes writes them (`2000Gi`, `8`)."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[tuple[str, str, str], ...] = ()
    allocatable: Mapping[str, str] = field(default_factory=dict)


def apply_machines(api: ApiServer, machines: Iterable[Machine], *, group: str = FLEET) -> tuple[str, ...]:
    """Make `machines` be exactly the nodes of this group; returns the names of the nodes that were removed.

    A node that is the same already is not written. A removed machine takes its pods with it, as if it were lost.
    """
    wanted = {machine.name: machine for machine in machines}
    live = {node["metadata"]["name"]: node for node in nodes(api, group)}
    for name, machine in wanted.items():
        _apply(api, machine, group, live.get(name))
    removed = tuple(sorted(live.keys() - wanted.keys()))
    for name in removed:
        _remove(api, name)
    return removed


def nodes(api: ApiServer, group: str | None = FLEET) -> list[Object]:
    """The live nodes of one group, or of all groups."""
    selector = GROUP_LABEL if group is None else f"{GROUP_LABEL}={group}"
    items: list[Object] = api.get(f"{_NODES}?labelSelector={quote(selector)}")["items"]
    return items


def is_ready(node: Object) -> bool:
    """Whether the scheduler would use this node: Ready, and without the taints of one that is not."""
    conditions = {condition["type"]: condition["status"] for condition in node["status"].get("conditions") or ()}
    return conditions.get("Ready") == "True" and not _system_taints(node)


def await_machines(api: ApiServer, *, group: str = FLEET) -> None:
    """Wait until every node of the group is ready; raises `ProgramFailed` when that takes too long."""
    deadline = time.monotonic() + _READY_WITHIN_S
    while late := [node["metadata"]["name"] for node in nodes(api, group) if not is_ready(node)]:
        if time.monotonic() > deadline:
            raise ProgramFailed(
                f"{len(late)} machines are not ready after {_READY_WITHIN_S:.0f} s: {', '.join(late)}",
                "Look at the logs of kwok and kube-controller-manager: controlplane sandbox status names them.",
            )
        time.sleep(_POLL_S)


def node_of(machine: Machine, group: str, live: Object | None = None) -> Object:
    """The Node object of a machine; taints that Kubernetes itself set on the `live` one are kept."""
    taints = [_taint(*taint) for taint in machine.taints]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": machine.name,
            "annotations": {**machine.annotations, "kwok.x-k8s.io/node": "fake", _DIGEST: _digest(machine)},
            "labels": {
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": machine.name,
                "kubernetes.io/os": "linux",
                "type": "kwok",
                **machine.labels,
                GROUP_LABEL: group,
            },
        },
        "spec": {"taints": taints + (_system_taints(live) if live else [])},
        # Taken by the API server only when the node is created: then kwok finds it in the object that it completes.
        "status": {"capacity": _offered(machine), "allocatable": _offered(machine)},
    }


def _apply(api: ApiServer, machine: Machine, group: str, live: Object | None) -> None:
    path, node = f"{_NODES}/{machine.name}", node_of(machine, group, live)
    if live is None or not _says(live, node):
        live = api.apply(path, node)
    changes = {
        kind: change
        for kind in ("capacity", "allocatable")
        if (change := _difference(live.get("status", {}).get(kind) or {}, _offered(machine)))
    }
    if changes:
        api.merge(f"{path}/status", {"status": changes})


def _offered(machine: Machine) -> dict[str, str]:
    """What a node gives to pods; without a number of them, the kubelet's default."""
    return {"pods": "110", **machine.allocatable}


def _says(live: Object, node: Object) -> bool:
    """Whether `live` came from exactly this machine, by its digest, and nobody changed what it says since."""
    said, wanted = live["metadata"], node["metadata"]
    return bool(
        said.get("labels", {}).items() >= wanted["labels"].items()
        and said.get("annotations", {}).items() >= wanted["annotations"].items()
        and (live["spec"].get("taints") or []) == node["spec"]["taints"]
    )


def _digest(machine: Machine) -> str:
    fields = [
        machine.name,
        dict(machine.labels),
        dict(machine.annotations),
        machine.taints,
        dict(machine.allocatable),
    ]
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


def _taint(key: str, value: str, effect: str) -> Object:
    # As the API server answers: it leaves an empty value out.
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _difference(live: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str | None]:
    """The merge patch from `live` to `wanted`: null for what is to go."""
    changed: dict[str, str | None] = {key: value for key, value in wanted.items() if live.get(key) != value}
    return changed | dict.fromkeys(live.keys() - wanted.keys())


def _remove(api: ApiServer, name: str) -> None:
    api.delete(f"{_NODES}/{name}")
    for pod in api.get(f"/api/v1/pods?fieldSelector=spec.nodeName%3D{name}")["items"]:
        metadata = pod["metadata"]
        # The garbage collector would do it too, after its 40 s of patience with a node that might come back.
        api.delete(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}", {"gracePeriodSeconds": 0})


def _system_taints(node: Object) -> list[Object]:
    taints = node["spec"].get("taints") or ()
    return [taint for taint in taints if taint["key"].startswith(_SYSTEM_TAINT)]
