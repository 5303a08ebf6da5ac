"""Record the histories that `test_replay` replays: `python -m tests.workflows.record_histories NAME…` (none: all).

A history is recorded when its workflow is released, and never again: it stands for the rollouts that are in flight
somewhere. A change of a workflow that breaks its replay goes under a patch marker; then a new history is added.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from temporalio.client import Client

from controlplane.workflows import client as commands
from controlplane.workflows.drift import DriftCheck
from controlplane.workflows.messages import DriftMode, StopRequest
from controlplane.workflows.names import entity_id
from controlplane.workflows.ports import DriftCheckInput
from tests.workflows.conftest import await_port, free_port, temporal_binary
from tests.workflows.scenes import world_with
from tests.workflows.simulated import NEVER
from tests.workflows.stage import SERVICE, Stage, staged

FOLDER = Path(__file__).parents[1] / "histories"
RECORDER = "recorder"


async def rolled_out(stage: Stage) -> str:
    """A rollout without trouble."""
    return await _rollout(stage, 1)


async def returned(stage: Stage) -> str:
    """A layer fails, and the service goes back."""
    stage.world.revisions[2]["health"] = {"memory": "engine does not answer"}
    await stage.roll_out(1)
    return await _rollout(stage, 2)


async def timed_out(stage: Stage) -> str:
    """A layer's time is up."""
    stage.world.revisions[2]["health"] = {"machines": NEVER}
    await stage.roll_out(1)
    return await _rollout(stage, 2)


async def cancelled(stage: Stage) -> str:
    """Somebody stops it while a layer is awaited."""
    stage.world.revisions[2]["health"] = {"tasks": NEVER}
    await stage.roll_out(1)
    request = stage.request(2)
    ticket = await stage.start(replace(request, timeouts=replace(request.timeouts, tasks_s=60)))
    async for progress in commands.follow(stage.client, ticket, every_s=0.05):
        if progress.step == "tasks" and not progress.failure:
            await commands.cancel(stage.client, stage.cluster, SERVICE, StopRequest("grace", "wrong model"))
    return ticket.workflow_id


async def nothing_to_return_to(stage: Stage) -> str:
    """The first rollout fails."""
    stage.world.revisions[2]["health"] = {"machines": "no node fits"}
    return await _rollout(stage, 2)


async def entity(stage: Stage) -> str:
    """The entity behind three rollouts, one of them returned, and a heal."""
    await returned(stage)
    await healed(stage)
    return entity_id(stage.cluster, SERVICE)


async def healed(stage: Stage) -> str:
    """A check that finds drift and has it healed."""
    await stage.roll_out(1)
    stage.world.live["chat"] = "edited"
    check = DriftCheckInput(stage.cluster, SERVICE, DriftMode.ENFORCE)
    name = f"drift-check/{stage.cluster.name}"
    await stage.client.execute_workflow(DriftCheck.run, check, id=name, task_queue=stage.queue)
    return name


async def _rollout(stage: Stage, number: int) -> str:
    ticket = await stage.start(stage.request(number))
    await commands.outcome(stage.client, ticket)
    await stage.settled()
    return ticket.workflow_id


SCENES: Mapping[str, Callable[[Stage], Awaitable[str]]] = {
    "rollout-rolled-out": rolled_out,
    "rollout-returned": returned,
    "rollout-timed-out": timed_out,
    "rollout-cancelled": cancelled,
    "rollout-nothing-to-return-to": nothing_to_return_to,
    "service-entity": entity,
    "drift-check-healed": healed,
}


def plain(node: Any) -> Any:
    """A history without stack traces, which hold paths of the machine it was recorded on."""
    if isinstance(node, dict):
        return {key: plain(value) for key, value in node.items() if key != "stackTrace"}
    return [plain(item) for item in node] if isinstance(node, list) else node


async def record(address: str, name: str) -> None:
    """Play one scene and keep the history of the workflow that it names."""
    async with staged(address, world_with(), identity=RECORDER) as stage:
        workflow_id = await SCENES[name](stage)
        history = await stage.client.get_workflow_handle(workflow_id).fetch_history()
    kept = {"workflow_id": workflow_id, **plain(json.loads(history.to_json()))}
    (FOLDER / f"{name}.json").write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


async def _record_all(names: list[str], address: str) -> None:
    await Client.connect(address)
    for name in names or SCENES:
        await record(address, name)


def main() -> None:
    """Record against a development server of our own."""
    port = free_port()
    command = [temporal_binary(), "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            await_port(port, server)
            asyncio.run(_record_all(sys.argv[1:], f"127.0.0.1:{port}"))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
