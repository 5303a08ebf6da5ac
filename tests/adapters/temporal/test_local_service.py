"""The local service, for real: its server and worker are started, killed and brought back."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.adapters.errors import Unreachable
from controlplane.adapters.temporal import processes
from controlplane.adapters.temporal.local_service import LocalService, ServiceStatus

QUEUE = "controlplane"


def service_in(folder: Path, *, version: str = "1", module: str = "controlplane.workflows.worker") -> LocalService:
    """A service whose worker is the real one."""
    return LocalService(
        folder,
        lambda address: [sys.executable, "-m", module, "--address", address],
        environment=os.environ,
        version=version,
        task_queue=QUEUE,
    )


def start(service: LocalService) -> ServiceStatus:
    """Start and wait."""
    return asyncio.run(service.start())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A state folder; whatever runs there is stopped at the end."""
    yield tmp_path / "temporal"
    service_in(tmp_path / "temporal").stop()


def kill(pid: int | None) -> None:
    """SIGKILL, and wait until the process is gone."""
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_service_that_never_ran_is_absent(tmp_path: Path) -> None:
    status = service_in(tmp_path / "absent").status()
    assert not status.running
    assert service_in(tmp_path / "absent").stop().stopped == ()
    assert not (tmp_path / "absent").exists()


def test_start_is_idempotent_and_stop_ends_both_parts(folder: Path) -> None:
    service = service_in(folder)
    first = start(service)
    assert first.started == ("server", "worker")
    second = start(service_in(folder))
    assert second.started == ()
    assert (second.server_pid, second.worker_pid) == (first.server_pid, first.worker_pid)
    server, worker = service.logs()
    assert (server.part, worker.part) == ("server", "worker")
    assert any(f"working on {QUEUE}" in line for line in worker.lines)
    stopped = service.stop()
    assert stopped.stopped == ("worker", "server")
    assert not stopped.running
    assert processes.holder(folder / "server.lock") is None


def test_what_was_killed_is_brought_back_at_the_same_address(folder: Path) -> None:
    service = service_in(folder)
    first = start(service)
    kill(first.worker_pid)
    second = start(service)
    assert second.started == ("worker",)
    kill(second.server_pid)
    third = start(service)
    assert third.started == ("server",)
    assert (third.address, third.worker_pid) == (first.address, second.worker_pid)


def test_a_worker_of_another_or_unknown_version_is_replaced(folder: Path) -> None:
    first = start(service_in(folder, version="1"))
    (folder / "service.json").write_text("{damaged")
    status = service_in(folder).status()
    assert (status.address, status.server_pid) == (first.address, first.server_pid)
    second = start(service_in(folder, version="2"))
    assert second.started == ("worker",)
    assert second.server_pid == first.server_pid
    assert second.worker_pid != first.worker_pid


def test_a_worker_that_ends_at_once_is_told_with_its_log(folder: Path) -> None:
    with pytest.raises(Unreachable, match=r"the local worker did not come up; its log ends: .*no_such_module"):
        start(service_in(folder, module="no_such_module"))
