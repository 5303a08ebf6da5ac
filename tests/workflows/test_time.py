"""What takes hours, on Temporal's time-skipping test server."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from temporalio.testing import WorkflowEnvironment

from controlplane.workflows import client as commands
from controlplane.workflows.messages import DriftReport, FieldDrift, HealRequest
from controlplane.workflows.temporal_activities import TemporalActivities
from controlplane.workflows.worker import make_worker
from tests.workflows.scenes import world_with
from tests.workflows.simulated import SimulatedCluster, World, key_of, revision_of
from tests.workflows.stage import SERVICE, Stage


def play(world: World, scene: Callable[[Stage, WorkflowEnvironment], Awaitable[None]]) -> None:
    """Run a scene where an hour takes no time."""
    program = shutil.which("temporal-test-server", path=str(Path(sys.executable).parent))

    async def performance() -> None:
        async with await WorkflowEnvironment.start_time_skipping(test_server_existing_path=program) as environment:
            stage = Stage(environment.client, world)
            activities = TemporalActivities(environment.client, stage.queue)
            async with make_worker(environment.client, SimulatedCluster(world), activities, stage.queue):
                await scene(stage, environment)

    asyncio.run(performance())


def test_the_heal_budget_comes_back_when_its_window_has_passed() -> None:
    world = world_with()
    report = DriftReport(revision_of(1), (FieldDrift(key_of("chat"), "data.value", "changed", ("hand",)),), 1)

    async def scene(stage: Stage, environment: WorkflowEnvironment) -> None:
        request = stage.request(1)
        await stage.roll_out(1, drift=replace(request.drift, heals=1, window_s=3600))
        answers = []
        for number in range(3):
            world.live["chat"] = "edited"
            wish = HealRequest(f"heal-{number}", report)
            answers.append(await commands.heal(stage.client, stage.cluster, SERVICE, wish))
            if number == 1:
                await environment.sleep(timedelta(seconds=3601))
        assert [bool(a.healed) for a in answers] == [True, False, True]

    play(world, scene)
