"""Recorded histories replay on the workflows of today: what is in flight somewhere survives an upgrade."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner
from temporalio.workflow import NondeterminismError

from controlplane.workflows.messages import RolloutOutcome, RolloutRequest
from controlplane.workflows.rollout import Rollout
from controlplane.workflows.worker import WORKFLOWS, sandboxed_runner
from tests.workflows.record_histories import FOLDER, SCENES
from tests.workflows.scenes import world_with
from tests.workflows.stage import staged

ENDS = {
    "rollout-rolled-out": ["ok"],
    "rollout-returned": ["ok", "returned"],
    "rollout-timed-out": ["ok", "returned"],
    "rollout-cancelled": ["ok", "cancelled"],
    "rollout-nothing-to-return-to": ["failed"],
    "service-entity": ["ok", "returned", "ok"],
    "drift-check-healed": ["ok"],
}
"""How the rollouts of each scene end."""

HISTORIES = sorted(FOLDER.glob("*.json"))


def history_of(path: Path) -> WorkflowHistory:
    """A recorded history."""
    recorded: dict[str, Any] = json.loads(path.read_text())
    return WorkflowHistory.from_json(recorded.pop("workflow_id"), recorded)


def replay(history: WorkflowHistory) -> None:
    """Replay on the real workflows, in the sandbox."""
    replayer = Replayer(workflows=WORKFLOWS, workflow_runner=sandboxed_runner())
    asyncio.run(replayer.replay_workflow(history))


def test_every_scene_has_a_recorded_history() -> None:
    assert {path.stem for path in HISTORIES} >= set(SCENES)


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_a_recorded_history_replays(path: Path) -> None:
    replay(history_of(path))


@pytest.mark.parametrize("scene", sorted(SCENES))
def test_workflows_that_are_replayed_at_every_step_end_the_same(temporal_address: str, scene: str) -> None:
    """Without a cache each workflow task replays the whole history: what is not deterministic fails here."""

    async def performance() -> list[str]:
        async with staged(temporal_address, world_with(), cached_workflows=0) as stage:
            await SCENES[scene](stage)
            return [entry.outcome.result.value for entry in (await stage.settled()).history]

    assert asyncio.run(performance()) == ENDS[scene]


@workflow.defn(name="Rollout")
class RolloutWithoutVerification(Rollout):
    """The rollout as a careless change would leave it: broken on purpose."""

    @workflow.init
    def __init__(self, request: RolloutRequest) -> None:
        super().__init__(request)

    @workflow.run
    async def run(self, _request: RolloutRequest) -> RolloutOutcome:
        """The same, but the plan is not verified."""
        return await super().run(_request)

    async def _verify(self) -> tuple[str, ...]:
        return ("needs", "workload", "watches")


def test_a_careless_change_of_a_workflow_is_noticed() -> None:
    replayer = Replayer(workflows=[RolloutWithoutVerification], workflow_runner=UnsandboxedWorkflowRunner())
    history = history_of(FOLDER / "rollout-rolled-out.json")
    with pytest.raises(NondeterminismError):
        asyncio.run(replayer.replay_workflow(history))


def test_a_history_with_another_order_of_activities_is_noticed() -> None:
    recorded = (FOLDER / "rollout-returned.json").read_text()
    swapped = recorded.replace('"apply_group"', '"mark_revision"')
    assert swapped != recorded
    kept = json.loads(swapped)
    with pytest.raises(NondeterminismError):
        replay(WorkflowHistory.from_json(kept.pop("workflow_id"), kept))
