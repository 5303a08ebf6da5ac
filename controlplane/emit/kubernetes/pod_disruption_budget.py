"""PodDisruptionBudget policy/v1."""

from __future__ import annotations

from controlplane.emit.bundle import EmittedObject, fixed, sourced
from controlplane.emit.kubernetes.metadata import emitted, metadata
from controlplane.stack.references import DisruptionBudget


def build(budget: DisruptionBudget) -> EmittedObject:
    """The manifest of a disruption budget. Raises ValueError when its selector or bound is not known.

    `unhealthyPodEvictionPolicy` (stable since Kubernetes 1.31): with the API's default a pod that never became
    ready still counts, and one crash-looping engine keeps a node from being drained for ever.
    """
    always = fixed("AlwaysAllow", "a pod that is not ready serves nobody, and must not block the drain of its node")
    spec = {
        "maxUnavailable": sourced(budget.max_unavailable),
        "minAvailable": sourced(budget.min_available),
        "unhealthyPodEvictionPolicy": always,
        "selector": {"matchLabels": sourced(budget.selector)},
    }
    tree = {
        "metadata": metadata(budget.ref, budget.labels, None, budget.label_origins, budget.namespace_origin),
        "spec": spec,
    }
    return emitted(budget.ref, tree, budget.labels, budget.origin)
