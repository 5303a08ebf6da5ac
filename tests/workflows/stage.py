"""A running worker over a simulated cluster, against the real development server: what the tests act on."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from temporalio.client import Client

from controlplane.workflows import client as commands
from controlplane.workflows.messages import (
    ClusterRef,
    DriftMode,
    DriftSettings,
    RolloutOutcome,
    RolloutRequest,
    RolloutTicket,
    ServiceRef,
    ServiceState,
    Timeouts,
)
from controlplane.workflows.temporal_activities import TemporalActivities
from controlplane.workflows.worker import make_worker
from tests.workflows.simulated import SimulatedCluster, World, revision_of

SERVICE = ServiceRef("llm", "chat")
QUICK = Timeouts(machines_s=1.0, tasks_s=1.0, memory_s=1.0, api_s=0)
UNWATCHED = DriftSettings(mode=DriftMode.OFF)


@dataclass
class Stage:
    """A client, the world behind the worker, and names that no other test uses."""

    client: Client
    world: World
    queue: str = field(default_factory=lambda: f"queue-{uuid.uuid4()}")
    cluster: ClusterRef = field(default_factory=lambda: ClusterRef(f"test-{uuid.uuid4()}"))

    def request(self, revision: int, **changes: object) -> RolloutRequest:
        """A request whose plan is made against live now."""
        made = RolloutRequest(
            request_id=str(uuid.uuid4()),
            cluster=self.cluster,
            service=SERVICE,
            revision=revision_of(revision),
            plan_digest=f"plan-{revision}-{uuid.uuid4()}",
            planned=self.world.plan(revision),
            author="ada",
            timeouts=QUICK,
            drift=UNWATCHED,
        )
        return replace(made, **changes)  # type: ignore[arg-type]

    async def start(self, request: RolloutRequest) -> RolloutTicket:
        """Ask for a rollout."""
        return await commands.request_rollout(self.client, request, task_queue=self.queue)

    async def roll_out(self, revision: int, **changes: object) -> RolloutOutcome:
        """A whole rollout; returns once the entity has written it into its history."""
        ticket = await self.start(self.request(revision, **changes))
        outcome = await commands.outcome(self.client, ticket)
        await self.settled()
        return outcome

    async def state(self) -> ServiceState:
        """What the entity remembers."""
        state = await commands.service_state(self.client, self.cluster, SERVICE)
        assert state is not None
        return state

    async def settled(self) -> ServiceState:
        """The entity's state once no rollout is in flight."""
        while (state := await self.state()).in_flight is not None:
            pass
        return state


@asynccontextmanager
async def staged(
    address: str, world: World, *, identity: str = "", cached_workflows: int = 1000
) -> AsyncIterator[Stage]:
    """A worker on a queue of its own, until the block ends."""
    client = await Client.connect(address, identity=identity or None)
    stage = Stage(client, world)
    cluster = SimulatedCluster(world)
    temporal = TemporalActivities(client, stage.queue)
    async with make_worker(client, cluster, temporal, stage.queue, cached_workflows=cached_workflows):
        yield stage
