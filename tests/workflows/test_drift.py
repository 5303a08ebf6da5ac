"""Drift checks and the schedules that start them."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio.client import ScheduleOverlapPolicy
from temporalio.service import RPCError

from controlplane.workflows import client as commands
from controlplane.workflows.drift import DriftCheck, DriftCheckResult
from controlplane.workflows.messages import DriftMode, DriftSettings, Result
from controlplane.workflows.names import schedule_id
from controlplane.workflows.ports import DriftCheckInput
from tests.workflows.scenes import play, world_with
from tests.workflows.simulated import NEVER, revision_of
from tests.workflows.stage import SERVICE, Stage

EVERY_MINUTE = DriftSettings(DriftMode.ENFORCE, interval_s=60)


async def check(stage: Stage, mode: DriftMode) -> DriftCheckResult:
    """One check."""
    asked = DriftCheckInput(stage.cluster, SERVICE, mode)
    return await stage.client.execute_workflow(
        DriftCheck.run, asked, id=f"check-{uuid.uuid4()}", task_queue=stage.queue
    )


def test_mode_warn_reports_and_writes_nothing(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        world.live["chat"] = "edited"
        found = await check(stage, DriftMode.WARN)
        assert (found.report.total, found.handled) == (1, "reported")
        last = (await stage.state()).last_drift
        assert last is not None
        assert (last.revision, last.total, last.fields[0].path) == (revision_of(1), 1, "data.value")

    play(temporal_address, world, scene)
    assert world.live["chat"] == "edited"


def test_mode_enforce_heals_through_the_entity(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        world.live["chat"] = "edited"
        assert (await check(stage, DriftMode.ENFORCE)).handled == "healed 1 objects"
        state = await stage.state()
        assert state.heals == 1
        assert state.last_drift is not None
        assert state.last_drift.handled == "healed 1 objects"

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v1"


def test_no_drift_is_reported_too(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        assert (await check(stage, DriftMode.ENFORCE)).handled == "nothing to do"
        last = (await stage.state()).last_drift
        assert last is not None
        assert last.total == 0

    play(temporal_address, world, scene)
    assert "heal" not in world.calls


def test_a_check_that_fails_is_told_to_the_service_and_is_not_taken_for_no_drift(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        world.refuses_checks = "not allowed to read Deployments"
        found = await check(stage, DriftMode.ENFORCE)
        assert found.report.total == 0
        last = (await stage.state()).last_drift
        assert last is not None
        assert "not allowed to read Deployments" in last.handled

    play(temporal_address, world, scene)
    assert "heal" not in world.calls


def test_what_is_seen_in_mid_rollout_is_not_drift_and_is_not_healed(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        request = stage.request(2)
        ticket = await stage.start(replace(request, timeouts=replace(request.timeouts, machines_s=60)))
        async for progress in commands.follow(stage.client, ticket, every_s=0.05):
            if progress.layers[0].detail == "still starting":
                found = await check(stage, DriftMode.ENFORCE)
                assert found.report.total > 0
                assert found.handled.startswith("not healed: llm/chat is held by a rollout of revision 2")
                assert (await stage.state()).last_drift is None
                world.revisions[2]["health"] = {}
        assert (await commands.outcome(stage.client, ticket)).result is Result.OK

    play(temporal_address, world, scene)
    assert "heal" not in world.calls


def test_a_check_without_an_entity_says_so(temporal_address: str) -> None:
    world = world_with()
    world.revisions[1]["mark"] = "good"

    async def scene(stage: Stage) -> None:
        warned = await check(stage, DriftMode.WARN)
        assert warned.handled == "reported, but the service's entity does not run"
        enforced = await check(stage, DriftMode.ENFORCE)
        assert enforced.handled == "the service's entity does not run; apply the service to start it"

    play(temporal_address, world, scene)


def test_each_good_rollout_makes_the_schedule_what_its_settings_say(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        handle = stage.client.get_schedule_handle(schedule_id(stage.cluster, SERVICE))
        await stage.roll_out(1, drift=EVERY_MINUTE)
        made = (await handle.describe()).schedule
        assert made.policy.overlap is ScheduleOverlapPolicy.SKIP
        assert made.policy.catchup_window == timedelta(seconds=60)
        assert made.spec.jitter == timedelta(seconds=6)
        await handle.pause(note="maintenance")
        await stage.roll_out(2, drift=replace(EVERY_MINUTE, interval_s=120))
        changed = (await handle.describe()).schedule
        assert changed.spec.intervals[0].every == timedelta(seconds=120)
        assert (changed.state.paused, changed.state.note) == (True, "maintenance")
        await stage.roll_out(1, drift=replace(EVERY_MINUTE, mode=DriftMode.OFF))
        with pytest.raises(RPCError, match="not found"):
            await handle.describe()
        again = await commands.ensure_drift_schedule(
            stage.client, stage.cluster, SERVICE, DriftSettings(DriftMode.OFF), task_queue=stage.queue
        )
        assert again.action == "absent"

    play(temporal_address, world, scene)


def test_the_schedule_finds_and_heals_by_itself(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1, drift=replace(EVERY_MINUTE, interval_s=1))
        world.live["chat"] = "edited"
        while world.live["chat"] == "edited":
            await stage.state()
        off = DriftSettings(DriftMode.OFF)
        await commands.ensure_drift_schedule(stage.client, stage.cluster, SERVICE, off, task_queue=stage.queue)

    play(temporal_address, world, scene)
    assert world.writes_of("chat") == ["v1", "v1"]
