"""The drift schedule of a service, made to be what its settings say each time a rollout succeeds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleState,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.service import RPCError, RPCStatusCode

from controlplane.workflows.drift import DriftCheck
from controlplane.workflows.messages import DriftMode
from controlplane.workflows.names import drift_check_id, schedule_id
from controlplane.workflows.ports import DriftCheckInput, ScheduleOrder, ScheduleOutcome

_SHORTEST_CATCH_UP = timedelta(seconds=10)
"""The server (1.32) takes nothing shorter."""
_MOST_JITTER_S = 30.0


async def reconcile_schedule(client: Client, task_queue: str, order: ScheduleOrder) -> ScheduleOutcome:
    """Create, change or delete the schedule; returns which."""
    name = schedule_id(order.cluster, order.service)
    if order.settings.mode is DriftMode.OFF:
        return ScheduleOutcome(name, "deleted" if await _delete(client, name) else "absent")
    wanted = _schedule(order, task_queue)
    try:
        await client.create_schedule(name, wanted)
    except ScheduleAlreadyRunningError:
        await client.get_schedule_handle(name).update(lambda found: _changed(found, wanted))
        return ScheduleOutcome(name, "updated")
    return ScheduleOutcome(name, "created")


def _schedule(order: ScheduleOrder, task_queue: str) -> Schedule:
    interval = timedelta(seconds=order.settings.interval_s)
    check = DriftCheckInput(order.cluster, order.service, order.settings.mode)
    return Schedule(
        action=ScheduleActionStartWorkflow(
            DriftCheck.run,
            check,
            id=drift_check_id(order.cluster, order.service),
            task_queue=task_queue,
        ),
        spec=ScheduleSpec(
            intervals=[ScheduleIntervalSpec(every=interval)],
            jitter=timedelta(seconds=min(order.settings.interval_s / 10, _MOST_JITTER_S)),
        ),
        # A check that was missed is worth nothing later: the next one sees the same. The default window is a year.
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=max(interval, _SHORTEST_CATCH_UP)),
    )


def _changed(found: ScheduleUpdateInput, wanted: Schedule) -> ScheduleUpdate:
    """The wanted schedule in place of the found one; whether somebody paused it, and why, is theirs to say."""
    state: ScheduleState = found.description.schedule.state
    return ScheduleUpdate(schedule=replace(wanted, state=state))


async def _delete(client: Client, name: str) -> bool:
    try:
        await client.get_schedule_handle(name).delete()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise
    return True
