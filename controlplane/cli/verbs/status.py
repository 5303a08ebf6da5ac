"""`controlplane status [NAMESPACE/NAME...]`: what runs, which revision it is, and what is under way."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import cluster_options, format_option
from controlplane.cli.terminal import wants_colour


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
    from controlplane.cli.service_status import look_at, remembered
    from controlplane.cli.services import services_of
    from controlplane.cli.target import Choice, connect
    from controlplane.cli.views import status_text

    target = connect(Choice(sandbox, kubeconfig, context))
    names = services_of(target, services)
    if not names:
        click.echo(f"no service has a revision in {target.context}")
        return Exit.NOTHING_TO_READ
    states, notes = remembered(target, names)
    found = [look_at(target, name, states.get(name)) for name in names]
    if format_ == "json":
        document = {"format_version": "1.0", "services": [asdict(s) for s in found], "notes": notes}
        click.echo(json.dumps(document, indent=2, default=str))
    else:
        click.echo(status_text.render(found, colour=wants_colour(), notes=notes))
    return Exit.OK if all(s.healthy for s in found) else Exit.NEGATIVE
