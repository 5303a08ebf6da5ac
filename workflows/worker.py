"""The worker: runs workflows and activities until it is told to end.

`python -m controlplane.workflows.worker --address HOST:PORT` does what `controlplane worker` does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from controlplane.adapters.temporal.connection import TemporalSettings, connect, settings_from
from controlplane.workflows.drift import DriftCheck
from controlplane.workflows.names import TASK_QUEUE
from controlplane.workflows.ports import ClusterPorts, TemporalPorts
from controlplane.workflows.rollout import Rollout
from controlplane.workflows.service import ServiceEntity
from controlplane.workflows.temporal_activities import TemporalActivities

if TYPE_CHECKING:
    from temporalio.client import Client

WORKFLOWS = (ServiceEntity, Rollout, DriftCheck)

_GRACE = timedelta(seconds=10)
"""Activities in hand at a shutdown may take this long; then they are cancelled and tried again elsewhere."""
_SHOWN_PROGRESS = timedelta(seconds=1)
"""Heartbeats carry what a layer waits for, and `follow` shows it: so they are sent at least this often."""
_LOST_CACHE = timedelta(seconds=3)
"""How long a workflow task waits for the worker that has the workflow cached, before any other (or it, restarted)
takes it. The default of 10 s is what a killed worker would cost."""


def sandboxed_runner() -> SandboxedWorkflowRunner:
    """Workflow files run in the sandbox, which refuses clocks and randomness; pure modules pass through it.

    A module that is not passed through would be executed again for every run.
    """
    pure = ("messages", "ports", "patience", "names", "gates", "board")
    modules = tuple(f"controlplane.workflows.{name}" for name in pure)
    return SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules(*modules))


def make_worker(
    client: Client,
    cluster: ClusterPorts,
    temporal: TemporalPorts,
    task_queue: str = TASK_QUEUE,
    *,
    cached_workflows: int = 1000,
) -> Worker:
    """A worker over the given ports. With 0 `cached_workflows` every step replays the history, as after a restart."""
    return Worker(
        client,
        task_queue=task_queue,
        workflows=WORKFLOWS,
        activities=[*_activities(cluster), *_activities(temporal)],
        workflow_runner=sandboxed_runner(),
        max_cached_workflows=cached_workflows,
        graceful_shutdown_timeout=_GRACE,
        max_heartbeat_throttle_interval=_SHOWN_PROGRESS,
        sticky_queue_schedule_to_start_timeout=_LOST_CACHE,
    )


async def run_worker(settings: TemporalSettings, *, task_queue: str = TASK_QUEUE) -> None:
    """Connect and work until SIGTERM or SIGINT.

    Raises:
        AdapterError: Temporal cannot be reached.
    """
    from controlplane.workflows.activities import ClusterActivities

    client = await connect(settings, identity=f"controlplane-worker-{os.getpid()}")
    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end.set)
    async with make_worker(client, ClusterActivities(), TemporalActivities(client, task_queue), task_queue):
        print(f"working on {task_queue} of {settings.address}, namespace {settings.namespace}", flush=True)
        await end.wait()


def _activities(implementation: ClusterPorts | TemporalPorts) -> list[Callable[..., Any]]:
    port = ClusterPorts if isinstance(implementation, ClusterPorts) else TemporalPorts
    return [getattr(implementation, name) for name in sorted(port.__abstractmethods__)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a worker from the command line; TLS and API key come from Temporal's own variables."""
    parser = argparse.ArgumentParser(prog="controlplane.workflows.worker", description=__doc__)
    parser.add_argument("--address", default="")
    parser.add_argument("--namespace", default="")
    parser.add_argument("--task-queue", default=TASK_QUEUE)
    given = parser.parse_args(arguments)
    environment = dict(os.environ)
    environment.update({k: v for k, v in _named(given).items() if v})
    settings = settings_from(environment)
    if settings is None:
        parser.error("no Temporal server: give --address or set TEMPORAL_ADDRESS")
    asyncio.run(run_worker(settings, task_queue=given.task_queue))


def _named(given: argparse.Namespace) -> dict[str, str]:
    return {"TEMPORAL_ADDRESS": given.address, "TEMPORAL_NAMESPACE": given.namespace}


if __name__ == "__main__":
    main()
