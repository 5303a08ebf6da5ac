"""`controlplane status [NAMESPACE/NAME...]`: what runs, which revision it is, and what is under way."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import cluster_options, format_option
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
    from controlplane.cli.target import Target
    from controlplane.workflows.messages import ServiceState


@click.command(short_help="Show services, their revisions and rollouts.")
@click.argument("services", nargs=-1, metavar="[NAMESPACE/NAME]...")
@cluster_options
@format_option("text", "json")
def command(
    services: tuple[str, ...], sandbox: str | None, kubeconfig: str | None, context: str | None, format_: str
) -> Exit:
    """Show for each service its current revision, its health by layer, the rollout in flight and the last drift.

    Without names: every service with a revision in the cluster. Exit 0 all healthy, 1 not, 2 there are none.
    """
    from controlplane.cli.service_status import look_at
    from controlplane.cli.services import services_of
    from controlplane.cli.target import Choice, connect
    from controlplane.cli.temporal import sleeping_service
    from controlplane.cli.views import status_text

    target = connect(Choice(sandbox, kubeconfig, context))
    names = services_of(target, services)
    if not names:
        click.echo(f"no service has a revision in {target.context}")
        return Exit.NOTHING_TO_READ
    states = asyncio.run(_states(target, names))
    found = [look_at(target, name, states.get(name)) for name in names]
    notes = [note] if (note := sleeping_service()) else []
    if format_ == "json":
        document = {"format_version": "1.0", "services": [asdict(s) for s in found], "notes": notes}
        click.echo(json.dumps(document, indent=2, default=str))
    else:
        click.echo(status_text.render(found, colour=wants_colour(), notes=notes))
    return Exit.OK if all(s.healthy for s in found) else Exit.NEGATIVE


async def _states(target: Target, names: tuple[str, ...]) -> dict[str, ServiceState | None]:
    """What the entities remember; nothing when no Temporal runs here: the cluster alone tells enough."""
    from controlplane.cli.requests import cluster_ref, service_ref
    from controlplane.cli.temporal import running_client
    from controlplane.workflows.client import service_state

    client = await running_client()
    if client is None:
        return {}
    return {name: await service_state(client, cluster_ref(target), service_ref(name)) for name in names}
