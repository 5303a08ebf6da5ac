"""Rules about faults that lie where the tasks are decided."""

from __future__ import annotations

from controlplane.stack.model import Stack

PREVIEWS: frozenset[str] = frozenset()


def concerns(stack: Stack) -> bool:
    """Whether there is anything of Ray."""
    return any(workload.ref.group == "ray.io" or workload.ray or workload.serve for workload in stack.workloads)
