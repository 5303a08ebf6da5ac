"""Rules about faults that lie between the layers."""

from __future__ import annotations

from controlplane.stack.model import Stack

PREVIEWS: frozenset[str] = frozenset()


def concerns(stack: Stack) -> bool:
    """Whether there is anything that runs."""
    return bool(stack.workloads)
