"""Detached processes that are known by their lock. Real ones."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from controlplane.adapters.errors import Misconfigured
from controlplane.adapters.temporal import processes

SLEEPER = [sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()", "--port", "7233"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)",
]


def started(folder: Path, command: list[str] = SLEEPER) -> int:
    """A process that holds the lock, once it has said that it is ready."""
    pid = processes.start(folder / "lock", command, folder / "log", dict(os.environ))
    while (folder / "log").read_text() == "":
        assert processes.holder(folder / "lock") == pid
    return pid


def test_a_process_is_known_by_its_lock_until_it_ends(tmp_path: Path) -> None:
    assert processes.holder(tmp_path / "lock") is None
    pid = started(tmp_path)
    assert processes.holder(tmp_path / "lock") == pid
    assert processes.argument_of(pid, "--port") == "7233"
    assert processes.stop(tmp_path / "lock", 20)
    assert processes.holder(tmp_path / "lock") is None
    assert not processes.stop(tmp_path / "lock", 20)


def test_a_second_process_is_not_started_under_the_same_lock(tmp_path: Path) -> None:
    pid = started(tmp_path)
    with pytest.raises(Misconfigured, match=f"is held by process {pid}"):
        processes.start(tmp_path / "lock", SLEEPER, tmp_path / "log", dict(os.environ))
    processes.stop(tmp_path / "lock", 20)


def test_a_killed_process_frees_its_lock(tmp_path: Path) -> None:
    pid = started(tmp_path)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert processes.holder(tmp_path / "lock") is None


def test_a_process_that_ignores_the_request_to_end_is_killed(tmp_path: Path) -> None:
    started(tmp_path, STUBBORN)
    assert processes.stop(tmp_path / "lock", 0.1)
    assert processes.holder(tmp_path / "lock") is None


def test_a_process_leads_a_session_of_its_own(tmp_path: Path) -> None:
    pid = started(tmp_path)
    assert os.getsid(pid) == pid
    processes.stop(tmp_path / "lock", 20)


def test_a_lock_that_stays_taken_is_told(tmp_path: Path) -> None:
    with (
        processes.exclusive(tmp_path / "lock", "the service", 0),
        pytest.raises(Misconfigured, match="another process works on the service"),
        processes.exclusive(tmp_path / "lock", "the service", 0.1),
    ):
        pass
