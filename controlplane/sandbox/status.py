"""What there is of a sandbox right now, without changing anything."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from controlplane.sandbox import programs
from controlplane.sandbox.api import UNREACHABLE, api_of
from controlplane.sandbox.binaries import binaries_in
from controlplane.sandbox.commands import PROGRAMS, Place
from controlplane.sandbox.errors import ApiRefused
from controlplane.sandbox.folders import Folders, folders_of
from controlplane.sandbox.lifecycle import DEFAULT_NAME, context_of
from controlplane.sandbox.machines import is_ready, nodes
from controlplane.sandbox.processes import belonging_to
from controlplane.sandbox.record import Record, read

SIMULATED = "machines and pods are simulated by kwok; no container runs"


class State(enum.StrEnum):
    """`broken`: some of it runs, or its API server does not answer. `stopped`: nothing runs, the data are there."""

    RUNNING = "running"
    BROKEN = "broken"
    STOPPED = "stopped"
    ABSENT = "absent"


class ProgramState(enum.StrEnum):
    """`ended`: it was started and is gone. `not started`: there is no trace of it."""

    RUNNING = "running"
    ENDED = "ended"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True)
class ProgramStatus:
    """One program; `pid` only while it runs."""

    program: str
    state: ProgramState
    pid: int | None
    log: Path


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """One sandbox. `machines` and `machines_ready` are None when the API server does not answer."""

    name: str
    state: State
    folder: Path
    kubeconfig: Path | None
    context: str
    server: str | None
    programs: tuple[ProgramStatus, ...]
    versions: Mapping[str, str]
    machines: int | None = None
    machines_ready: int | None = None
    kubectl: Path | None = None
    simulated: bool = True
    note: str = SIMULATED


def status(name: str = DEFAULT_NAME, *, folders: Folders | None = None) -> SandboxStatus:
    """The status of one sandbox; one that does not exist is `absent`. Raises `UnusableName` only."""
    folders = folders or folders_of(os.environ)
    folder = folders.sandbox(name)
    record = read(folder)
    if record is None:
        state = _state_without_record(folder)
        return SandboxStatus(name, state, folder, None, context_of(name), None, (), {})
    place = Place(folder, record.ports, binaries_in(folders.cache))
    statuses = _programs(place, record)
    machines = _machines(place)
    return SandboxStatus(
        name=name,
        state=_state(statuses, reachable=machines is not None),
        folder=folder,
        kubeconfig=place.kubeconfig,
        context=context_of(name),
        server=place.server,
        programs=statuses,
        versions=record.versions,
        machines=machines[0] if machines else None,
        machines_ready=machines[1] if machines else None,
        kubectl=place.binaries.program("kubectl"),
    )


def _state_without_record(folder: Path) -> State:
    if belonging_to(folder):
        return State.BROKEN
    return State.STOPPED if folder.is_dir() else State.ABSENT


def _programs(place: Place, record: Record) -> tuple[ProgramStatus, ...]:
    alive = programs.running(record)
    return tuple(
        ProgramStatus(
            program=program,
            state=_program_state(program in alive, program in record.processes),
            pid=alive[program].pid if program in alive else None,
            log=place.log(program),
        )
        for program in PROGRAMS
    )


def _program_state(running: bool, recorded: bool) -> ProgramState:
    if running:
        return ProgramState.RUNNING
    return ProgramState.ENDED if recorded else ProgramState.NOT_STARTED


def _machines(place: Place) -> tuple[int, int] | None:
    """How many machines there are, and how many are ready; None when nobody answers."""
    try:
        live = nodes(api_of(place.kubeconfig), group=None)
    except (*UNREACHABLE, ApiRefused):
        return None
    return len(live), sum(map(is_ready, live))


def _state(statuses: tuple[ProgramStatus, ...], reachable: bool) -> State:
    running = sum(entry.state is ProgramState.RUNNING for entry in statuses)
    if running == 0:
        return State.STOPPED
    return State.RUNNING if running == len(statuses) and reachable else State.BROKEN
