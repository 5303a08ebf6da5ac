"""A local, real Kubernetes control plane with simulated machines: up, down, status.

Called by the command line and the tests. etcd, API server, scheduler, controller manager and KubeRay operator are
real; machines and pods are simulated by kwok: no container runs.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from controlplane.sandbox import programs
from controlplane.sandbox.api import ApiServer, api_of
from controlplane.sandbox.binaries import binaries_in, processor, versions
from controlplane.sandbox.build import build
from controlplane.sandbox.commands import API_SERVER, ETCD, PROGRAMS, Place, Ports
from controlplane.sandbox.errors import NotRunning, SandboxError
from controlplane.sandbox.folders import Folders, folders_of
from controlplane.sandbox.locks import Report, held
from controlplane.sandbox.machines import Machine, apply_machines, await_machines
from controlplane.sandbox.preflight import (
    STATE_BYTES,
    free_bytes,
    free_ports,
    port_is_free,
    require_disk,
    require_port,
)
from controlplane.sandbox.record import Record, read, write
from controlplane.sandbox.startup import bring_up

DEFAULT_NAME = "default"

_UP_PATIENCE_S = 3600.0
"""Another `up` may be building the programs."""
_DOWN_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A running sandbox. Its machines and pods are simulated; everything else is real."""

    name: str
    folder: Path
    kubeconfig: Path
    context: str
    server: str
    kubectl: Path

    def api(self) -> ApiServer:
        """The API server, as the sandbox's administrator."""
        return api_of(self.kubeconfig)


def context_of(name: str) -> str:
    """The kubeconfig context of the sandbox called `name`."""
    return f"controlplane-sandbox-{name}"


def up(
    name: str = DEFAULT_NAME,
    machines: Iterable[Machine] | None = None,
    *,
    report: Report,
    folders: Folders | None = None,
    api_port: int | None = None,
) -> Sandbox:
    """Make the sandbox run, with exactly `machines`; what runs already is left alone, what has ended is started.

    `machines` None leaves the machines as they are. `api_port` asks for a port of the API server. Raises a
    `SandboxError`; a sandbox that did not come up is stopped again, and its logs are kept.
    """
    folders = folders or folders_of(os.environ)
    folder = folders.sandbox(name)
    processor()
    require_disk(STATE_BYTES, free_bytes(folder), folder, f"the sandbox {name!r}")
    if api_port is not None and not _has_port(folder, api_port):
        require_port(api_port, port_is_free(api_port))
    with held(folders.lock(name), f"the sandbox {name!r}", report=report, patience_s=_UP_PATIENCE_S):
        build(folders.cache, report=report)
        place = _started(name, folder, folders.cache, api_port, report)
        sandbox = _sandbox(name, place)
        if machines is not None:
            _set_machines(sandbox, tuple(machines), report)
    return sandbox


def down(name: str = DEFAULT_NAME, *, report: Report, folders: Folders | None = None) -> bool:
    """Stop the sandbox and remove its folder, also after a crash; False when there was nothing of it."""
    folders = folders or folders_of(os.environ)
    folder = folders.sandbox(name)
    with held(folders.lock(name), f"the sandbox {name!r}", report=report, patience_s=_DOWN_PATIENCE_S):
        stopped = programs.stop_all(folder, report)
        existed = folder.is_dir()
        shutil.rmtree(folder, ignore_errors=True)
    return existed or stopped > 0


def find(name: str = DEFAULT_NAME, *, folders: Folders | None = None) -> Sandbox:
    """The sandbox of that name, if all its programs run; raises `NotRunning`."""
    folders = folders or folders_of(os.environ)
    folder = folders.sandbox(name)
    record = read(folder)
    alive = programs.running(record)
    if record is None:
        there = ", ".join(folders.names()) or "none"
        raise NotRunning(f"there is no sandbox {name!r}", f"There are: {there}. Start one: {_up(name)}")
    if alive.keys() != set(PROGRAMS):
        raise NotRunning(
            f"the sandbox {name!r} does not run: {len(alive)} of {len(PROGRAMS)} programs are alive",
            f"Start or repair it: {_up(name)}",
        )
    return _sandbox(name, Place(folder, record.ports, binaries_in(folders.cache)))


def _up(name: str) -> str:
    return f"controlplane sandbox up --name {name}"


def _started(name: str, folder: Path, cache: Path, api_port: int | None, report: Report) -> Place:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    record = _record_to_start_from(folder, api_port, report)
    place = Place(folder, record.ports, binaries_in(cache))
    if programs.running(record).keys() != set(PROGRAMS):
        began = time.monotonic()
        write(folder, record)
        try:
            bring_up(place, record, context_of(name), report)
        except BaseException:
            # Half a sandbox is of no use, and on an interrupt nobody would know of it.
            with suppress(SandboxError):
                programs.stop_all(folder, report)
            raise
        report(f"the sandbox {name!r} is up after {time.monotonic() - began:.1f} s; machines and pods are simulated")
    return place


def _record_to_start_from(folder: Path, api_port: int | None, report: Report) -> Record:
    """The record with what may go on running; a new one, with everything stopped, when the foundation is gone.

    The other programs hold on to the API server's address and to what they saw there, so they go on only with it.
    """
    record = read(folder)
    programs.stop_strays(folder, record, report)
    alive = programs.running(record)
    if record and alive.keys() >= {ETCD, API_SERVER} and _fits(record, api_port):
        return record
    if alive:
        report(f"only {', '.join(alive)} of the sandbox run as they should: starting it anew on its data")
        programs.stop_all(folder, report)
    return Record(ports=_ports(record, api_port), versions=versions())


def _fits(record: Record, api_port: int | None) -> bool:
    return record.versions == versions() and api_port in (None, record.ports.api)


def _ports(record: Record | None, api_port: int | None) -> Ports:
    """The ports of before, so that kubeconfigs stay right, unless somebody took one meanwhile."""
    if record and api_port in (None, record.ports.api) and all(map(port_is_free, record.ports.all())):
        return record.ports
    etcd, peer, api, kwok, operator = free_ports(5)
    return Ports(etcd=etcd, etcd_peer=peer, api=api_port or api, kwok=kwok, operator=operator)


def _has_port(folder: Path, api_port: int) -> bool:
    record = read(folder)
    return record is not None and record.ports.api == api_port and API_SERVER in programs.running(record)


def _set_machines(sandbox: Sandbox, machines: tuple[Machine, ...], report: Report) -> None:
    api = sandbox.api()
    removed = apply_machines(api, machines)
    if removed:
        report(f"removed {len(removed)} machines: {', '.join(removed)}")
    await_machines(api)
    report(f"{len(machines)} simulated machines are ready")


def _sandbox(name: str, place: Place) -> Sandbox:
    return Sandbox(
        name=name,
        folder=place.folder,
        kubeconfig=place.kubeconfig,
        context=context_of(name),
        server=place.server,
        kubectl=place.binaries.program("kubectl"),
    )
