"""What a change does beyond the fields it writes, in words and numbers. Derived from the fields, never guessed.

One function a kind; a kind without one has no consequences that its fields alone can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Action, FieldAction, FieldChange
from controlplane.plan.rolling import pods_in_a_rollout
from controlplane.source.quantity import QuantityError, parse_quantity


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """One object before and after; `before` is None for a creation."""

    kind: str
    action: Action
    fields: tuple[FieldChange, ...]
    before: Manifest | None
    after: Manifest

    def touches(self, *prefix: str) -> bool:
        """Whether a field at or below `prefix` changes."""
        return any(
            _is_below(change.path, prefix) for change in self.fields if change.action is not FieldAction.ADOPTED
        )

    def both(self, *path: str) -> tuple[Any, Any]:
        """The values of one field before and after."""
        return _at(self.before, path), _at(self.after, path)


def consequences(change: ObjectChange) -> tuple[str, ...]:
    """What the change does, in the order in which it matters."""
    if change.action is Action.UNCHANGED:
        return ()
    tell = _BY_KIND.get(change.kind)
    return () if tell is None else tuple(tell(change))


def _deployment(change: ObjectChange) -> Iterator[str]:
    before, after = (replicas(change.before), replicas(change.after))
    if change.action is Action.CREATE:
        yield f"starts {_pods(after)}{_gpus(change.after, after)}."
        return
    if change.action is Action.REPLACE:
        yield f"deletes the Deployment and makes it again: all {_pods(before)} stop first and {_pods(after)} start."
        return
    if before != after:
        gpus = _gpus(change.after, abs(after - before), sign="+" if after > before else "-")
        yield f"scales from {before} to {_pods(after)}{gpus}."
    if change.touches("spec", "template"):
        yield from _restart(change.after, min(before, after))


def _restart(manifest: Manifest, pods: int) -> Iterator[str]:
    if _at(manifest, ("spec", "paused")) is True:
        yield "restarts nothing while the Deployment is paused."
    elif pods:
        yield f"restarts {_pods(pods)}: each loads its weights again."
        yield from pods_in_a_rollout(manifest, pods)


def _service(change: ObjectChange) -> Iterator[str]:
    before, after = change.both("spec", "type")
    if change.action is Action.REPLACE:
        yield "deletes the Service and makes it again: its cluster address changes."
    if change.action is not Action.UPDATE:
        return
    if before != after:
        yield f"the type changes from {before} to {after}."
    if change.touches("spec", "ports"):
        yield from _ports(*change.both("spec", "ports"))
    if change.touches("spec", "selector"):
        old, new = change.both("spec", "selector")
        yield f"traffic goes to pods with {_labels(new)} instead of {_labels(old)} at once."


def _ports(before: Any, after: Any) -> Iterator[str]:
    old, new = _numbers(before), _numbers(after)
    for gone in sorted(old.keys() - new.keys()):
        yield f"port {gone} closes: clients that use it must change."
    for came in sorted(new.keys() - old.keys()):
        yield f"port {came} opens."
    for number in sorted(old.keys() & new.keys()):
        if old[number] != new[number]:
            yield f"port {number} leads to {new[number]} of the pods instead of {old[number]}."


def _disruption_budget(change: ObjectChange) -> Iterator[str]:
    if change.action is not Action.UPDATE:
        return
    for name, words in (
        ("maxUnavailable", "may be evicted at a time"),
        ("minAvailable", "must stay during evictions"),
    ):
        before, after = change.both("spec", name)
        if before != after and after is not None:
            yield f"{after} of its pods {words}" + ("." if before is None else f", {before} before.")


def _config_map(change: ObjectChange) -> Iterator[str]:
    if change.action is Action.REPLACE:
        yield "deletes the ConfigMap and makes it again: pods that start in between fail to mount it."
    elif change.action is Action.UPDATE and (change.touches("data") or change.touches("binaryData")):
        yield "restarts nothing: mounted files follow by themselves, environment variables keep the old values."


def _volume_claim(change: ObjectChange) -> Iterator[str]:
    if change.action is Action.REPLACE:
        yield "deletes the PersistentVolumeClaim and makes it again: what is stored on it can be lost."
        return
    before, after = change.both("spec", "resources", "requests", "storage")
    if change.action is Action.UPDATE and before != after:
        yield f"the volume grows from {before} to {after}; it cannot shrink again."


def _autoscaler(change: ObjectChange) -> Iterator[str]:
    bounds = [change.both("spec", name) for name in ("minReplicas", "maxReplicas")]
    if change.action is Action.UPDATE and any(before != after for before, after in bounds):
        (low, new_low), (high, new_high) = bounds
        yield f"scales between {new_low} and {new_high} replicas, before between {low} and {high}."


def _namespace(change: ObjectChange) -> Iterator[str]:
    if change.action is Action.REPLACE:
        yield "deletes the Namespace with everything in it."


_BY_KIND: Mapping[str, Callable[[ObjectChange], Iterator[str]]] = {
    "ConfigMap": _config_map,
    "Deployment": _deployment,
    "HorizontalPodAutoscaler": _autoscaler,
    "Namespace": _namespace,
    "PersistentVolumeClaim": _volume_claim,
    "PodDisruptionBudget": _disruption_budget,
    "Service": _service,
}


def replicas(manifest: Manifest | None) -> int:
    """The pods a Deployment asks for; the API server's default is 1."""
    value = _at(manifest, ("spec", "replicas"))
    return value if isinstance(value, int) else 1


def _gpus(manifest: Manifest, pods: int, *, sign: str = "") -> str:
    """The GPUs of that many pods, by resource name; empty when a pod asks for none."""
    counts = sorted(_gpus_of_a_pod(manifest).items())
    return "".join(f", {sign}{count * pods} {name}" for name, count in counts if count)


def _gpus_of_a_pod(manifest: Manifest) -> dict[str, int]:
    counts: dict[str, int] = {}
    for container in _at(manifest, ("spec", "template", "spec", "containers")) or ():
        limits = (container.get("resources") or {}).get("limits") or {}
        for name, amount in limits.items():
            if "/" in name and name.rpartition("/")[2].startswith(("gpu", "mig-")):
                counts[name] = counts.get(name, 0) + _whole(amount)
    return counts


def _whole(amount: Any) -> int:
    try:
        return int(parse_quantity(amount).value)
    except QuantityError:
        return 0


def _pods(count: int) -> str:
    return f"{count} pod" if count == 1 else f"{count} pods"


def _labels(selector: Any) -> str:
    pairs = sorted((selector or {}).items())
    return ", ".join(f"{key}={value}" for key, value in pairs) or "no labels"


def _numbers(ports: Any) -> dict[int, Any]:
    return {port["port"]: port.get("targetPort", port["port"]) for port in ports or ()}


def _at(node: Any, path: Sequence[str]) -> Any:
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def _is_below(path: KeyPath, prefix: tuple[str, ...]) -> bool:
    return path[: len(prefix)] == prefix
