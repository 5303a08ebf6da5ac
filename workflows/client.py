"""What a command does with workflows: request, follow, ask, stop. Called by `cli` with a connected client.

Every function here raises the tree of `adapters.errors`, never temporalio's own exceptions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import FailureError
from temporalio.service import RPCError, RPCStatusCode

from controlplane.adapters.errors import AdapterError, Misconfigured, NotFound, Refused, ServerFault, Unreachable
from controlplane.plan.redaction import redact_text
from controlplane.workflows.messages import (
    ClusterRef,
    DriftSettings,
    HealAnswer,
    HealRequest,
    HistoryEntry,
    LayerReport,
    LayerState,
    RolloutOutcome,
    RolloutProgress,
    RolloutRequest,
    RolloutTicket,
    ServiceRef,
    ServiceState,
    StopAnswer,
    StopRequest,
)
from controlplane.workflows.names import TASK_QUEUE, entity_id
from controlplane.workflows.ports import ScheduleOrder, ScheduleOutcome
from controlplane.workflows.rollout import Rollout
from controlplane.workflows.schedule import reconcile_schedule
from controlplane.workflows.service import ServiceEntity

Answer = TypeVar("Answer")

ANSWER_PATIENCE_S = 30.0
"""How long a request waits for a worker before we say that none answers."""

_GLANCE = timedelta(seconds=5)
_UNANSWERED = "no worker answers; the rollout goes on when one does (see `controlplane service status`)"
_NO_SERVER = "Temporal does not answer; the rollout goes on when it does (see `controlplane service status`)"
_ABSENT_WORKER = (
    "no worker of Temporal answered within {patience:g} s",
    "Start one with `controlplane worker`, or see `controlplane service status`; a request that was taken goes on.",
)
_PERHAPS_TAKEN = (
    "The request may have been taken: `controlplane status` tells once Temporal and a worker run again "
    "(`controlplane service start`). Applying again is safe: it joins what is in flight."
)
_PAUSE_S = 1.0
_STUCK = "the worker cannot go on with the workflow: its step failed and is tried again"
_STUCK_REMEDY = (
    "See `controlplane service logs`. Its history may come from another version of controlplane: a worker of that "
    "version can end it; or terminate the workflow in Temporal and apply again."
)
_FAILED_STEP = "Workflow Task in failed state"
"""What the server (1.32) answers to a query of a workflow whose step fails, for instance for non-determinism."""


class Held(Refused):
    """Another rollout holds the service."""


async def request_rollout(
    client: Client,
    request: RolloutRequest,
    *,
    task_queue: str = TASK_QUEUE,
    patience_s: float = ANSWER_PATIENCE_S,
) -> RolloutTicket:
    """Ask the service's entity for a rollout, starting the entity when it does not run.

    Sending the same request again returns the same ticket, with `joined` set.

    Raises:
        Held: another plan is being rolled out; the message says whose, since when.
        Unreachable: Temporal or every worker is away.
    """
    # What people write may hold a secret, and histories are kept.
    request = replace(request, reason=redact_text(request.reason))
    entity = _entity(client, request.cluster, request.service)
    try:
        return await _answer_of(entity, _delivered(client, request, task_queue), patience_s)
    except Unreachable as error:
        raise Unreachable(error.message, remedy=_PERHAPS_TAKEN) from error


async def _delivered(client: Client, request: RolloutRequest, task_queue: str) -> RolloutTicket:
    """The answer to one request; it is delivered again while Temporal is away, and its id keeps it one request."""
    while True:
        try:
            return await _deliver(client, request, task_queue)
        except RPCError as error:
            if error.status is not RPCStatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(_PAUSE_S)


async def _deliver(client: Client, request: RolloutRequest, task_queue: str) -> RolloutTicket:
    start = WithStartWorkflowOperation(
        ServiceEntity.run,
        ServiceState(request.cluster, request.service),
        id=entity_id(request.cluster, request.service),
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        task_queue=task_queue,
    )
    # A start that fails is told twice: by the call, and by this future, which complains when nobody listens.
    started = asyncio.ensure_future(start.workflow_handle())
    try:
        return await client.execute_update_with_start_workflow(
            ServiceEntity.roll_out, request, id=request.request_id, start_workflow_operation=start
        )
    finally:
        started.cancel()
        await asyncio.wait([started])


async def follow(client: Client, ticket: RolloutTicket, *, every_s: float = 0.5) -> AsyncIterator[RolloutProgress]:
    """Yield the rollout's progress each time it changes, until it has ended.

    A worker or server that is away for a while is waited for: the rollout goes on without us either way.
    """
    handle = _rollout(client, ticket)
    shown: RolloutProgress | None = None
    while True:
        description, progress = await _glance(client, handle)
        if progress is None and shown is not None:
            progress = replace(shown, trouble=_trouble(description))
        if progress is not None and progress != shown:
            shown = progress
            yield progress
        if description is not None and description.status is not WorkflowExecutionStatus.RUNNING:
            return
        await asyncio.sleep(every_s)


async def outcome(client: Client, ticket: RolloutTicket) -> RolloutOutcome:
    """Wait for the end of a rollout.

    Raises:
        ServerFault: its workflow was terminated, or failed by a fault of ours.
    """
    try:
        return await _rollout(client, ticket).result()
    except WorkflowFailureError as error:
        raise ServerFault(
            f"the rollout {ticket.workflow_id} ended without an outcome: {_cause(error)}",
            remedy="See its history in Temporal; the objects are as it left them.",
        ) from error
    except RPCError as error:
        raise _rpc(error) from error


async def service_state(
    client: Client, cluster: ClusterRef, service: ServiceRef, *, patience_s: float = ANSWER_PATIENCE_S
) -> ServiceState | None:
    """What the service's entity remembers; None when there is no entity."""
    entity = _entity(client, cluster, service)
    try:
        return await _answer_of(entity, entity.query(ServiceEntity.state), patience_s)
    except NotFound:
        return None


async def history(client: Client, cluster: ClusterRef, service: ServiceRef) -> tuple[HistoryEntry, ...]:
    """The finished rollouts that the entity remembers, newest last."""
    state = await service_state(client, cluster, service)
    return state.history if state else ()


async def roll_back(
    client: Client, request: RolloutRequest, *, task_queue: str = TASK_QUEUE, patience_s: float = ANSWER_PATIENCE_S
) -> RolloutTicket:
    """Roll an older revision out as it is stored, bound to no plan.

    To bind it to one, plan the revision's objects and use `request_rollout`.
    """
    unbound = replace(request, planned=None)
    return await request_rollout(client, unbound, task_queue=task_queue, patience_s=patience_s)


async def cancel(
    client: Client,
    cluster: ClusterRef,
    service: ServiceRef,
    request: StopRequest,
    *,
    patience_s: float = ANSWER_PATIENCE_S,
) -> StopAnswer:
    """Stop the rollout in flight; it goes back to the last good revision.

    Raises:
        NotFound: there is no entity.
        Refused: nothing is in flight.
    """
    request = replace(request, reason=redact_text(request.reason))
    entity = _entity(client, cluster, service)
    return await _answer_of(entity, entity.execute_update(ServiceEntity.cancel, request), patience_s)


async def heal(client: Client, cluster: ClusterRef, service: ServiceRef, request: HealRequest) -> HealAnswer:
    """Ask the entity to put back the fields of a report, within its budget.

    Raises:
        NotFound: there is no entity.
        Held: a rollout is in flight.
    """
    entity = _entity(client, cluster, service)
    update = entity.execute_update(ServiceEntity.heal, request, id=request.request_id)
    return await _answer_of(entity, update, ANSWER_PATIENCE_S)


async def ensure_drift_schedule(
    client: Client, cluster: ClusterRef, service: ServiceRef, settings: DriftSettings, *, task_queue: str = TASK_QUEUE
) -> ScheduleOutcome:
    """Make the drift schedule what the settings say; a rollout does this itself when it succeeds."""
    try:
        return await reconcile_schedule(client, task_queue, ScheduleOrder(cluster, service, settings))
    except RPCError as error:
        raise _rpc(error) from error


def _entity(client: Client, cluster: ClusterRef, service: ServiceRef) -> WorkflowHandle[ServiceEntity, None]:
    return client.get_workflow_handle_for(ServiceEntity.run, entity_id(cluster, service))


def _rollout(client: Client, ticket: RolloutTicket) -> WorkflowHandle[Rollout, RolloutOutcome]:
    return client.get_workflow_handle_for(Rollout.run, ticket.workflow_id, run_id=ticket.run_id or None)


async def _glance(
    client: Client, handle: WorkflowHandle[Rollout, RolloutOutcome]
) -> tuple[WorkflowExecutionDescription | None, RolloutProgress | None]:
    """The rollout as Temporal and as its worker tell it; None for who does not answer now."""
    description: WorkflowExecutionDescription | None = None
    try:
        description = await handle.describe(rpc_timeout=_GLANCE)
        progress = await handle.query(Rollout.progress, rpc_timeout=_GLANCE)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise NotFound(f"there is no rollout {handle.id}") from error
        return description, None
    except (WorkflowQueryFailedError, WorkflowQueryRejectedError):
        return description, None
    for pending in description.raw_description.pending_activities:
        progress = await _with_activity(client, pending, progress)
    return description, progress


async def _with_activity(client: Client, pending: PendingActivityInfo, progress: RolloutProgress) -> RolloutProgress:
    """The progress with what the activity in hand last said: its heartbeat, and why it is tried again."""
    if pending.HasField("last_failure"):
        trouble = f"{pending.last_failure.message} (attempt {pending.attempt})"
        progress = replace(progress, trouble=trouble)
    if pending.activity_type.name == "await_layer" and pending.heartbeat_details.payloads:
        report, *_ = await client.data_converter.decode(pending.heartbeat_details.payloads, [LayerReport])
        progress = replace(progress, layers=tuple(_fresher(known, report) for known in progress.layers))
    return progress


def _fresher(known: LayerReport, heard: LayerReport) -> LayerReport:
    awaited = known.layer is heard.layer and known.state is LayerState.WAITING
    return heard if awaited else known


async def _answer_of(
    entity: WorkflowHandle[ServiceEntity, None], request: Awaitable[Answer], patience_s: float
) -> Answer:
    """The answer of an entity; silence is told apart from a worker that cannot go on."""
    try:
        return await _answered(request, patience_s)
    except Unreachable as error:
        if await _is_stuck(entity):
            raise _stuck() from error
        raise


async def _answered(request: Awaitable[Answer], patience_s: float) -> Answer:
    """The answer of an entity, or why there is none, in our own errors."""
    try:
        return await asyncio.wait_for(request, patience_s)
    except WorkflowUpdateFailedError as error:
        raise _refused(error) from error
    except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError) as error:
        raise Unreachable(_ABSENT_WORKER[0].format(patience=patience_s), remedy=_ABSENT_WORKER[1]) from error
    except WorkflowQueryFailedError as error:
        raise Unreachable(str(error), remedy=_ABSENT_WORKER[1]) from error
    except RPCError as error:
        raise _rpc(error) from error


async def _is_stuck(entity: WorkflowHandle[ServiceEntity, None]) -> bool:
    """Whether a worker is there but fails at the workflow's next step, again and again."""
    try:
        description = await entity.describe(rpc_timeout=_GLANCE)
    except RPCError:
        return False
    return _fails(description)


def _fails(description: WorkflowExecutionDescription) -> bool:
    return description.raw_description.pending_workflow_task.attempt > 1


def _stuck() -> AdapterError:
    return ServerFault(_STUCK, remedy=_STUCK_REMEDY)


def _trouble(description: WorkflowExecutionDescription | None) -> str:
    if description is None:
        return _NO_SERVER
    return f"{_STUCK} (see `controlplane service logs`)" if _fails(description) else _UNANSWERED


def _refused(error: WorkflowUpdateFailedError) -> AdapterError:
    cause: Any = error.cause
    held = getattr(cause, "type", None) == "InFlight"
    return (Held if held else Refused)(_cause(error))


def _cause(error: WorkflowUpdateFailedError | WorkflowFailureError) -> str:
    return error.cause.message if isinstance(error.cause, FailureError) else str(error.cause)


def _rpc(error: RPCError) -> AdapterError:
    if error.status is RPCStatusCode.NOT_FOUND and error.message.startswith("Namespace "):
        return Misconfigured(f"Temporal says: {error.message}", remedy="Check TEMPORAL_NAMESPACE.")
    if error.status is RPCStatusCode.NOT_FOUND:
        return NotFound(error.message)
    if error.status in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED):
        return Unreachable(f"Temporal does not answer: {error.message}", remedy="See `controlplane service status`.")
    if _FAILED_STEP in error.message:
        return _stuck()
    return ServerFault(f"Temporal answered {error.status.name}: {error.message}")
