"""The Serve deployments of a Stack."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.model import Stack, Workload
from controlplane.stack.serve import ServeDeployment


def serve_deployments(stack: Stack) -> Iterator[tuple[Workload, ServeDeployment]]:
    """Every Serve deployment with the workload that runs it."""
    for workload in stack.workloads:
        for deployment in workload.serve.deployments if workload.serve is not None else ():
            yield workload, deployment
