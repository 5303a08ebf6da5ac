"""One process at a time: a file lock that the kernel drops with its holder, so that it cannot become stale."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from controlplane.sandbox.errors import Busy

Report = Callable[[str], None]

_POLL_S = 0.2


@contextmanager
def held(path: Path, what: str, *, report: Report, patience_s: float) -> Iterator[None]:
    """Hold the lock at `path` while `what` (for messages) is worked on; raises `Busy` after `patience_s` seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _acquire(descriptor, what, report=report, patience_s=patience_s)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, what: str, *, report: Report, patience_s: float) -> None:
    if _taken(descriptor):
        return
    holder = _holder(descriptor)
    report(f"waiting for {holder}, which works on {what}")
    deadline = time.monotonic() + patience_s
    while not _taken(descriptor):
        if time.monotonic() > deadline:
            raise Busy(
                f"{holder} still works on {what} after {patience_s:.0f} s",
                "Let it finish, or end it, and try again.",
            )
        time.sleep(_POLL_S)


def _taken(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _holder(descriptor: int) -> str:
    pid = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
    return f"process {pid}" if pid else "another process"
