"""Which pools a pod may run in: labels and taints, as kube-scheduler's NodeAffinity and TaintToleration filter."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.stack.facts import value_of
from controlplane.stack.inventory import NodePool, Taint
from controlplane.stack.pods import Constraints, NodeRequirement, Toleration


def selects(constraints: Constraints, pool: NodePool) -> bool:
    """Whether the pod asks for nodes by labels at all, and the pool's nodes have them."""
    selector = value_of(constraints.node_selector) or {}
    requirements = value_of(constraints.node_requirements) or ()
    return bool(selector or requirements) and _labels_match(selector, requirements, pool.labels)


def admits(constraints: Constraints, pool: NodePool) -> bool:
    """Whether the scheduler's label and taint filters let the pod onto the pool's nodes."""
    selector = value_of(constraints.node_selector) or {}
    requirements = value_of(constraints.node_requirements) or ()
    return _labels_match(selector, requirements, pool.labels) and all(bears(constraints, t) for t in pool.taints)


def bears(constraints: Constraints, taint: Taint) -> bool:
    """Whether the pod may run in spite of a taint. PreferNoSchedule keeps nobody away."""
    tolerations = value_of(constraints.tolerations) or ()
    return taint.effect == "PreferNoSchedule" or any(tolerates(t, taint) for t in tolerations)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """One toleration against one taint (`k8s.io/api/core/v1` `ToleratesTaint`, 1.36)."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return bool(toleration.key) and toleration.operator in ("", "Equal") and toleration.value == taint.value


def _labels_match(
    selector: Mapping[str, str], requirements: tuple[NodeRequirement, ...], labels: Mapping[str, str]
) -> bool:
    wanted = all(labels.get(key) == value for key, value in selector.items())
    return wanted and all(_holds(requirement, labels) for requirement in requirements)


def _holds(requirement: NodeRequirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compares(requirement, value)
        case _:
            return False


def _compares(requirement: NodeRequirement, value: str | None) -> bool:
    try:
        have, bound = int(value or ""), int(requirement.values[0])
    except (ValueError, IndexError):
        return False
    return have > bound if requirement.operator == "Gt" else have < bound
