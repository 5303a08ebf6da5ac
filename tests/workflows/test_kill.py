"""SIGKILL of the worker and of the Temporal server in the middle of a rollout: it finishes after a restart.

Real processes, really killed. The cluster is simulated and lives in a file, so that activities can be held up at a
given point and every write is on record.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from temporalio.client import Client

from controlplane.workflows import client as commands
from controlplane.workflows.messages import (
    ClusterRef,
    Result,
    RolloutOutcome,
    RolloutRequest,
    RolloutTicket,
    Timeouts,
)
from tests.workflows.conftest import await_frontend, await_port, free_port, temporal_binary
from tests.workflows.scenes import world_with
from tests.workflows.simulated import load, revision_of, store
from tests.workflows.stage import SERVICE, UNWATCHED

ROOT = Path(__file__).parents[2]
PATIENT = Timeouts(machines_s=240, tasks_s=240, memory_s=240, api_s=60)


@dataclass
class Site:
    """A server and a worker of one test, and the folder of the simulated cluster."""

    folder: Path
    port: int = field(default_factory=free_port)
    queue: str = field(default_factory=lambda: f"queue-{uuid.uuid4()}")
    cluster: ClusterRef = field(default_factory=lambda: ClusterRef(f"killed-{uuid.uuid4()}"))
    server: subprocess.Popen[bytes] | None = None
    worker: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where the server listens."""
        return f"127.0.0.1:{self.port}"

    def start_server(self) -> None:
        """Start the server on its own file."""
        where = ["--ip", "127.0.0.1", "--port", str(self.port), "--db-filename", str(self.folder / "temporal.db")]
        self.server = self._spawn([temporal_binary(), "server", "start-dev", "--headless", *where])
        await_port(self.port, self.server)

    def start_worker(self) -> None:
        """Start a worker."""
        module = "tests.workflows.killable_worker"
        self.worker = self._spawn([sys.executable, "-m", module, self.address, self.queue, str(self.folder)])

    def kill(self, part: str) -> None:
        """SIGKILL, then start it again."""
        process = {"worker": self.worker, "server": self.server}[part]
        assert process is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
        (self.start_worker if part == "worker" else self.start_server)()

    def hold(self, point: str) -> None:
        """Let the activity stop at this point."""
        (self.folder / f"hold-{point}").touch()

    def release(self, point: str) -> None:
        """Let it go on."""
        (self.folder / f"hold-{point}").unlink()
        (self.folder / f"held-{point}").unlink()

    async def held(self, point: str) -> None:
        """Until an activity has stopped at this point."""
        while not (self.folder / f"held-{point}").exists():
            await asyncio.sleep(0.02)

    def stop(self) -> None:
        """End both."""
        for process in (self.worker, self.server):
            if process is not None:
                process.kill()
                process.wait()

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT, env=dict(os.environ))

    async def connected(self) -> Client:
        """A client; a server that was just started again refuses clients for a moment."""
        await await_frontend(self.address)
        return await Client.connect(self.address)

    async def request(self, number: int) -> RolloutTicket:
        """Ask for a rollout of a revision."""
        world = load(self.folder)
        request = RolloutRequest(
            request_id=str(uuid.uuid4()),
            cluster=self.cluster,
            service=SERVICE,
            revision=revision_of(number),
            plan_digest=str(uuid.uuid4()),
            planned=world.plan(number),
            author="ada",
            timeouts=PATIENT,
            drift=UNWATCHED,
        )
        client = await self.connected()
        return await commands.request_rollout(client, request, task_queue=self.queue, patience_s=120)

    async def ended(self, ticket: RolloutTicket) -> RolloutOutcome:
        """The outcome, and the entity has taken note."""
        client = await self.connected()
        outcome = await commands.outcome(client, ticket)
        while True:
            state = await commands.service_state(client, self.cluster, SERVICE, patience_s=120)
            if state is not None and state.in_flight is None:
                assert state.history[-1].outcome == outcome
                return outcome


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A running server and worker."""
    made = Site(tmp_path)
    try:
        made.start_server()
        asyncio.run(await_frontend(made.address))
        made.start_worker()
        yield made
    finally:
        made.stop()


FORWARD = ("verify_plan-after", "apply_group-after", "machines-before", "mark_revision-after")
RETURN = ("remove_created-after", "mark_revision-before")


@pytest.mark.parametrize("part", ["worker", "server"])
def test_a_rollout_finishes_although_it_is_killed_at_every_step(site: Site, part: str) -> None:
    store(site.folder, world_with())

    async def scene() -> None:
        for point in FORWARD:
            site.hold(point)
        ticket = await site.request(2)
        for point in FORWARD:
            await site.held(point)
            site.kill(part)
            site.release(point)
        outcome = await site.ended(ticket)
        assert outcome.result is Result.OK

    asyncio.run(scene())
    world = load(site.folder)
    assert world.live == world.objects(2)
    assert sorted(world.writes) == sorted(world.objects(2).items())
    assert world.revisions[2]["mark"] == "good"


@pytest.mark.parametrize("part", ["worker", "server"])
def test_a_return_finishes_although_it_is_killed_on_the_way(site: Site, part: str) -> None:
    store(site.folder, world_with({"machines": "no node fits"}))

    async def scene() -> None:
        await site.ended(await site.request(1))
        for point in RETURN:
            site.hold(point)
        ticket = await site.request(2)
        for point in RETURN:
            await site.held(point)
            site.kill(part)
            site.release(point)
        outcome = await site.ended(ticket)
        assert outcome.result is Result.RETURNED

    asyncio.run(scene())
    world = load(site.folder)
    assert world.live == world.objects(1)
    assert world.writes_of("chat") == ["v1", "v2", "v1"]
    assert world.writes_of("extra") == ["new", None]
    assert world.revisions[2]["mark"] == "returned"
