"""`controlplane worker`: runs rollouts and drift checks; any number may run, anywhere."""

from __future__ import annotations

import asyncio
import os

import click

from controlplane.cli.exit import Exit, VerbEnd


@click.command(short_help="Run a worker for rollouts and drift checks.")
@click.option("--address", metavar="HOST:PORT", help="Temporal server; default: TEMPORAL_ADDRESS.")
@click.option("--namespace", metavar="NAME", help="Temporal namespace; default: TEMPORAL_NAMESPACE, else 'default'.")
@click.option("--task-queue", metavar="NAME", help="Task queue to poll.")
def command(address: str | None, namespace: str | None, task_queue: str | None) -> Exit:
    """Run a worker until SIGTERM or Ctrl-C. TLS and API key come from Temporal's own TEMPORAL_* variables.

    It reaches clusters through its own kubeconfig, or the service account of its pod.
    """
    from controlplane.adapters.temporal.connection import settings_from
    from controlplane.workflows.names import TASK_QUEUE
    from controlplane.workflows.worker import run_worker

    given = {"TEMPORAL_ADDRESS": address, "TEMPORAL_NAMESPACE": namespace}
    settings = settings_from({**os.environ, **{k: v for k, v in given.items() if v}})
    if settings is None:
        raise VerbEnd(Exit.USAGE, "no Temporal server is named", "Give --address or set TEMPORAL_ADDRESS.")
    asyncio.run(run_worker(settings, task_queue=task_queue or TASK_QUEUE))
    return Exit.OK
