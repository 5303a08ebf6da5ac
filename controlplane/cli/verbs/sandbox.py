"""`controlplane sandbox`: a real Kubernetes control plane on this machine, with simulated machines and pods."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import format_option

if TYPE_CHECKING:
    from controlplane.sandbox.status import SandboxStatus

_name = click.option("--name", default="default", show_default=True, help="Which sandbox; several run side by side.")


@click.group(short_help="Start, stop and show a real local cluster.")
def command() -> None:
    """Start, stop and show a real local cluster.

    etcd, API server, scheduler, controller manager and the KubeRay operator are real and listen on loopback; machines
    and pods are simulated (kwok): no container runs. The programs are built once into a cache
    (CONTROLPLANE_CACHE, else the user's cache folder). Your own kubeconfig is never touched.
    """


@command.command()
@_name
@click.option(
    "--fleet", "fleets", multiple=True, metavar="FILE", help="Machines and claims from the Fleets in FILE or folder."
)
@click.option("--api-port", type=click.IntRange(1, 65535), help="Port of the API server; a free one otherwise.")
def up(name: str, fleets: tuple[str, ...], api_port: int | None) -> Exit:
    """Start it, or repair what has ended; with --fleet it gets exactly the Fleets' machines, and their claims."""
    from controlplane.cli.compilation import fleets_in
    from controlplane.sandbox.claims import SimulatedClaim, apply_claims
    from controlplane.sandbox.fleet import machines_of
    from controlplane.sandbox.lifecycle import up as start

    view = fleets_in(fleets) if fleets else None
    machines = machines_of(view.inventory) if view else None
    sandbox = start(name, machines, report=_report, api_port=api_port)
    if view is not None:
        made = apply_claims(sandbox.api(), (SimulatedClaim(*claim) for claim in view.claims))
        _report(f"{made} simulated claims stand in the Fleet's namespaces")
    click.echo(f"kubeconfig: {sandbox.kubeconfig}")
    click.echo(f"context:    {sandbox.context}")
    click.echo(f"server:     {sandbox.server}")
    click.echo(f"Use it with --sandbox {name}, or: {sandbox.kubectl} --kubeconfig {sandbox.kubeconfig} get nodes")
    return Exit.OK


@command.command()
@_name
def down(name: str) -> Exit:
    """Stop it and remove what it holds, also after a crash."""
    from controlplane.sandbox.lifecycle import down as stop

    existed = stop(name, report=_report)
    click.echo(f"the sandbox {name!r} is gone" if existed else f"there was no sandbox {name!r}")
    return Exit.OK


@command.command()
@click.option("--name", default=None, help="Which sandbox; all of them otherwise.")
@format_option("text", "json")
def status(name: str | None, format_: str) -> Exit:
    """Show the programs, versions and machines; exit 1 unless everything runs."""
    import os

    from controlplane.sandbox.folders import folders_of
    from controlplane.sandbox.status import State
    from controlplane.sandbox.status import status as look

    found = [look(n) for n in ([name] if name else folders_of(os.environ).names())]
    click.echo(json.dumps([_as_json(s) for s in found], indent=2) if format_ == "json" else _as_text(found))
    return Exit.OK if found and all(s.state is State.RUNNING for s in found) else Exit.NEGATIVE


def _report(text: str) -> None:
    click.echo(text, err=True)


def _as_text(found: list[SandboxStatus]) -> str:
    return "\n".join(_one_as_text(s) for s in found) or "there is no sandbox"


def _one_as_text(status: SandboxStatus) -> str:
    lines = [f"{status.name}: {status.state.value}   {status.server or ''}".rstrip(), f"  {status.note}"]
    lines += [f"  {p.program:<26} {p.state.value:<12} {p.pid or ''}".rstrip() for p in status.programs]
    if status.machines is not None:
        lines.append(f"  {status.machines_ready} of {status.machines} simulated machines are ready")
    if status.kubeconfig:
        lines.append(f"  kubeconfig {status.kubeconfig}")
    return "\n".join(lines)


def _as_json(status: SandboxStatus) -> dict[str, object]:
    return {
        "name": status.name,
        "state": status.state.value,
        "simulated": status.simulated,
        "note": status.note,
        "server": status.server,
        "context": status.context,
        "kubeconfig": None if status.kubeconfig is None else str(status.kubeconfig),
        "kubectl": None if status.kubectl is None else str(status.kubectl),
        "versions": dict(status.versions),
        "machines": status.machines,
        "machines_ready": status.machines_ready,
        "programs": [
            {"program": p.program, "state": p.state.value, "pid": p.pid, "log": str(p.log)} for p in status.programs
        ],
    }
