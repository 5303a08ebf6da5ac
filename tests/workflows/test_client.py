"""What a command is told when nobody, or nobody sane, is at the other end."""

from __future__ import annotations

import asyncio
import gc
import uuid
from typing import Any

import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from controlplane.adapters.errors import Misconfigured, ServerFault, Unreachable
from controlplane.workflows import client as commands
from controlplane.workflows.messages import ClusterRef, RolloutRequest, RolloutTicket, ServiceState
from tests.workflows.scenes import world_with
from tests.workflows.simulated import revision_of
from tests.workflows.stage import SERVICE, UNWATCHED


@workflow.defn(name="ModelService", sandboxed=False)
class FaultyEntity:
    """An entity of a release whose code does not fit the history: each of its steps fails."""

    @workflow.run
    async def run(self, _state: ServiceState) -> None:
        raise RuntimeError("the code does not fit the history")

    @workflow.update
    async def roll_out(self, request: RolloutRequest) -> RolloutTicket:  # noqa: ARG002
        raise RuntimeError("the code does not fit the history")


def request_on(cluster: str) -> RolloutRequest:
    return RolloutRequest(
        request_id=str(uuid.uuid4()),
        cluster=ClusterRef(cluster),
        service=SERVICE,
        revision=revision_of(1),
        plan_digest="plan",
        planned=world_with().plan(1),
        author="ada",
        drift=UNWATCHED,
    )


def test_a_workflow_whose_steps_fail_is_told_from_an_absent_worker(temporal_address: str) -> None:
    async def scene() -> None:
        client = await Client.connect(temporal_address)
        queue, cluster = f"queue-{uuid.uuid4()}", f"test-{uuid.uuid4()}"
        runner = UnsandboxedWorkflowRunner()
        async with Worker(client, task_queue=queue, workflows=[FaultyEntity], workflow_runner=runner):
            with pytest.raises(ServerFault, match="cannot go on with the workflow") as asked:
                await commands.request_rollout(client, request_on(cluster), task_queue=queue, patience_s=5)
            assert "version" in asked.value.remedy
            with pytest.raises(ServerFault, match="cannot go on with the workflow"):
                await commands.service_state(client, ClusterRef(cluster), SERVICE, patience_s=5)

    asyncio.run(scene())


def test_a_request_without_an_answer_says_that_it_may_have_been_taken(temporal_address: str) -> None:
    async def scene() -> None:
        client = await Client.connect(temporal_address)
        with pytest.raises(Unreachable, match="no worker of Temporal answered within 1 s") as asked:
            await commands.request_rollout(client, request_on(f"c-{uuid.uuid4()}"), task_queue="nobody", patience_s=1)
        assert "may have been taken" in asked.value.remedy

    asyncio.run(scene())


def test_a_request_that_the_server_refuses_leaves_no_complaint_of_asyncio(temporal_address: str) -> None:
    complaints: list[dict[str, Any]] = []

    async def scene() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        client = await Client.connect(temporal_address, namespace="no-such-namespace", lazy=True)
        with pytest.raises(Misconfigured, match="no-such-namespace") as asked:
            await commands.request_rollout(client, request_on("c"), task_queue="nobody")
        assert isinstance(asked.value.__cause__, RPCError)
        del asked
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(scene())
    gc.collect()
    assert not complaints
