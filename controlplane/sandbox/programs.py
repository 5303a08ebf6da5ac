"""Brings the programs of one sandbox up and down: what runs is left alone, what does not is started again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from controlplane.sandbox import processes
from controlplane.sandbox.commands import PROGRAMS, STOP_ORDER, Place, command, environment
from controlplane.sandbox.errors import ProgramFailed
from controlplane.sandbox.locks import Report
from controlplane.sandbox.processes import Identity
from controlplane.sandbox.record import Record, read, write

READY_WITHIN_S = 240.0
"""How long a program may take to get ready; a second or two is usual, on a busy machine more."""

_STOP_PATIENCE_S = 10.0
_POLL_S = 0.05
_LOG_TAIL_CHARACTERS = 1500


def running(record: Record | None) -> dict[str, Identity]:
    """The recorded processes that are alive, by program."""
    if record is None:
        return {}
    return {program: identity for program, identity in record.processes.items() if processes.alive(identity)}


def ensure_started(program: str, place: Place, record: Record, report: Report) -> Record:
    """Start one program unless it runs; its process is in the record that is returned, and on disk."""
    identity = record.processes.get(program)
    if identity and processes.alive(identity):
        return record
    report(f"starting {program}")
    started = processes.start(command(program, place), place.log(program), environment(program, place))
    after = record.with_process(program, started)
    write(place.folder, after)
    return after


def await_ready(program: str, place: Place, record: Record, condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds; raises `ProgramFailed` when the program ends first, or takes too long."""
    deadline = time.monotonic() + READY_WITHIN_S
    while not condition():
        if not processes.alive(record.processes[program]):
            raise _failed(program, place, "ended while it started")
        if time.monotonic() > deadline:
            raise _failed(program, place, f"was not ready after {READY_WITHIN_S:.0f} s")
        time.sleep(_POLL_S)


def stop_all(folder: Path, report: Report) -> int:
    """Stop every process of the sandbox in `folder`, recorded or only marked; returns how many there were."""
    found = {identity: program for program, identity in running(read(folder)).items()}
    for stray in processes.belonging_to(folder):
        found.setdefault(stray, _program_of(stray))
    for group in _stop_groups(found):
        names = ", ".join(sorted(found[identity] for identity in group))
        report(f"stopping {names}")
        killed = processes.stop(group, _STOP_PATIENCE_S)
        for identity in killed:
            report(f"{found[identity]} did not stop within {_STOP_PATIENCE_S:.0f} s and was killed")
    return len(found)


def stop_strays(folder: Path, record: Record | None, report: Report) -> None:
    """Stop what carries the sandbox's mark and is not in its record: nobody knows how it was started."""
    known = set(running(record).values())
    strays = [identity for identity in processes.belonging_to(folder) if identity not in known]
    if strays:
        report(f"stopping {', '.join(map(_program_of, strays))}, left over from an interrupted start")
        processes.stop(strays, _STOP_PATIENCE_S)


def _stop_groups(found: dict[Identity, str]) -> Iterable[list[Identity]]:
    """In the order of `STOP_ORDER`; what is none of our programs goes with the first group."""
    for number, names in enumerate(STOP_ORDER):
        group = [
            identity
            for identity, program in found.items()
            if program in names or (number == 0 and program not in PROGRAMS)
        ]
        if group:
            yield group


def _program_of(identity: Identity) -> str:
    try:
        return Path(f"/proc/{identity.pid}/exe").readlink().name.removesuffix(" (deleted)")
    except OSError:
        return f"process {identity.pid}"


def _failed(program: str, place: Place, what: str) -> ProgramFailed:
    log = place.log(program)
    tail = log.read_text(errors="replace")[-_LOG_TAIL_CHARACTERS:].strip() if log.exists() else ""
    return ProgramFailed(
        f"{program} {what}; the end of {log}:\n{tail}",
        "Take the sandbox down and up again; if this repeats, the log says more.",
    )
