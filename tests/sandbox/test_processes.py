from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.sandbox import processes
from controlplane.sandbox.processes import MARK, Identity

_STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ignoring", flush=True)
time.sleep(600)
"""


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Identity]:
    identity = processes.start(["/bin/sleep", "600"], tmp_path / "log", {MARK: str(tmp_path)})
    yield identity
    processes.stop([identity], 0)


def test_started_process_has_a_session_of_its_own_and_is_alive(sleeper: Identity) -> None:
    assert processes.alive(sleeper)
    assert os.getsid(sleeper.pid) == sleeper.pid


def test_stopped_process_is_gone_and_collected(sleeper: Identity) -> None:
    assert processes.stop([sleeper], 10) == ()
    assert not processes.alive(sleeper)
    assert not Path(f"/proc/{sleeper.pid}").exists()


def test_killed_child_that_nobody_collected_counts_as_ended(sleeper: Identity) -> None:
    os.kill(sleeper.pid, signal.SIGKILL)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert processes.identify(sleeper.pid) is None
    assert not processes.alive(sleeper)


def test_recycled_pid_is_not_signalled(sleeper: Identity) -> None:
    earlier = replace(sleeper, started=sleeper.started - 1)
    other_boot = replace(sleeper, boot="another")
    assert not processes.alive(earlier)
    assert processes.stop([earlier, other_boot], 0) == ()
    assert processes.alive(sleeper)


def test_process_that_ignores_sigterm_is_killed_and_named(tmp_path: Path) -> None:
    log = tmp_path / "log"
    stubborn = processes.start([sys.executable, "-c", _STUBBORN], log, {})
    while log.read_text() != "ignoring\n":
        time.sleep(0.01)
    assert processes.stop([stubborn], 0.1) == (stubborn,)
    assert not processes.alive(stubborn)


def test_process_is_found_by_the_mark_of_its_sandbox(sleeper: Identity, tmp_path: Path) -> None:
    assert processes.belonging_to(tmp_path) == (sleeper,)
    assert processes.belonging_to(tmp_path / "other") == ()


def test_output_is_appended_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for word in ("first", "second"):
        ended = processes.start(["/bin/echo", word], log, {})
        while processes.alive(ended):
            time.sleep(0.01)
    assert log.read_text() == "first\nsecond\n"


def test_process_that_ended_before_it_was_looked_at_is_dead_and_no_error(tmp_path: Path) -> None:
    ended = processes.start(["/bin/true"], tmp_path / "log", {})
    while processes.alive(ended):
        time.sleep(0.01)
    assert processes.stop([ended], 0) == ()


def test_started_process_already_carries_its_mark_when_the_kernel_was_slow_to_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The moment itself is too short to hit at will: 3 of 1,800 starts on a busy machine.
    answers = [b"", b"", f"{MARK}={tmp_path}".encode()]
    monkeypatch.setattr(processes, "_environment", lambda _: answers.pop(0))
    identity = processes.start(["/bin/sleep", "600"], tmp_path / "log", {MARK: str(tmp_path)})
    processes.stop([identity], 0)
    assert answers == []
