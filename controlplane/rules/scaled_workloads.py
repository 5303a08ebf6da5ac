"""Which workload an autoscaler scales."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import Autoscaler


def scaled_workloads(stack: Stack) -> Iterator[tuple[Autoscaler, Workload]]:
    """Every autoscaler with the workload of the same input that it names."""
    for reference in stack.references:
        if isinstance(reference, Autoscaler):
            workload = target_of(stack, reference)
            if workload is not None:
                yield reference, workload


def target_of(stack: Stack, autoscaler: Autoscaler) -> Workload | None:
    """The workload that an autoscaler names, None where it is not in the input. KEDA's default kind is Deployment."""
    kind = value_of(autoscaler.target_kind) or "Deployment"
    name = value_of(autoscaler.target_name)
    found = (
        workload
        for workload in stack.workloads
        if (workload.ref.kind, workload.ref.name) == (kind, name)
        and workload.ref.namespace == autoscaler.ref.namespace
    )
    return next(found, None)
