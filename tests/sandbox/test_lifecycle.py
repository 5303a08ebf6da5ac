"""On real programs: etcd, API server, scheduler, controller manager, kwok and the KubeRay operator."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.sandbox import processes
from controlplane.sandbox.commands import PROGRAMS
from controlplane.sandbox.folders import Folders
from controlplane.sandbox.lifecycle import Sandbox, down, up
from controlplane.sandbox.machines import Machine
from controlplane.sandbox.status import SandboxStatus, State, status

pytestmark = pytest.mark.cluster

Report = Callable[[str], None]
MACHINE = Machine(name="one", allocatable={"cpu": "4", "memory": "8Gi"})


@pytest.fixture
def folders(sandbox_folders: Folders, tmp_path: Path) -> Iterator[Folders]:
    """State of one test alone; whatever it starts is taken down."""
    own = replace(sandbox_folders, state=tmp_path / "state")
    yield own
    for name in own.names():
        down(name, report=lambda _: None, folders=own)


def _pids(state: SandboxStatus) -> dict[str, int]:
    return {entry.program: entry.pid for entry in state.programs if entry.pid is not None}


def _kill(pid: int, folder: Path) -> None:
    (identity,) = (found for found in processes.belonging_to(folder) if found.pid == pid)
    os.kill(pid, signal.SIGKILL)
    processes.stop([identity], 10)


def test_real_api_server_answers_over_tls_with_the_sandbox_kubeconfig(sandbox: Sandbox) -> None:
    answer = sandbox.api().get("/version")
    assert answer["gitVersion"] == "v1.36.3"
    assert (answer["major"], answer["minor"]) == ("1", "36")
    assert sandbox.kubeconfig.stat().st_mode & 0o777 == 0o600


def test_kubectl_works_with_the_kubeconfig_and_its_context(sandbox: Sandbox) -> None:
    command = [sandbox.kubectl, "--kubeconfig", sandbox.kubeconfig, "--context", sandbox.context]
    done = subprocess.run([*command, "get", "crds", "-o", "name"], capture_output=True, text=True, check=True, env={})
    assert "customresourcedefinition.apiextensions.k8s.io/rayservices.ray.io" in done.stdout.splitlines()


def test_running_sandbox_is_left_as_it_is(sandbox: Sandbox, sandbox_folders: Folders) -> None:
    before, said = status(sandbox.name, folders=sandbox_folders), []
    assert up(sandbox.name, report=said.append, folders=sandbox_folders) == sandbox
    assert said == []
    assert status(sandbox.name, folders=sandbox_folders) == before
    assert before.state is State.RUNNING
    assert (before.machines, before.machines_ready) != (0, 0)
    assert before.simulated


def test_nothing_listens_on_another_address_than_loopback(sandbox: Sandbox) -> None:
    ours = {identity.pid for identity in processes.belonging_to(sandbox.folder)}
    sockets = _sockets_of(ours)
    listening = _listening()
    addresses = {listening[inode] for inode in sockets if inode in listening}
    assert len(ours) == len(PROGRAMS)
    assert len(addresses) == 1
    assert addresses == {"0100007F"}


def _sockets_of(pids: set[int]) -> set[str]:
    links = [link for pid in pids for link in Path(f"/proc/{pid}/fd").iterdir()]
    targets = [str(link.readlink()) for link in links if link.is_symlink()]
    return {target[8:-1] for target in targets if target.startswith("socket:[")}


def _listening() -> dict[str, str]:
    """Address (hexadecimal, as the kernel prints it) by inode, of every listening TCP socket."""
    lines = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        lines += Path(table).read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return {row[9]: row[1].partition(":")[0] for row in rows if row[3] == "0A"}
