"""Which Temporal a verb talks to: the configured one, else the local service, started when it does not run."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

import controlplane
from controlplane import __version__

if TYPE_CHECKING:
    from temporalio.client import Client

    from controlplane.adapters.temporal.local_service import LocalService


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """`$XDG_STATE_HOME/controlplane`, where the local service keeps what it knows."""
    home = Path(environment.get("HOME") or Path.home())
    return Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state").absolute() / "controlplane"


def program_version() -> str:
    """The version, with a fingerprint of the code: a worker that runs older code than this must not go on.

    Installed packages change with their version alone; a checkout changes under a running worker.
    """
    package = Path(controlplane.__file__).parent
    files = sorted([*package.rglob("*.py"), *(package / "workflows").glob("*.py")])
    states = ((f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in files)
    return f"{__version__}+{hashlib.sha256(repr(list(states)).encode()).hexdigest()[:12]}"


def local_service() -> LocalService:
    """The local service of this user's state folder."""
    from controlplane.adapters.temporal.local_service import LocalService
    from controlplane.workflows.names import TASK_QUEUE

    return LocalService(
        state_folder() / "service",
        lambda address: [sys.executable, "-m", "controlplane.cli.main", "worker", "--address", address],
        environment={k: v for k, v in os.environ.items() if not k.startswith("TEMPORAL_")},
        version=program_version(),
        task_queue=TASK_QUEUE,
    )


async def client() -> Client:
    """A client of the configured Temporal, or of the local service; says so when it has to start the latter."""
    from controlplane.adapters.temporal.connection import connect, quiet_client, settings_from

    quiet_client()
    settings = settings_from(os.environ)
    if settings is None:
        status = await local_service().start()
        if status.started:
            click.echo(
                f"started the local Temporal service ({' and '.join(status.started)}) at {status.address}; it keeps "
                "running for drift checks. `controlplane service stop` ends it.",
                err=True,
            )
        settings = status.settings
    return await connect(settings, identity=f"controlplane-cli-{os.getpid()}")


def sleeping_service() -> str:
    """A sentence for who reads the cluster alone while the local service is stopped; empty when nothing is missing.

    What it remembers is on disk, and rollouts in flight wait for it: that is not the same as there being none.
    """
    from controlplane.adapters.temporal.connection import settings_from

    service = local_service()
    if settings_from(os.environ) is not None or not service.remembers or service.status().running:
        return ""
    return (
        "the local Temporal service does not run: rollouts and drift checks that it remembers are not shown, "
        "and wait until `controlplane service start`"
    )


async def running_client() -> Client | None:
    """A client where one can be had without starting anything, else None."""
    from controlplane.adapters.temporal.connection import connect, quiet_client, settings_from

    quiet_client()
    settings = settings_from(os.environ)
    if settings is None:
        status = local_service().status()
        if not status.running:
            return None
        settings = status.settings
    return await connect(settings, identity=f"controlplane-cli-{os.getpid()}")
