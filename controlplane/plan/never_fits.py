"""Whether any node could ever take a pod, were it empty: labels, taints and sizes, from the objects alone.

A pending pod waits for room, which may come; or it asks for what no node has, which no waiting heals. Node
autoscalers can add nodes that are not there yet: the caller gives them time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from controlplane.emit.bundle import Manifest

_BARRING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})
_SUFFIXES: Mapping[str, Decimal] = {
    **{suffix: Decimal(1024) ** power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)},
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), start=1)},
    "m": Decimal("1e-3"),
    "u": Decimal("1e-6"),
    "n": Decimal("1e-9"),
}


def why_never(pod: Manifest, nodes: Sequence[Manifest]) -> str | None:
    """Why no node could take this pod even if it were empty, with both numbers; None when one could."""
    spec = pod.get("spec") or {}
    if not nodes:
        return "the cluster has no nodes"
    chosen = [node for node in nodes if _selected(spec, node)]
    if not chosen:
        return f"none of {len(nodes)} nodes has the labels that the pod asks for"
    open_to_it = [node for node in chosen if not _barred(spec, node)]
    if not open_to_it:
        return f"{len(chosen)} of {len(nodes)} nodes have the labels, all with a taint that the pod does not tolerate"
    return _too_large(requests_of(spec), open_to_it)


def _too_large(asked: Mapping[str, Decimal], nodes: Sequence[Manifest]) -> str | None:
    if any(all(_allocatable(node, name) >= amount for name, amount in asked.items()) for node in nodes):
        return None
    for name, amount in sorted(asked.items()):
        largest = max(_allocatable(node, name) for node in nodes)
        if largest < amount:
            has = f"the largest of {len(nodes)} matching nodes has {_shown(largest)}"
            return f"the pod asks for {_shown(amount)} {name}; {has}"
    together = ", ".join(f"{_shown(amount)} {name}" for name, amount in sorted(asked.items()))
    return f"the pod asks for {together}; none of {len(nodes)} matching nodes has all of it at once"


def requests_of(spec: Mapping[str, Any]) -> Mapping[str, Decimal]:
    """What the scheduler counts for a pod: the larger of the containers' sum and any init container, and overhead.

    Init containers that keep running (restartPolicy Always) count with the containers.
    """
    beside = [*(spec.get("containers") or ()), *filter(_keeps_running, spec.get("initContainers") or ())]
    total = _sum(_container_requests(each) for each in beside)
    for container in spec.get("initContainers") or ():
        if not _keeps_running(container):
            for name, amount in _container_requests(container).items():
                total[name] = max(total.get(name, Decimal(0)), amount)
    overhead = {name: quantity(text) for name, text in (spec.get("overhead") or {}).items()}
    return _sum([total, overhead])


def _keeps_running(container: Mapping[str, Any]) -> bool:
    return container.get("restartPolicy") == "Always"


def _container_requests(container: Mapping[str, Any]) -> dict[str, Decimal]:
    """Requests, with limits where a request is left out, as the API server defaults them."""
    resources = container.get("resources") or {}
    merged = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: quantity(text) for name, text in merged.items()}


def _sum(parts: Iterable[Mapping[str, Decimal]]) -> dict[str, Decimal]:
    total: dict[str, Decimal] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, Decimal(0)) + amount
    return total


def quantity(text: Any) -> Decimal:
    """The value of a quantity that the API server has accepted."""
    text = str(text)
    for suffix in (text[-2:], text[-1:]):
        if suffix in _SUFFIXES:
            return Decimal(text.removesuffix(suffix)) * _SUFFIXES[suffix]
    return Decimal(text)


def _allocatable(node: Manifest, resource: str) -> Decimal:
    return quantity(((node.get("status") or {}).get("allocatable") or {}).get(resource, 0))


def _shown(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _barred(spec: Mapping[str, Any], node: Manifest) -> bool:
    """Whether a taint keeps the pod off; a cordon or a condition that passes (not-ready) does not count as never."""
    tolerations = spec.get("tolerations") or ()
    taints = (node.get("spec") or {}).get("taints") or ()
    return any(
        taint.get("effect") in _BARRING_EFFECTS
        and not str(taint.get("key", "")).startswith("node.kubernetes.io/")
        and not any(_tolerates(toleration, taint) for toleration in tolerations)
        for taint in taints
    )


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("effect") not in (None, "", taint.get("effect")):
        return False
    key = toleration.get("key")
    if not key:
        return toleration.get("operator") == "Exists"
    if key != taint.get("key"):
        return False
    return toleration.get("operator") == "Exists" or (toleration.get("value") or "") == (taint.get("value") or "")


def _selected(spec: Mapping[str, Any], node: Manifest) -> bool:
    labels = node["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms")
    return terms is None or any(_term_matches(term, node, labels) for term in terms)


def _term_matches(term: Mapping[str, Any], node: Manifest, labels: Mapping[str, str]) -> bool:
    """All requirements of a term; an empty term matches nothing, as in Kubernetes."""
    on_labels = [_requirement_met(each, labels) for each in term.get("matchExpressions") or ()]
    fields = {"metadata.name": node["metadata"]["name"]}
    on_fields = [_requirement_met(each, fields) for each in term.get("matchFields") or ()]
    return bool(on_labels or on_fields) and all(on_labels + on_fields)


def _requirement_met(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value = labels.get(requirement["key"])
    values = requirement.get("values") or ()
    match requirement["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" as operator:
            return _compares(operator, value, values)
    return True


def _compares(operator: str, value: str | None, values: Sequence[str]) -> bool:
    try:
        number, bound = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > bound if operator == "Gt" else number < bound
