"""The entity of one ModelService: its lock and its memory.

Whoever wants to change the service asks here. One rollout at a time: the same plan or revision again is joined,
another is refused with who holds the service since when. Heals are refused while a rollout runs.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from temporalio import workflow
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    ChildWorkflowError,
    FailureError,
    WorkflowAlreadyStartedError,
)

with workflow.unsafe.imports_passed_through():
    from controlplane.workflows.gates import told
    from controlplane.workflows.messages import (
        NO_REVISION,
        DriftSummary,
        Handled,
        HealAnswer,
        HealRequest,
        HistoryEntry,
        InFlight,
        Result,
        RolloutOutcome,
        RolloutRequest,
        RolloutTicket,
        ServiceState,
        StopAnswer,
        StopRequest,
    )
    from controlplane.workflows.names import rollout_id
    from controlplane.workflows.patience import write_options
    from controlplane.workflows.ports import ClusterPorts, HealOrder

from controlplane.workflows.rollout import Rollout

HISTORY_KEPT = 20
"""Finished rollouts that an entity remembers; the revisions themselves are in the cluster."""
HANDLED_KEPT = 200
"""Request ids that are still recognised after continuing as new."""

IN_FLIGHT = "InFlight"
"""The error type of a request that is refused because a rollout holds the service."""
NOTHING_IN_FLIGHT = "NothingInFlight"
"""The error type of a stop without a rollout."""


@workflow.defn(name="ModelService")
class ServiceEntity:
    """Remembers one service and serialises what happens to it."""

    @workflow.init
    def __init__(self, state: ServiceState) -> None:
        self._state = state
        # Held across every await that lies between reading the state and writing it: other handlers run meanwhile.
        self._lock = asyncio.Lock()
        self._follower: asyncio.Task[None] | None = None

    @workflow.run
    async def run(self, _state: ServiceState) -> None:
        """Serve until the history is long, then carry the whole state into a new run.

        A child would not be carried over (Temporal detaches it from the new run), so only an idle entity continues,
        and nothing may be awaited between the condition and continuing: no handler can slip in.
        """
        await workflow.wait_condition(self._may_continue_as_new)
        workflow.continue_as_new(replace(self._state, runs=self._state.runs + 1))

    def _may_continue_as_new(self) -> bool:
        idle = self._state.in_flight is None and workflow.all_handlers_finished()
        return idle and workflow.info().is_continue_as_new_suggested()

    @workflow.query
    def state(self) -> ServiceState:
        """Everything that is remembered."""
        return self._state

    @workflow.update
    async def roll_out(self, request: RolloutRequest) -> RolloutTicket:
        """Start a rollout, or join it when it is in flight; returns as soon as it runs."""
        async with self._lock:
            known = self._known(request)
            if known is not None:
                return known
            self._refuse_while_held(request)
            return await self._start(request)

    @roll_out.validator
    def _may_roll_out(self, request: RolloutRequest) -> None:
        if self._known(request) is None:
            self._refuse_while_held(request)

    @workflow.update
    async def cancel(self, request: StopRequest) -> StopAnswer:
        """Stop the rollout in flight; it goes back and ends by itself."""
        flight = self._flight()
        await workflow.get_external_workflow_handle_for(Rollout.run, flight.workflow_id).signal(Rollout.stop, request)
        return StopAnswer(flight.workflow_id)

    @cancel.validator
    def _may_cancel(self, request: StopRequest) -> None:  # noqa: ARG002  a validator has its update's signature
        self._flight()

    @workflow.update
    async def heal(self, request: HealRequest) -> HealAnswer:
        """Put back the reported fields, within the budget."""
        async with self._lock:
            refusal = self._heal_refusal(request)
            if refusal:
                self._note_drift(f"not healed: {refusal}")
                return HealAnswer(refusal=refusal)
            return await self._heal(request)

    @heal.validator
    def _may_heal(self, request: HealRequest) -> None:  # noqa: ARG002  a validator has its update's signature
        if self._state.in_flight is not None:
            raise ApplicationError(f"not healed: {_holder(self._state.in_flight)}", type=IN_FLIGHT)

    @workflow.signal
    def drift_checked(self, summary: DriftSummary) -> None:
        """Remember what a check found. What it saw of another revision, or in mid-rollout, is not drift."""
        state = self._state
        known = state.revision.number == 0 or summary.revision in (NO_REVISION, state.revision)
        current = state.in_flight is None and known
        self._state = replace(
            state,
            drift_reports=state.drift_reports + 1,
            last_drift=summary if current else state.last_drift,
        )

    def _known(self, request: RolloutRequest) -> RolloutTicket | None:
        """The ticket of a request that was handled before, or whose plan or revision is being rolled out."""
        for handled in self._state.handled:
            if handled.request_id == request.request_id:
                return replace(handled.ticket, joined=True)
        flight = self._state.in_flight
        if flight is not None and _same_wish(flight.request, request):
            return RolloutTicket(flight.workflow_id, flight.run_id, joined=True)
        return None

    def _refuse_while_held(self, request: RolloutRequest) -> None:
        flight = self._state.in_flight
        if flight is not None:
            raise ApplicationError(
                f"{_holder(flight)}; {request.revision} was not started. "
                "Follow it with status, or end it with cancel.",
                type=IN_FLIGHT,
            )

    def _flight(self) -> InFlight:
        flight = self._state.in_flight
        if flight is None:
            raise ApplicationError(
                f"no rollout of {self._state.service} is in flight, so there is nothing to cancel",
                type=NOTHING_IN_FLIGHT,
            )
        return flight

    async def _start(self, request: RolloutRequest) -> RolloutTicket:
        workflow_id = rollout_id(request)
        flight = InFlight(request, workflow_id, workflow.now().timestamp())
        # The newest request says how the cluster is reached now; later heals use it.
        self._state = replace(self._state, in_flight=flight, cluster=request.cluster)
        try:
            child = await workflow.start_child_workflow(
                Rollout.run,
                request,
                id=workflow_id,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                # Should somebody terminate the entity, the rollout still ends in a known state.
                parent_close_policy=workflow.ParentClosePolicy.ABANDON,
            )
        except WorkflowAlreadyStartedError as error:
            self._state = replace(self._state, in_flight=None)
            raise ApplicationError(
                f"a rollout of this plan runs already as {workflow_id}, started by an entity that has ended",
                type=IN_FLIGHT,
            ) from error
        ticket = RolloutTicket(workflow_id, child.first_execution_run_id or "")
        handled = (*self._state.handled, Handled(request.request_id, ticket))[-HANDLED_KEPT:]
        self._state = replace(self._state, in_flight=replace(flight, run_id=ticket.run_id), handled=handled)
        self._follower = asyncio.create_task(self._follow(child, flight))
        return ticket

    async def _follow(self, child: workflow.ChildWorkflowHandle[Rollout, RolloutOutcome], flight: InFlight) -> None:
        try:
            outcome = await child
        except ChildWorkflowError as error:
            outcome = _broken(flight, error)
        self._settle(flight, outcome)

    def _settle(self, flight: InFlight, outcome: RolloutOutcome) -> None:
        request = flight.request
        entry = HistoryEntry(
            request.revision,
            request.plan_digest,
            request.author,
            request.reason,
            outcome,
            flight.workflow_id,
        )
        state = replace(self._state, in_flight=None, history=(*self._state.history, entry)[-HISTORY_KEPT:])
        if outcome.result is Result.OK:
            state = replace(state, revision=request.revision, drift=request.drift, last_drift=None)
        elif outcome.returned_to:
            state = replace(state, revision=outcome.returned_to)
        self._state = state

    def _heal_refusal(self, request: HealRequest) -> str:
        if self._state.in_flight is not None:
            return _holder(self._state.in_flight)
        wanted = self._state.revision
        if wanted.number and request.report.revision != wanted:
            return f"the report is about {request.report.revision}, but {wanted} is current"
        settings = self._state.drift
        if len(self._recent_heals()) >= settings.heals:
            return (
                f"{settings.heals} heals in {settings.window_s:g} s are the budget, and it is spent: "
                f"something keeps changing {_managers(request)}"
            )
        return ""

    def _recent_heals(self) -> tuple[float, ...]:
        since = (workflow.now() - timedelta(seconds=self._state.drift.window_s)).timestamp()
        return tuple(at for at in self._state.heal_times if at > since)

    async def _heal(self, request: HealRequest) -> HealAnswer:
        state = self._state
        order = HealOrder(state.cluster, state.service, request.report)
        # Spent before it is tried: a heal that fails half-way has still been a write.
        times = (*self._recent_heals(), workflow.now().timestamp())
        self._state = replace(self._state, heal_times=times, heals=state.heals + 1)
        try:
            done = await workflow.execute_activity_method(ClusterPorts.heal, order, **write_options(60))
        except ActivityError as error:
            self._note_drift(f"healing failed: {told(error)}")
            return HealAnswer(refusal=told(error))
        self._note_drift(f"healed {len(done.objects)} objects")
        return HealAnswer(healed=done.objects)

    def _note_drift(self, handled: str) -> None:
        if self._state.last_drift is not None:
            self._state = replace(self._state, last_drift=replace(self._state.last_drift, handled=handled))


def _same_wish(one: RolloutRequest, other: RolloutRequest) -> bool:
    """The same plan, or the same revision to be rolled out and kept in the same way."""
    if one.plan_digest == other.plan_digest:
        return True
    ways = [(r.revision, r.timeouts, r.on_failure, r.drift) for r in (one, other)]
    return ways[0] == ways[1]


def _holder(flight: InFlight) -> str:
    since = datetime.fromtimestamp(flight.since, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return (
        f"{flight.request.service} is held by a rollout of {flight.request.revision}, "
        f"started by {flight.request.author} at {since}"
    )


def _managers(request: HealRequest) -> str:
    fields = request.report.fields
    owners = sorted({owner for f in fields for owner in f.owners})
    what = fields[0].path if fields else "it"
    return f"{what} ({', '.join(owners)})" if owners else what


def _broken(flight: InFlight, error: ChildWorkflowError) -> RolloutOutcome:
    """The outcome of a rollout workflow that ended without one: terminated, or failed by a fault of ours."""
    cause = error.cause.message if isinstance(error.cause, FailureError) else error.message
    return RolloutOutcome(
        Result.FAILED,
        flight.request.revision,
        stopped_at="the rollout workflow",
        reason=f"it ended without an outcome: {cause}",
        return_failure="nothing was returned; the objects are as it left them",
        started_at=flight.since,
        finished_at=workflow.now().timestamp(),
    )
