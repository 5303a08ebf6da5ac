"""Rules about faults that lie where the machines are decided."""

from __future__ import annotations

from controlplane.stack.model import Stack

PREVIEWS: frozenset[str] = frozenset()


def concerns(stack: Stack) -> bool:
    """Whether there is anything but machines."""
    return bool(stack.workloads or stack.references)
