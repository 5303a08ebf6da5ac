"""The Serve deployments of a Stack, and what may be said of a key that Serve does not know."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray_tables import nearest_option, option_since, removed_option
from controlplane.stack.serve import ServeDeployment

_RENAMED = {
    "max_concurrent_queries": "max_ongoing_requests",
    "target_num_ongoing_requests_per_replica": "target_ongoing_requests",
}
"""Names that Serve had until they were renamed in Ray 2.10; no release that the tables know has them."""


def serve_deployments(stack: Stack) -> Iterator[tuple[Workload, ServeDeployment]]:
    """Every Serve deployment with the workload that runs it."""
    for workload in stack.workloads:
        for deployment in workload.serve.deployments if workload.serve is not None else ():
            yield workload, deployment


def unknown_key(model: str, name: str, version: str) -> tuple[str, str | None]:
    """Why a release does not know a key of one of Ray's models, and which key is probably meant."""
    removed, since = removed_option(model, name, version), option_since(model, name)
    if removed is not None:
        return f"was last in Ray {removed.last_in}", None
    if since is not None:
        return f"is in Ray from {since} on", None
    return f"is no key of {model}", _RENAMED.get(name) or nearest_option(model, name, version)
