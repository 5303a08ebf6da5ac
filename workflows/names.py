"""Ids of workflows and schedules, and the name of the task queue: the addresses by which everybody finds them.

A cluster's name may be any kubeconfig context, so it is quoted; namespaces and names need no quoting.
"""

from __future__ import annotations

from urllib.parse import quote

from controlplane.workflows.messages import ClusterRef, RolloutRequest, ServiceRef

TASK_QUEUE = "controlplane"
"""The queue that workers poll and clients start on, unless told otherwise."""

_DIGEST_LENGTH = 16


def entity_id(cluster: ClusterRef, service: ServiceRef) -> str:
    """The workflow that is the service's lock and memory."""
    return f"service/{_place(cluster, service)}"


def rollout_id(request: RolloutRequest) -> str:
    """The rollout of one plan: the same plan cannot be rolled out twice at the same time."""
    digest = request.plan_digest.removeprefix("sha256:")[:_DIGEST_LENGTH]
    return f"rollout/{_place(request.cluster, request.service)}/{digest}"


def schedule_id(cluster: ClusterRef, service: ServiceRef) -> str:
    """The schedule that starts the service's drift checks."""
    return f"drift/{_place(cluster, service)}"


def drift_check_id(cluster: ClusterRef, service: ServiceRef) -> str:
    """A drift check; the schedule appends the time to it."""
    return f"drift-check/{_place(cluster, service)}"


def _place(cluster: ClusterRef, service: ServiceRef) -> str:
    return f"{quote(cluster.name, safe='')}/{service.namespace}/{service.name}"
