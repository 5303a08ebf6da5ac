"""What workflows ask of the world: abstract activities, implemented in `activities` over the adapters.

A workflow names the method of the port, so it never loads a client. Every activity may run more than once (a worker
can die between doing and reporting), so each looks at the world first and does only what is still missing.

An overriding method needs `@activity.defn` of its own (temporalio 1.35); the name is that of the port's method.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass

from temporalio import activity

from controlplane.workflows.messages import (
    NO_REVISION,
    ClusterRef,
    DriftMode,
    DriftReport,
    DriftSettings,
    HealAnswer,
    HealRequest,
    Layer,
    LayerReport,
    Mark,
    ObjectKey,
    ObjectOutcome,
    PlannedObject,
    RevisionRef,
    RolloutRequest,
    ServiceRef,
)


@dataclass(frozen=True, slots=True)
class VerifiedPlan:
    """The plan still holds. `groups` are the names of the revision's order groups, in apply order."""

    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevisionQuery:
    """Which revision of a service was good last, `besides` left out."""

    cluster: ClusterRef
    service: ServiceRef
    besides: RevisionRef


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """A revision in the cluster, number 0 when there is none, and its order groups.

    `asked_is_newest`: the revision that the query left out is the one last found good, this one only the one before.
    """

    revision: RevisionRef = NO_REVISION
    groups: tuple[str, ...] = ()
    asked_is_newest: bool = False


@dataclass(frozen=True, slots=True)
class GroupOrder:
    """Apply one order group of a revision. `planned` is None where no plan binds the objects.

    `replaceable` may be deleted and made again where a field cannot be changed, besides what the plan replaces.
    """

    cluster: ClusterRef
    service: ServiceRef
    revision: RevisionRef
    group: str
    planned: tuple[PlannedObject, ...] | None
    replaceable: tuple[ObjectKey, ...] = ()


@dataclass(frozen=True, slots=True)
class DeletionOrder:
    """Delete what the plan said it would delete, if it is still the object that the plan saw."""

    cluster: ClusterRef
    service: ServiceRef
    planned: tuple[PlannedObject, ...]


@dataclass(frozen=True, slots=True)
class RemovalOrder:
    """Remove what a failed revision created and the revision that is returned to does not have.

    Only objects among `created` are ever removed.
    """

    cluster: ClusterRef
    service: ServiceRef
    failed: RevisionRef
    kept: RevisionRef
    created: tuple[ObjectKey, ...]


@dataclass(frozen=True, slots=True)
class ObjectOutcomes:
    """What was done, object by object."""

    objects: tuple[ObjectOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class LayerQuery:
    """One layer of a revision. `room_s`: seconds that a pod without room may wait, where more than usual."""

    cluster: ClusterRef
    service: ServiceRef
    revision: RevisionRef
    layer: Layer
    room_s: float = 0.0


@dataclass(frozen=True, slots=True)
class MarkOrder:
    """Write on a stored revision how its rollout ended."""

    cluster: ClusterRef
    service: ServiceRef
    revision: RevisionRef
    mark: Mark


@dataclass(frozen=True, slots=True)
class DriftCheckInput:
    """What a scheduled check looks at and what it may do."""

    cluster: ClusterRef
    service: ServiceRef
    mode: DriftMode


@dataclass(frozen=True, slots=True)
class HealOrder:
    """Put back the fields of the report, and no others."""

    cluster: ClusterRef
    service: ServiceRef
    report: DriftReport


@dataclass(frozen=True, slots=True)
class ScheduleOrder:
    """Make the service's drift schedule what the settings say."""

    cluster: ClusterRef
    service: ServiceRef
    settings: DriftSettings


@dataclass(frozen=True, slots=True)
class ScheduleOutcome:
    """What was done to the schedule: created, updated, deleted or absent."""

    schedule_id: str
    action: str


@dataclass(frozen=True, slots=True)
class HealDelivery:
    """A heal request on its way to the service's entity."""

    cluster: ClusterRef
    service: ServiceRef
    request: HealRequest


class ClusterPorts(abc.ABC):
    """Everything a rollout and a drift check ask of a Kubernetes cluster."""

    @activity.defn
    @abc.abstractmethod
    async def verify_plan(self, request: RolloutRequest) -> VerifiedPlan:
        """Whether the stored revision is the one asked for and the live objects are those that the plan saw.

        Fails with the error type `StalePlan` when they are not, naming the object and its manager.
        """

    @activity.defn
    @abc.abstractmethod
    async def last_good(self, query: RevisionQuery) -> StoredRevision:
        """The newest revision of the service that is marked good."""

    @activity.defn
    @abc.abstractmethod
    async def apply_group(self, order: GroupOrder) -> ObjectOutcomes:
        """Write the objects of one group that differ from live."""

    @activity.defn
    @abc.abstractmethod
    async def delete_planned(self, order: DeletionOrder) -> ObjectOutcomes:
        """Delete the objects that the plan deletes."""

    @activity.defn
    @abc.abstractmethod
    async def await_layer(self, query: LayerQuery) -> LayerReport:
        """Poll until the layer is healthy or has failed for good; the last report travels with each heartbeat."""

    @activity.defn
    @abc.abstractmethod
    async def look_at_layer(self, query: LayerQuery) -> LayerReport:
        """The layer as it is now, once."""

    @activity.defn
    @abc.abstractmethod
    async def mark_revision(self, order: MarkOrder) -> None:
        """Write the mark; marking twice is marking once."""

    @activity.defn
    @abc.abstractmethod
    async def remove_created(self, order: RemovalOrder) -> ObjectOutcomes:
        """Remove what only the failed revision has."""

    @activity.defn
    @abc.abstractmethod
    async def check_drift(self, check: DriftCheckInput) -> DriftReport:
        """Compare the last good revision with live, in exactly the fields that we own."""

    @activity.defn
    @abc.abstractmethod
    async def heal(self, order: HealOrder) -> ObjectOutcomes:
        """Write back the reported fields, taking them by force, unless the object changed in other owned fields."""


class TemporalPorts(abc.ABC):
    """What activities ask of Temporal itself, because a workflow cannot."""

    @activity.defn
    @abc.abstractmethod
    async def set_drift_schedule(self, order: ScheduleOrder) -> ScheduleOutcome:
        """Create, change or delete the schedule."""

    @activity.defn
    @abc.abstractmethod
    async def request_heal(self, delivery: HealDelivery) -> HealAnswer:
        """Hand the request to the entity as an update; its refusal is an answer, not a failure."""
