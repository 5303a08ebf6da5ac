"""Roll one revision out: verify, apply group by group, await machines, tasks and memory, mark it good.

When a gate closes or a layer's time is up, go back to the last good revision: apply its objects, remove what only the
failed revision created, await its health, and say which layer stopped what. Without a last good revision nothing is
undone: the objects are left for whoever looks into it, and the outcome says so. A return that fails says so too.

Started as a child of the service's entity, which is the lock: two rollouts of a service never run side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from controlplane.workflows.board import Board
    from controlplane.workflows.gates import GateClosed, layer_failure, timed_out, told
    from controlplane.workflows.messages import (
        Layer,
        LayerReport,
        LayerState,
        Mark,
        ObjectKey,
        OnFailure,
        Phase,
        PlannedObject,
        Result,
        RevisionRef,
        RolloutOutcome,
        RolloutProgress,
        RolloutRequest,
        StopRequest,
    )
    from controlplane.workflows.patience import read_options, wait_options, write_options
    from controlplane.workflows.ports import (
        ClusterPorts,
        DeletionOrder,
        GroupOrder,
        LayerQuery,
        MarkOrder,
        RemovalOrder,
        RevisionQuery,
        ScheduleOrder,
        StoredRevision,
        TemporalPorts,
    )

Order = TypeVar("Order")
Answer = TypeVar("Answer")

_PASSING = (LayerState.HEALTHY, LayerState.NOT_APPLICABLE)
_STEPS_BESIDES_GROUPS = 2 + len(Layer)
"""Verify, one step for each layer, and the mark."""


@workflow.defn
class Rollout:
    """One rollout of one plan."""

    @workflow.init
    def __init__(self, request: RolloutRequest) -> None:
        self._request = request
        self._board = Board(request, workflow.now().timestamp())
        self._stop: StopRequest | None = None
        self._last_good = StoredRevision()
        self._touched = False
        self._notes: list[str] = []
        self._reads = read_options(request.timeouts.api_s)
        self._writes = write_options(request.timeouts.api_s)

    @workflow.run
    async def run(self, _request: RolloutRequest) -> RolloutOutcome:
        """Roll out, and go back when that fails; always ends with an outcome."""
        closed = await self._attempt()
        if closed is None:
            outcome = self._outcome(Result.OK)
        else:
            self._board.failure = str(closed)
            outcome = await _shielded(self._after(closed))
        self._board.begin(Phase.DONE, outcome.result.value)
        return outcome

    @workflow.query
    def progress(self) -> RolloutProgress:
        """The rollout as it stands."""
        return self._board.progress()

    @workflow.signal
    def stop(self, request: StopRequest) -> None:
        """End the rollout and go back; ignored once it is going back."""
        self._stop = self._stop or request

    async def _attempt(self) -> GateClosed | None:
        """Go forward until done, a gate closes, or somebody stops it; returns what stopped it."""
        forward = asyncio.ensure_future(self._forward())
        try:
            await workflow.wait_condition(lambda: forward.done() or self._stop is not None)
        except asyncio.CancelledError:
            self._stop = self._stop or StopRequest("a Temporal operator", "the workflow was cancelled")
        if not forward.done():
            forward.cancel()
        try:
            await forward
        except GateClosed as closed:
            # A wait that ran out while it was told to stop was stopped.
            return closed if self._stop is None else self._stopped()
        except (asyncio.CancelledError, ActivityError) as error:
            if not is_cancelled_exception(error):
                raise
            return self._stopped()
        return None

    def _stopped(self) -> GateClosed:
        stop = self._stop or StopRequest("somebody")
        why = f": {stop.reason}" if stop.reason else ""
        return GateClosed(self._board.step or self._board.phase, f"stopped by {stop.actor}{why}", cancelled=True)

    async def _forward(self) -> None:
        request = self._request
        groups = await self._verify()
        self._board.steps_total = len(groups) + _STEPS_BESIDES_GROUPS
        self._board.step_done()
        for group in groups:
            self._go_on()
            await self._apply(Phase.APPLY, request.revision, group, request.planned)
            self._board.step_done()
        for layer in Layer:
            self._go_on()
            await self._await_healthy(Phase.HEALTH, request.revision, layer)
            self._board.step_done()
        self._go_on()
        await self._finish()
        self._board.step_done()

    def _go_on(self) -> None:
        """Stop between two steps too: a task whose activity has just finished may not notice that it was cancelled.

        Reasoned from one run in which a stop had no effect until the layer's time was up; it was not reproduced.
        """
        if self._stop is not None:
            raise self._stopped()

    async def _verify(self) -> tuple[str, ...]:
        self._board.begin(Phase.VERIFY, "plan")
        request = self._request
        query = RevisionQuery(request.cluster, request.service, besides=request.revision)
        verified = await _ask("plan", ClusterPorts.verify_plan, request, self._reads)
        self._last_good = await _ask("plan", ClusterPorts.last_good, query, self._reads)
        return verified.groups

    async def _apply(
        self,
        phase: Phase,
        revision: RevisionRef,
        group: str,
        planned: tuple[PlannedObject, ...] | None,
        replaceable: tuple[ObjectKey, ...] = (),
    ) -> None:
        self._board.begin(phase, group)
        self._touched = True
        order = GroupOrder(self._request.cluster, self._request.service, revision, group, planned, replaceable)
        done = await _ask(f"applying {group}", ClusterPorts.apply_group, order, self._writes)
        self._board.record(done.objects)

    async def _await_healthy(self, phase: Phase, revision: RevisionRef, layer: Layer) -> None:
        self._board.begin(phase, layer.value)
        self._board.show(LayerReport(layer, LayerState.WAITING))
        timeout_s = self._request.timeouts.of(layer)
        report = await self._layer(self._query(revision, layer))
        self._board.show(report)
        if report.state not in _PASSING:
            raise GateClosed(layer.value, layer_failure(report, timeout_s))

    def _query(self, revision: RevisionRef, layer: Layer) -> LayerQuery:
        request = self._request
        return LayerQuery(request.cluster, request.service, revision, layer, room_s=request.timeouts.room_s)

    async def _layer(self, query: LayerQuery) -> LayerReport:
        options = wait_options(self._request.timeouts.of(query.layer))
        try:
            return await workflow.execute_activity_method(ClusterPorts.await_layer, query, **options)
        except ActivityError as error:
            if not timed_out(error):
                raise _closed(query.layer.value, error) from error
        # The time-out may only mean that no worker was awake to see the layer become healthy: look before giving up.
        report = await _ask(query.layer.value, ClusterPorts.look_at_layer, query, self._reads)
        return replace(report, state=LayerState.TIMED_OUT) if report.state is LayerState.WAITING else report

    async def _finish(self) -> None:
        """Delete what the plan deletes, mark the revision good, and watch it."""
        request = self._request
        self._board.begin(Phase.FINISH, "mark")
        deletions = tuple(p for p in request.planned or () if p.delete)
        if deletions:
            order = DeletionOrder(request.cluster, request.service, deletions)
            gone = await _ask("deleting what the plan deletes", ClusterPorts.delete_planned, order, self._writes)
            self._board.record(gone.objects)
        mark = MarkOrder(request.cluster, request.service, request.revision, Mark.GOOD)
        await _ask("marking the revision good", ClusterPorts.mark_revision, mark, self._writes)
        await self._watch()

    async def _watch(self) -> None:
        """A service that cannot be watched is rolled out all the same; the outcome says so."""
        order = ScheduleOrder(self._request.cluster, self._request.service, self._request.drift)
        try:
            await _ask("watching", TemporalPorts.set_drift_schedule, order, read_options(0))
        except GateClosed as unwatched:
            self._notes.append(f"the drift schedule could not be set: {unwatched.reason}")

    async def _after(self, closed: GateClosed) -> RolloutOutcome:
        """What follows a closed gate: nothing, or the return."""
        if not self._touched:
            return self._outcome(Result.CANCELLED if closed.cancelled else Result.FAILED, closed)
        obstacle = self._obstacle()
        if not obstacle:
            obstacle = await self._return()
        if not self._last_good.asked_is_newest:
            await self._mark(Mark.FAILED if obstacle else Mark.RETURNED)
        if obstacle:
            as_it_was = closed.cancelled and self._last_good.asked_is_newest
            return self._outcome(Result.CANCELLED if as_it_was else Result.FAILED, closed, return_failure=obstacle)
        result = Result.CANCELLED if closed.cancelled else Result.RETURNED
        return self._outcome(result, closed, returned_to=self._last_good.revision)

    def _obstacle(self) -> str:
        if self._request.on_failure is OnFailure.STOP:
            return "not returned, because the rollout policy says stop; the objects are left as they are"
        if self._last_good.asked_is_newest:
            # A node that is away while only settings changed must not bring yesterday's model back.
            return f"{self._request.revision} was the good one already, so no older one is brought back"
        if not self._last_good.revision.number:
            return "no revision of this service was ever good, so there is nothing to return to; the objects are left"
        return ""

    async def _return(self) -> str:
        """Go back to the last good revision; returns why that failed, or nothing."""
        target = self._last_good.revision
        self._board.returning_to = target
        self._board.reset_layers()
        try:
            for group in self._last_good.groups:
                await self._apply(Phase.RETURN, target, group, None, self._board.replaced())
            await self._remove_created()
            for layer in Layer:
                await self._await_healthy(Phase.RETURN, target, layer)
        except GateClosed as closed:
            return f"the return to {target} failed too, at {closed}"
        return ""

    async def _remove_created(self) -> None:
        step = "removing what only the failed revision has"
        self._board.begin(Phase.RETURN, step)
        request, kept = self._request, self._last_good.revision
        order = RemovalOrder(request.cluster, request.service, request.revision, kept, self._board.created())
        gone = await _ask(step, ClusterPorts.remove_created, order, self._writes)
        self._board.record(gone.objects)

    async def _mark(self, mark: Mark) -> None:
        request = self._request
        order = MarkOrder(request.cluster, request.service, request.revision, mark)
        try:
            await _ask("marking", ClusterPorts.mark_revision, order, self._writes)
        except GateClosed as unmarked:
            self._notes.append(f"the revision could not be marked {mark}: {unmarked.reason}")

    def _outcome(
        self,
        result: Result,
        closed: GateClosed | None = None,
        *,
        returned_to: RevisionRef | None = None,
        return_failure: str = "",
    ) -> RolloutOutcome:
        return RolloutOutcome(
            result=result,
            revision=self._request.revision,
            stopped_at=closed.stopped_at if closed else "",
            reason=closed.reason if closed else "",
            returned_to=returned_to,
            return_failure=return_failure,
            written=self._board.written,
            notes=tuple(self._notes),
            started_at=self._board.progress().started_at,
            finished_at=workflow.now().timestamp(),
        )


async def _ask(
    what: str, method: Callable[[Any, Order], Awaitable[Answer]], order: Order, options: workflow.ActivityConfig
) -> Answer:
    """Run an activity; its failure closes the gate at `what`."""
    try:
        return await workflow.execute_activity_method(method, order, **options)
    except ActivityError as error:
        raise _closed(what, error) from error


def _closed(stopped_at: str, error: ActivityError) -> GateClosed:
    """The gate that a failed activity closes; a cancellation is passed on instead."""
    if is_cancelled_exception(error):
        raise error
    return GateClosed(stopped_at, told(error))


async def _shielded(work: Coroutine[None, None, RolloutOutcome]) -> RolloutOutcome:
    """Finish the work even when the workflow is cancelled meanwhile: half a return helps nobody."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
    return task.result()
