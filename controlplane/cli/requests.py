"""An agreed plan to rollout requests: one for each service that has something to do."""

from __future__ import annotations

import getpass
import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from controlplane.frozen import frozen
from controlplane.plan.changes import Action, Change, ChangeSet
from controlplane.plan.staleness import precondition
from controlplane.workflows.messages import (
    ClusterRef,
    DriftMode,
    DriftSettings,
    OnFailure,
    PlannedObject,
    RevisionRef,
    RolloutRequest,
    ServiceRef,
    Timeouts,
)

if TYPE_CHECKING:
    from controlplane.adapters.kubernetes import RevisionStore
    from controlplane.cli.target import Target
    from controlplane.plan.revision import GoodRevision


@frozen
class Agreement:
    """Who agreed to the plan, why, when (RFC 3339), and whether fields may be taken from other managers."""

    author: str
    reason: str
    at: str
    force: bool


def agreement(reason: str, *, force: bool) -> Agreement:
    """An agreement of the user who runs the command, now."""
    from controlplane.plan.redaction import redact_text

    author = f"{getpass.getuser()}@{socket.gethostname()}" if "USER" in os.environ else getpass.getuser()
    # What people write may hold a secret; the reason is kept in the cluster and in histories.
    return Agreement(author, redact_text(reason), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), force)


def part_of(service: str, changes: ChangeSet) -> tuple[Change, ...]:
    """The changes that a service's rollout is about: its own, and the Namespace that it stands in."""
    namespace = service.partition("/")[0]
    return tuple(c for c in changes.changes if c.service == service or _is_namespace(c, namespace))


def services_to_roll_out(changes: ChangeSet, store: RevisionStore) -> Mapping[str, str]:
    """Each service that a rollout is due for, and why: there is something to write, or it was never found good."""
    services = sorted({c.service for c in changes.changes if c.service})
    namespaces = sorted({service.partition("/")[0] for service in services})
    good = {name: found for namespace in namespaces for name, found in store.good_in(namespace).items()}
    return {s: why for s in services if (why := _why(s, changes, good.get(s)))}


def _why(service: str, changes: ChangeSet, good: GoodRevision | None) -> str:
    from controlplane.plan.revision import digest_of

    part = part_of(service, changes)
    if any(c.action is not Action.UNCHANGED for c in part):
        return "the plan changes it"
    if good is None or not good.is_of(digest_of([c.desired.manifest for c in part if c.desired is not None])):
        return "it is as the policies say, but was never found healthy so"
    changed = good.settings != changes.settings.get(service, good.settings)
    return "its rollout settings changed; nothing will be written to its objects" if changed else ""


def request_for(
    service: str, changes: ChangeSet, target: Target, agreed: Agreement, store: RevisionStore
) -> RolloutRequest:
    """Store the service's revision in the cluster, and the request to bring the service to it.

    Raises `AdapterError` when the cluster does not take the revision.
    """
    from controlplane.plan.planfile import plan_digest

    part = part_of(service, changes)
    digest = plan_digest(changes)
    stored = store.store(
        service,
        [c.desired.manifest for c in part if c.desired is not None],
        plan_digest=digest,
        author=agreed.author,
        reason=agreed.reason,
        created_at=agreed.at,
        settings=changes.settings.get(service),
    ).header
    return RolloutRequest(
        request_id=str(uuid.uuid4()),
        cluster=cluster_ref(target),
        service=service_ref(service),
        revision=RevisionRef(stored.number, stored.digest),
        plan_digest=digest,
        planned=tuple(_bound(_as_it_is_now(c, target), agreed) for c in part),
        author=agreed.author,
        reason=agreed.reason,
        **rollout_terms(changes.settings.get(service, {})),
    )


def rollout_terms(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Time-outs, what happens on failure, and drift settings of a request; what is not set keeps its default."""
    if not settings:
        return {}
    return {
        "timeouts": Timeouts(
            machines_s=float(settings["machines_seconds"]),
            tasks_s=float(settings["tasks_seconds"]),
            memory_s=float(settings["memory_seconds"]),
            room_s=float(settings["machines_seconds"]) if settings.get("nodes_may_be_added") else 0.0,
        ),
        "on_failure": OnFailure.RETURN if settings["return_automatically"] else OnFailure.STOP,
        "drift": DriftSettings(DriftMode(settings["drift_mode"]), float(settings["drift_interval_seconds"])),
    }


def cluster_ref(target: Target) -> ClusterRef:
    """The cluster as the worker will reach it: by the same context."""
    return ClusterRef(target.context, target.context, target.kubeconfig)


def service_ref(service: str) -> ServiceRef:
    """`namespace/name` as a reference."""
    namespace, _, name = service.partition("/")
    return ServiceRef(namespace, name)


def _as_it_is_now(change: Change, target: Target) -> Change:
    """A Namespace of the plan exists once a revision was stored in it: the rollout is bound to what we just made."""
    if change.ref.kind != "Namespace" or change.action is not Action.CREATE or change.desired is None:
        return change
    live = target.cluster.get(change.ref)
    return replace(change, precondition=precondition(change.desired.manifest, live))


def _bound(change: Change, agreed: Agreement) -> PlannedObject:
    from controlplane.workflows.binding import bind

    return bind(change, force=agreed.force and bool(change.conflicts))


def _is_namespace(change: Change, name: str) -> bool:
    return change.ref.kind == "Namespace" and change.ref.name == name and not change.service
