"""Rules about faults that lie where the memory is decided."""

from __future__ import annotations

from controlplane.stack.model import Stack

PREVIEWS = frozenset({"vllm/long-prompt-blocks-short-ones"})


def concerns(stack: Stack) -> bool:
    """Whether there is an engine."""
    return any(workload.engines for workload in stack.workloads)
