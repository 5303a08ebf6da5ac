"""`controlplane service`: the local Temporal server and worker that `apply` uses where none is configured."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import format_option

if TYPE_CHECKING:
    from controlplane.adapters.temporal.local_service import ServiceStatus


@click.group(short_help="Start, stop and show the local Temporal service.")
def command() -> None:
    """Start, stop and show the local Temporal service: one development server and one worker for this user.

    `apply` starts it by itself unless TEMPORAL_ADDRESS is set. It keeps running, so that drift is watched and a
    rollout goes on when the terminal is closed.
    """


@command.command()
def start() -> Exit:
    """Start what does not run; brings back what was killed."""
    from controlplane.adapters.temporal.connection import quiet_client
    from controlplane.cli.temporal import local_service

    quiet_client()
    status = asyncio.run(local_service().start())
    click.echo(_text(status))
    return Exit.OK


@command.command()
def stop() -> Exit:
    """End worker and server. Rollouts in flight go on at the next start."""
    from controlplane.cli.temporal import local_service

    stopped = local_service().stop().stopped
    click.echo(f"stopped {' and '.join(stopped)}" if stopped else "the local service did not run")
    return Exit.OK


@command.command()
@format_option("text", "json")
def status(format_: str) -> Exit:
    """Show whether it runs; exit 1 unless both parts do."""
    from controlplane.cli.temporal import local_service

    found = local_service().status()
    click.echo(_json(found) if format_ == "json" else _text(found))
    return Exit.OK if found.running else Exit.NEGATIVE


@command.command()
@click.option("--lines", "-n", type=click.IntRange(1), default=50, show_default=True)
def logs(lines: int) -> Exit:
    """Print the end of both logs."""
    from controlplane.cli.temporal import local_service
    from controlplane.cli.terminal import printable

    for tail in local_service().logs(lines):
        click.echo(f"== {tail.part}: {tail.path}")
        click.echo(printable("\n".join(tail.lines)))
    return Exit.OK


def _text(status: ServiceStatus) -> str:
    server = f"running, pid {status.server_pid}, {status.address}" if status.server_pid else "not running"
    worker = f"running, pid {status.worker_pid}" if status.worker_pid else "not running"
    return f"server: {server}\nworker: {worker}\nfolder: {status.folder}"


def _json(status: ServiceStatus) -> str:
    return json.dumps(
        {
            "format_version": "1.0",
            "running": status.running,
            "address": status.address or None,
            "server_pid": status.server_pid,
            "worker_pid": status.worker_pid,
            "folder": str(status.folder),
        },
        indent=2,
    )
