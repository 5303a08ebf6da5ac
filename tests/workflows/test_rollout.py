"""The logic of a rollout, on a real Temporal server over a simulated cluster."""

from __future__ import annotations

import pytest

from controlplane.workflows.messages import (
    Layer,
    OnFailure,
    PlannedObject,
    Result,
)
from tests.workflows.scenes import play, world_with
from tests.workflows.simulated import LATE, NEVER, key_of, revision_of
from tests.workflows.stage import Stage


def test_objects_are_applied_group_by_group_and_the_revision_is_marked_good(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        outcome = await stage.roll_out(1)
        assert outcome.result is Result.OK
        assert outcome.written == 3

    play(temporal_address, world, scene)
    assert world.writes == [("namespace", "1"), ("chat", "v1"), ("budget", "1")]
    assert world.revisions[1]["mark"] == "good"


def test_unchanged_object_is_not_written(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        assert (await stage.roll_out(2)).written == 2

    play(temporal_address, world, scene)
    assert world.writes_of("namespace") == ["1"]
    assert world.writes_of("chat") == ["v1", "v2"]


@pytest.mark.parametrize("layer", Layer)
def test_a_layer_that_fails_returns_the_service_and_is_named(temporal_address: str, layer: Layer) -> None:
    world = world_with({layer.value: "ImagePullBackOff on 1 pod"})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        outcome = await stage.roll_out(2)
        assert outcome.result is Result.RETURNED
        assert (outcome.stopped_at, outcome.returned_to) == (layer.value, revision_of(1))
        assert outcome.reason == "0 of 1 ready: ImagePullBackOff on 1 pod"
        assert (await stage.state()).revision == revision_of(1)

    play(temporal_address, world, scene)
    assert world.live == {"namespace": "1", "chat": "v1", "budget": "1"}
    assert world.writes_of("extra") == ["new", None]
    assert (world.revisions[1]["mark"], world.revisions[2]["mark"]) == ("good", "returned")


def test_the_good_revision_again_is_not_replaced_by_an_older_one_when_it_fails(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        await stage.roll_out(2)
        world.revisions[2]["health"] = {"machines": "a node is away"}
        outcome = await stage.roll_out(2, reason="only the drift interval changed")
        assert (outcome.result, outcome.returned_to) == (Result.FAILED, None)
        assert "revision 2 was the good one already" in outcome.return_failure
        assert (await stage.state()).revision == revision_of(2)

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v2"
    assert (world.revisions[1]["mark"], world.revisions[2]["mark"]) == ("good", "good")


@pytest.mark.parametrize("layer", Layer)
def test_a_layer_whose_time_is_up_returns_the_service(temporal_address: str, layer: Layer) -> None:
    world = world_with({layer.value: NEVER})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        outcome = await stage.roll_out(2)
        assert outcome.result is Result.RETURNED
        assert outcome.stopped_at == layer.value
        assert outcome.reason == "0 of 1 ready after 1 s: still starting"

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v1"


def test_a_layer_that_became_healthy_unseen_is_healthy(temporal_address: str) -> None:
    """No worker was awake when the time was up: the last look decides."""
    world = world_with({"machines": LATE})

    async def scene(stage: Stage) -> None:
        assert (await stage.roll_out(2)).result is Result.OK

    play(temporal_address, world, scene)
    assert "look_at_layer" in world.calls


def test_without_a_good_revision_nothing_is_undone_and_it_is_said(temporal_address: str) -> None:
    world = world_with({"machines": "no node fits"})

    async def scene(stage: Stage) -> None:
        outcome = await stage.roll_out(2)
        assert outcome.result is Result.FAILED
        assert "nothing to return to" in outcome.return_failure

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v2"
    assert world.revisions[2]["mark"] == "failed"


def test_the_policy_may_ask_to_stop_instead_of_returning(temporal_address: str) -> None:
    world = world_with({"memory": "engine does not answer"})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        outcome = await stage.roll_out(2, on_failure=OnFailure.STOP)
        assert outcome.result is Result.FAILED
        assert "policy says stop" in outcome.return_failure

    play(temporal_address, world, scene)
    assert world.live["chat"] == "v2"


def test_a_return_that_fails_says_so_with_both_reasons(temporal_address: str) -> None:
    world = world_with({"tasks": "placement group pending"})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        world.revisions[1]["health"] = {"machines": "the node is gone"}
        outcome = await stage.roll_out(2)
        assert outcome.result is Result.FAILED
        assert outcome.reason == "0 of 1 ready: placement group pending"
        assert (
            "the return to revision 1 failed too, at machines: 0 of 1 ready: the node is gone"
            in outcome.return_failure
        )

    play(temporal_address, world, scene)


def test_a_stale_plan_writes_nothing(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        request = stage.request(2)
        world.live["chat"] = "edited by hand"
        outcome = await stage.roll_out(2, planned=request.planned)
        assert outcome.result is Result.FAILED
        assert outcome.reason == "the plan is stale: ConfigMap/llm/chat changed since"
        assert outcome.written == 0

    play(temporal_address, world, scene)
    assert world.live["chat"] == "edited by hand"
    assert world.revisions[2]["mark"] == ""


def test_a_refused_object_returns_the_service_in_the_servers_words(temporal_address: str) -> None:
    world = world_with({"apply": "pods is forbidden: quota exceeded"})

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        outcome = await stage.roll_out(2)
        assert outcome.result is Result.RETURNED
        assert (outcome.stopped_at, outcome.reason) == ("applying needs", "pods is forbidden: quota exceeded")

    play(temporal_address, world, scene)


def test_an_api_server_that_does_not_answer_is_asked_again(temporal_address: str) -> None:
    world = world_with()
    world.outage = 2

    async def scene(stage: Stage) -> None:
        assert (await stage.roll_out(1)).result is Result.OK

    play(temporal_address, world, scene)
    assert world.writes_of("chat") == ["v1"]


def test_a_planned_deletion_waits_for_health(temporal_address: str) -> None:
    world = world_with()

    async def scene(stage: Stage) -> None:
        await stage.roll_out(2)
        deletion = PlannedObject(key_of("extra"), "uid-extra", "new", delete=True)
        outcome = await stage.roll_out(1, planned=(*world.plan(1), deletion))
        assert outcome.result is Result.OK

    play(temporal_address, world, scene)
    assert world.writes[-1] == ("extra", None)
    assert world.calls.index("delete_planned") > world.calls.index("await_layer")


def test_an_adopted_object_is_not_removed_by_a_return(temporal_address: str) -> None:
    world = world_with({"machines": "no node fits"})
    world.live["extra"] = "was there before"

    async def scene(stage: Stage) -> None:
        await stage.roll_out(1)
        assert (await stage.roll_out(2)).result is Result.RETURNED

    play(temporal_address, world, scene)
    assert "extra" in world.live
