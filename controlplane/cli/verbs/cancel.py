"""`controlplane cancel NAMESPACE/NAME`: end the rollout in flight; it returns to the last good revision."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import cluster_options

if TYPE_CHECKING:
    from controlplane.cli.target import Target


@click.command(short_help="Cancel the rollout that is in flight.")
@click.argument("service", metavar="NAMESPACE/NAME")
@cluster_options
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the history.")
def command(service: str, sandbox: str | None, kubeconfig: str | None, context: str | None, reason: str) -> Exit:
    """End the rollout in flight. What it applied is returned to the last good revision, as after a failure."""
    from controlplane.cli.services import services_of
    from controlplane.cli.target import Choice, connect

    target = connect(Choice(sandbox, kubeconfig, context))
    [name] = services_of(target, (service,))
    click.echo(asyncio.run(_cancel(target, name, reason)))
    return Exit.OK


async def _cancel(target: Target, name: str, reason: str) -> str:
    from controlplane.cli.requests import agreement, cluster_ref, service_ref
    from controlplane.cli.temporal import running_client, sleeping_service
    from controlplane.workflows.client import cancel
    from controlplane.workflows.messages import StopRequest

    client = await running_client()
    if client is None and sleeping_service():
        raise VerbEnd(
            Exit.REFUSED,
            "the local Temporal service does not run, so nothing can be told to stop",
            "Start it with `controlplane service start`: rollouts in flight go on then, and can be cancelled.",
        )
    if client is None:
        raise VerbEnd(Exit.REFUSED, "no Temporal service ever ran here, so no rollout is in flight")
    author = agreement(reason, force=False).author
    answer = await cancel(client, cluster_ref(target), service_ref(name), StopRequest(author, reason))
    return f"{answer.workflow_id} was told to stop; see `controlplane status {name}`"
