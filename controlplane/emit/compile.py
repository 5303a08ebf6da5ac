"""Stack -> Bundle: all objects in the order in which a rollout applies them.

First what others need, then the workloads, then what watches them. Services stand with what others need: without
ready pods a Service answers nobody, so it cannot do harm early, while the scheduler's default spreading and a
headless Service's names work from a workload's first pod on.
"""

from __future__ import annotations

from collections.abc import Callable

from controlplane.emit import guarantees
from controlplane.emit.bundle import Bundle, EmittedObject
from controlplane.emit.kubernetes import deployment, namespace, pod_disruption_budget, service
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import DisruptionBudget, Namespace, Reference, Service

_WORKLOADS: dict[tuple[str, str], Callable[[Workload], EmittedObject]] = {
    ("apps", "Deployment"): deployment.build,
}

_NEEDED, _WORKLOAD, _WATCHING = range(3)


def emit(stack: Stack) -> Bundle:
    """All manifests of a Stack, the same for the same declarations in whatever order they are held.

    Raises ValueError when the Stack cannot be written or would break a guarantee (`emit.guarantees`): resolution
    has to have said so before, as a finding on the policy.
    """
    guarantees.hold(stack)
    placed = [_reference(reference) for reference in stack.references]
    placed += [(_WORKLOAD, _workload(workload)) for workload in stack.workloads]
    return Bundle(tuple(made for _, made in sorted(placed, key=_apply_order)))


def _workload(workload: Workload) -> EmittedObject:
    build = _WORKLOADS.get((workload.ref.group, workload.ref.kind))
    if build is None:
        raise ValueError(f"no builder for {workload.ref.api_version} {workload.ref.kind}")
    return build(workload)


def _reference(reference: Reference) -> tuple[int, EmittedObject]:
    match reference:
        case Namespace():
            return _NEEDED, namespace.build(reference)
        case Service():
            return _NEEDED, service.build(reference)
        case DisruptionBudget():
            return _WATCHING, pod_disruption_budget.build(reference)
        case _:
            raise ValueError(f"no builder for {reference.ref.api_version} {reference.ref.kind}")


def _apply_order(placed: tuple[int, EmittedObject]) -> tuple[int, bool, str, str, str]:
    step, made = placed
    return step, made.ref.kind != "Namespace", made.ref.kind, made.ref.namespace, made.ref.name
