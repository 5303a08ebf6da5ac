"""Detached processes that are known by the lock they hold, not by a pid that somebody wrote down.

A process is started with the descriptor of an exclusively locked file. The kernel keeps that lock exactly as long as
the process lives, so nobody else can be started in its place meanwhile, a record can neither be lost nor go stale,
and a recycled pid is never mistaken for it. Linux only (/proc, pidfd).
"""

from __future__ import annotations

import fcntl
import itertools
import os
import select
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from controlplane.adapters.errors import Misconfigured

_PROC = Path("/proc")
_POLL_S = 0.05
_KILL_PATIENCE_S = 10.0


@contextmanager
def exclusive(lock: Path, what: str, patience_s: float) -> Iterator[None]:
    """Hold a lock while a block runs.

    Raises:
        Misconfigured: somebody else holds it for longer than `patience_s` seconds.
    """
    descriptor = _open(lock)
    try:
        deadline = time.monotonic() + patience_s
        while not _taken(descriptor):
            if time.monotonic() > deadline:
                raise Misconfigured(
                    f"another process works on {what} for more than {patience_s:g} s (lock {lock})",
                    remedy="Let it finish, or end it, and try again.",
                )
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


def start(lock: Path, argv: Sequence[str], log: Path, environment: Mapping[str, str]) -> int:
    """Start a program in a session of its own that holds `lock` for as long as it lives; returns its pid.

    Its output is appended to `log`. Raises `Misconfigured` when the lock is held, that is when it runs already.
    """
    descriptor = _open(lock)
    try:
        if not _taken(descriptor):
            raise Misconfigured(
                f"the lock {lock} is held by process {holder(lock)}", remedy="Stop that process and try again."
            )
        os.set_inheritable(descriptor, True)
        return os.posix_spawn(
            argv[0],
            list(argv),
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
            setsigmask=(),
            setsigdef=(signal.SIGINT, signal.SIGTERM, signal.SIGPIPE),
        )
    finally:
        # Closed without unlocking: the lock now belongs to the child alone.
        os.close(descriptor)


def holder(lock: Path) -> int | None:
    """The pid of the process that holds the lock; None when it is free."""
    if not lock.exists():
        return None
    descriptor = _open(lock)
    try:
        if _taken(descriptor):
            return None
    finally:
        os.close(descriptor)
    wanted = lock.stat()
    return next((pid for pid in _pids() if _has_open(pid, wanted)), None)


def stop(lock: Path, patience_s: float) -> bool:
    """End the holder of a lock: SIGTERM, and SIGKILL after `patience_s` seconds; returns whether there was one."""
    pid = holder(lock)
    if pid is None:
        return False
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        # Asked again with the pidfd open: what it refers to can no longer be replaced.
        if holder(lock) == pid:
            _end(descriptor, patience_s)
    finally:
        os.close(descriptor)
        reap(pid)
    return True


def reap(pid: int) -> None:
    """Collect a child that has ended; one that another process started is not ours to collect."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def argument_of(pid: int, flag: str) -> str:
    """The value that follows a flag on a running process's command line; empty when it is not there."""
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""
    return next((value for name, value in itertools.pairwise(words) if name == flag), "")


def _end(process: int, patience_s: float) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(process, signal.SIGTERM)
        if not _ended(process, patience_s):
            signal.pidfd_send_signal(process, signal.SIGKILL)
            _ended(process, _KILL_PATIENCE_S)


def _ended(process: int, patience_s: float) -> bool:
    """Whether the process of a pidfd ends within so many seconds."""
    poll = select.poll()
    poll.register(process, select.POLLIN)
    return bool(poll.poll(patience_s * 1000))


def _open(lock: Path) -> int:
    return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _taken(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _pids() -> Iterator[int]:
    own = os.getpid()
    return (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit() and int(entry.name) != own)


def _has_open(pid: int, wanted: os.stat_result) -> bool:
    with suppress(OSError):
        for entry in (_PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                found = entry.stat()
                if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                    return True
    return False
