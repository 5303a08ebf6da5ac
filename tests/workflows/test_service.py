"""The entity of a service: the lock, the memory, and what it refuses."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from controlplane.adapters.errors import Refused, Unreachable
from controlplane.workflows import client as commands
from controlplane.workflows.client import Held
from controlplane.workflows.messages import (
    DriftMode,
    DriftReport,
    DriftSettings,
    DriftSummary,
    FieldDrift,
    HealRequest,
    HistoryEntry,
    Phase,
    Result,
    RolloutOutcome,
    RolloutProgress,
    RolloutTicket,
    ServiceState,
    StopRequest,
    Timeouts,
)
from controlplane.workflows.names import entity_id
from controlplane.workflows.service import ServiceEntity
from tests.workflows.scenes import play, world_with
from tests.workflows.simulated import HEALTHY, NEVER, key_of, revision_of
from tests.workflows.stage import SERVICE, Stage

PATIENT = Timeouts(machines_s=60, tasks_s=60, memory_s=60, api_s=0)


async def reaches(stage: Stage, ticket: RolloutTicket, phase: Phase) -> RolloutProgress:
    """The progress once a rollout is in this phase."""
    async for progress in commands.follow(stage.client, ticket, every_s=0.05):
        if progress.phase is phase:
            return progress
    raise AssertionError(f"the rollout ended without being in phase {phase}")


def heal_request(revision: int, name: str = "heal") -> HealRequest:
    """A request to heal the object `chat`."""
    drift = FieldDrift(key_of("chat"), "data.value", "changed", ("kubectl-edit",))
    return HealRequest(name, DriftReport(revision_of(revision), (drift,), 1))


def test_the_same_request_twice_is_one_rollout(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        request = stage.request(1)
        tickets = [await stage.start(request) for _ in range(3)]
        assert {t.workflow_id for t in tickets} == {tickets[0].workflow_id}
        await commands.outcome(stage.client, tickets[0])
        assert len((await stage.settled()).history) == 1

    play(temporal_address, world, scene)
    assert world.writes_of("chat") == ["v1"]


def test_another_request_for_the_plan_in_flight_joins_it(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        request = stage.request(2, timeouts=PATIENT)
        first = await stage.start(request)
        second = await stage.start(replace(request, request_id="another wish", author="grace"))
        assert second == replace(first, joined=True)
        world.revisions[2]["health"] = {}
        assert (await commands.outcome(stage.client, first)).result is Result.OK

    play(temporal_address, world, scene)


def test_the_revision_in_flight_is_joined_only_by_who_wants_it_kept_in_the_same_way(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        request = stage.request(2, timeouts=PATIENT)
        first = await stage.start(request)
        again = replace(request, request_id="planned again", plan_digest="another plan")
        assert (await stage.start(again)).joined
        otherwise = replace(again, request_id="watched", drift=DriftSettings(mode=DriftMode.ENFORCE))
        with pytest.raises(Held):
            await stage.start(otherwise)
        world.revisions[2]["health"] = {}
        assert (await commands.outcome(stage.client, first)).result is Result.OK

    play(temporal_address, world, scene)


def test_another_plan_is_refused_with_who_holds_the_service(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        ticket = await stage.start(stage.request(2, timeouts=PATIENT))
        with pytest.raises(Held, match=r"llm/chat is held by a rollout of revision 2, started by ada at 20"):
            await stage.start(stage.request(1))
        world.revisions[2]["health"] = {}
        await commands.outcome(stage.client, ticket)
        await stage.settled()
        assert (await stage.roll_out(1)).result is Result.OK

    play(temporal_address, world, scene)


def test_a_plan_that_failed_may_be_tried_again(temporal_address: str) -> None:
    world = world_with({"machines": "no node fits"})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        request = stage.request(2)
        ticket = await stage.start(request)
        assert (await commands.outcome(stage.client, ticket)).result is Result.RETURNED
        await stage.settled()
        world.revisions[2]["health"] = {}
        again = await stage.start(replace(request, request_id="second wish"))
        assert not again.joined
        assert again.run_id != ticket.run_id
        assert (await commands.outcome(stage.client, again)).result is Result.OK

    play(temporal_address, world, scene)


def test_cancel_goes_back_and_says_who_stopped_it(temporal_address: str) -> None:
    world = world_with({"tasks": NEVER})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        ticket = await stage.start(stage.request(2, timeouts=PATIENT))
        await reaches(stage, ticket, Phase.HEALTH)
        await commands.cancel(stage.client, stage.cluster, SERVICE, StopRequest("grace", "wrong model"))
        outcome = await commands.outcome(stage.client, ticket)
        assert outcome.result is Result.CANCELLED
        assert outcome.reason == "stopped by grace: wrong model"
        assert outcome.returned_to == revision_of(1)

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v1"


def test_a_workflow_that_temporal_cancels_goes_back_too(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        ticket = await stage.start(stage.request(2, timeouts=PATIENT))
        await reaches(stage, ticket, Phase.HEALTH)
        await stage.client.get_workflow_handle(ticket.workflow_id).cancel()
        assert (await commands.outcome(stage.client, ticket)).result is Result.CANCELLED

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v1"


def test_cancel_without_a_rollout_is_refused(temporal_address: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        with pytest.raises(Refused, match="no rollout of llm/chat is in flight"):
            await commands.cancel(stage.client, stage.cluster, SERVICE, StopRequest("grace"))

    play(temporal_address, world_with(), scene)


def test_a_terminated_rollout_frees_the_service_and_is_remembered(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        ticket = await stage.start(stage.request(2, timeouts=PATIENT))
        await stage.client.get_workflow_handle(ticket.workflow_id).terminate("an operator")
        state = await stage.settled()
        assert "ended without an outcome" in state.history[-1].outcome.reason
        assert (await stage.roll_out(1)).result is Result.OK

    play(temporal_address, world, scene)


def test_a_heal_is_refused_while_a_rollout_runs(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        ticket = await stage.start(stage.request(2, timeouts=PATIENT))
        with pytest.raises(Held, match="not healed: llm/chat is held by a rollout of revision 2"):
            await commands.heal(stage.client, stage.cluster, SERVICE, heal_request(1))
        world.revisions[2]["health"] = {}
        await commands.outcome(stage.client, ticket)

    play(temporal_address, world, scene)
    assert "heal" not in world.calls


def test_a_heal_of_another_revision_is_refused(temporal_address: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        answer = await commands.heal(stage.client, stage.cluster, SERVICE, heal_request(9))
        assert answer.refusal == "the report is about revision 9, but revision 1 is current"

    play(temporal_address, world_with(), scene)


def test_heals_stop_when_the_budget_is_spent(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        request = stage.request(1)
        await stage.roll_out(1, drift=replace(request.drift, heals=2))
        answers = []
        for number in range(3):
            world.live["chat"] = f"edit {number}"
            wish = heal_request(1, f"heal-{number}")
            answers.append(await commands.heal(stage.client, stage.cluster, SERVICE, wish))
        assert [bool(a.healed) for a in answers] == [True, True, False]
        assert answers[2].refusal.startswith("2 heals in 3600 s are the budget, and it is spent")
        assert "data.value (kubectl-edit)" in answers[2].refusal

    play(temporal_address, world, scene)
    assert world.live["chat"] == "edit 2"


def test_the_entity_remembers_the_last_twenty_rollouts(temporal_address: str) -> None:
    before = tuple(
        HistoryEntry(revision_of(n), "plan", "ada", "", RolloutOutcome(Result.OK, revision_of(n)), "rollout")
        for n in range(101, 121)
    )

    async def scene(stage: Stage) -> None:
        state = ServiceState(stage.cluster, SERVICE, revision_of(120), history=before)
        await stage.client.start_workflow(
            ServiceEntity.run, state, id=entity_id(stage.cluster, SERVICE), task_queue=stage.queue
        )
        await stage.roll_out(1)
        history = await commands.history(stage.client, stage.cluster, SERVICE)
        assert [h.revision.number for h in history] == [*range(102, 121), 1]

    play(temporal_address, world_with(), scene)


def test_nothing_is_lost_over_continuing_as_new(temporal_address: str) -> None:
    """Signals and updates arrive while the entity continues as new, again and again (see the fixture)."""
    world = world_with()

    async def scene(stage: Stage) -> None:
        first = stage.request(1)
        await commands.outcome(stage.client, await stage.start(first))
        before = await stage.settled()
        entity = stage.client.get_workflow_handle_for(ServiceEntity.run, entity_id(stage.cluster, SERVICE))
        at_once = asyncio.Semaphore(8)

        async def report(number: int) -> None:
            async with at_once:
                await entity.signal(ServiceEntity.drift_checked, DriftSummary(float(number), revision_of(1), 0))

        async def repeat(number: int) -> RolloutTicket:
            async with at_once:
                return await stage.start(first)

        done = await asyncio.gather(*(report(n) if n % 10 else repeat(n) for n in range(1000)))
        after = await stage.state()
        assert after.runs > before.runs
        assert after.drift_reports == 900
        assert {t.workflow_id for t in done if t is not None} == {before.history[0].workflow_id}
        assert (after.revision, after.history) == (before.revision, before.history)

    play(temporal_address, world, scene)
    assert world.writes_of("chat") == ["v1"]


def test_a_request_without_a_worker_says_so(temporal_address: str) -> None:
    async def scene(stage: Stage) -> None:
        stage.queue = "nobody-polls-this"
        request = stage.request(1)
        with pytest.raises(Unreachable, match="no worker of Temporal answered within 1 s"):
            await commands.request_rollout(stage.client, request, task_queue=stage.queue, patience_s=1)

    play(temporal_address, world_with(), scene)


def test_following_shows_why_a_step_is_tried_again(temporal_address: str) -> None:
    world = world_with()
    world.outage = 2

    async def scene(stage: Stage) -> None:
        ticket = await stage.start(stage.request(1))
        troubles = {p.trouble async for p in commands.follow(stage.client, ticket, every_s=0.05)}
        assert "the API server does not answer (attempt 2)" in troubles

    play(temporal_address, world, scene)


def test_secrets_in_a_reason_do_not_travel(temporal_address: str) -> None:
    async def scene(stage: Stage) -> None:
        await stage.roll_out(1, reason="uses hf_abcdefghijkl now")
        assert "hf_abcdefghijkl" not in (await stage.state()).history[-1].reason

    play(temporal_address, world_with(), scene)


def test_following_shows_what_a_layer_waits_for(temporal_address: str) -> None:
    world = world_with({"machines": NEVER})

    async def scene(stage: Stage) -> None:
        ticket = await stage.start(stage.request(2, timeouts=PATIENT))
        seen = []
        async for progress in commands.follow(stage.client, ticket, every_s=0.05):
            seen.append(progress)
            if progress.layers[0].detail == "still starting":
                world.revisions[2]["health"]["machines"] = HEALTHY
        assert seen[-1].phase is Phase.DONE
        assert "still starting" in {p.layers[0].detail for p in seen}
        assert seen[-1].steps_done == seen[-1].steps_total == 8

    play(temporal_address, world, scene)
