"""Starts, recognises and stops the programs of a sandbox.

A pid alone names a process only until the kernel gives it away again. So a process is known by its pid, its start
time and the boot it was started in, and a signal is sent through a pidfd opened before these are compared: a recycled
pid is never hit. Each program also carries the sandbox's folder in its environment, so that one whose start was never
written down (its parent was killed in that moment) is found too.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "CONTROLPLANE_SANDBOX"
"""The environment variable that holds the folder of the sandbox a program belongs to."""

_PROC = Path("/proc")
_KILL_PATIENCE_S = 10.0
_EXEC_PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """One process: `started` in clock ticks since `boot` (the kernel's id of that boot)."""

    pid: int
    started: int
    boot: str


def start(argv: list[str], log: Path, environment: Mapping[str, str]) -> Identity:
    """Start a program in a session of its own, its output appended to `log`; it outlives this process."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    pid = os.posix_spawn(
        argv[0],
        argv,
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=(),
        setsigdef=(signal.SIGINT, signal.SIGTERM, signal.SIGPIPE),
    )
    _await_environment(pid, environment)
    identity = identify(pid)
    # Ended already, and reaped by nobody yet: an identity that is dead, not an error; its log says why.
    return identity or Identity(pid, 0, _boot())


def _await_environment(pid: int, environment: Mapping[str, str]) -> None:
    """Wait until the kernel shows the new program's environment, or the program has ended.

    posix_spawn returns as soon as the child has left our memory, a moment before the kernel has put its own in place;
    until then the environment reads as empty, and `belonging_to` would miss the program.
    """
    deadline = time.monotonic() + _EXEC_PATIENCE_S
    while environment and identify(pid) and not _environment(_PROC / str(pid)) and time.monotonic() < deadline:
        time.sleep(0.0005)


def identify(pid: int) -> Identity | None:
    """The identity of the process that has this pid now; None when there is none or only its remains."""
    try:
        # The second field is the program's name in parentheses and may itself hold spaces and parentheses.
        fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    if fields[0] in "ZX":
        return None
    return Identity(pid, int(fields[19]), _boot())


def alive(identity: Identity) -> bool:
    """Whether exactly this process still runs."""
    _reap(identity.pid)
    return identify(identity.pid) == identity


def belonging_to(folder: Path) -> tuple[Identity, ...]:
    """Every process of ours that carries this sandbox's mark, written down or not."""
    mark = f"{MARK}={folder}".encode()
    marked = [
        int(entry.name)
        for entry in _PROC.iterdir()
        if entry.name.isdigit() and mark in _environment(entry).split(b"\0")
    ]
    return tuple(sorted(identity for pid in marked if (identity := identify(pid))))


def stop(identities: Iterable[Identity], patience_s: float) -> tuple[Identity, ...]:
    """End these processes: SIGTERM to all, and SIGKILL to those that are left after `patience_s` seconds.

    Returns those that had to be killed.
    """
    open_files = {descriptor: identity for identity in identities if (descriptor := _opened(identity)) is not None}
    try:
        _signal(open_files, signal.SIGTERM)
        stubborn = _await_end(open_files, patience_s)
        _signal(stubborn, signal.SIGKILL)
        _await_end(stubborn, _KILL_PATIENCE_S)
        return tuple(stubborn.values())
    finally:
        for descriptor, identity in open_files.items():
            os.close(descriptor)
            _reap(identity.pid)


def _opened(identity: Identity) -> int | None:
    """A pidfd for exactly this process; None when it has ended."""
    try:
        descriptor = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return None
    if identify(identity.pid) == identity:
        return descriptor
    os.close(descriptor)
    return None


def _signal(processes: Mapping[int, Identity], number: signal.Signals) -> None:
    for descriptor in processes:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, number)


def _await_end(processes: Mapping[int, Identity], patience_s: float) -> dict[int, Identity]:
    """Wait until all have ended, at most `patience_s` seconds; returns those that have not."""
    left = dict(processes)
    poll = select.poll()
    for descriptor in left:
        poll.register(descriptor, select.POLLIN)
    deadline = time.monotonic() + patience_s
    while left and (remaining_s := deadline - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(remaining_s * 1000):
            poll.unregister(descriptor)
            left.pop(descriptor)
    return left


def _reap(pid: int) -> None:
    """Collect an ended child; programs started by another process are its, or init's, to collect."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _environment(entry: Path) -> bytes:
    try:
        return (entry / "environ").read_bytes()
    except OSError:
        return b""


def _boot() -> str:
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
