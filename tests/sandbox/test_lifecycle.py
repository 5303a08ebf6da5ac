"""On real programs: etcd, API server, scheduler, controller manager, kwok and the KubeRay operator."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from controlplane.sandbox import processes
from controlplane.sandbox.commands import PROGRAMS
from controlplane.sandbox.errors import LowDisk, NotRunning, PortInUse, ProgramFailed
from controlplane.sandbox.folders import Folders, folders_of
from controlplane.sandbox.lifecycle import Sandbox, down, find, up
from controlplane.sandbox.machines import Machine
from controlplane.sandbox.preflight import free_ports
from controlplane.sandbox.processes import MARK
from controlplane.sandbox.status import ProgramState, SandboxStatus, State, status

pytestmark = pytest.mark.cluster

MACHINE = Machine(name="one", allocatable={"cpu": "4", "memory": "8Gi"})

_UP_AND_SLEEP = """
import sys, time
from pathlib import Path
from controlplane.sandbox.folders import Folders, folders_of
from controlplane.sandbox.lifecycle import up

def report(text):
    print(text, flush=True)
    if text == f"starting {sys.argv[3]}":
        time.sleep(600)

up("one", report=report, folders=Folders(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def _quiet(_: str) -> None:
    pass


Report = Callable[[str], None]


@pytest.fixture
def folders(sandbox_folders: Folders, tmp_path: Path) -> Iterator[Folders]:
    """State of one test alone; whatever it starts is taken down."""
    own = replace(sandbox_folders, state=tmp_path / "state")
    yield own
    for name in own.names():
        down(name, report=_quiet, folders=own)


@dataclass(frozen=True)
class Breakable:
    """A second sandbox that the tests of this file break: `up` again, by any of them, repairs it."""

    folders: Folders
    home: Path
    kubeconfig_of_user: Path
    api_port: int

    def up(self, report: Report = _quiet) -> Sandbox:
        return up("one", [MACHINE], report=report, folders=self.folders, api_port=self.api_port)

    def status(self) -> SandboxStatus:
        return status("one", folders=self.folders)


@pytest.fixture(scope="module")
def breakable(sandbox_folders: Folders, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Breakable]:
    """Started from an environment of its own: a HOME, and a KUBECONFIG that is the user's."""
    home, kubeconfig = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("user") / "config"
    kubeconfig.write_text("the user's")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HOME", str(home))
        environment.setenv("KUBECONFIG", str(kubeconfig))
        environment.delenv("XDG_STATE_HOME", raising=False)
        environment.setenv("CONTROLPLANE_CACHE", str(sandbox_folders.cache))
        own = folders_of(os.environ)
    (port,) = free_ports(1)
    yield Breakable(own, home, kubeconfig, port)
    down("one", report=_quiet, folders=own)


def _pids(state: SandboxStatus) -> dict[str, int]:
    return {entry.program: entry.pid for entry in state.programs if entry.pid is not None}


def _kill(pid: int) -> None:
    """SIGKILL, as the kernel short of memory does, and wait until it is over."""
    identity = processes.identify(pid)
    assert identity is not None
    os.kill(pid, signal.SIGKILL)
    processes.stop([identity], 10)


# A sandbox that runs


def test_real_api_server_answers_over_tls_with_the_sandbox_kubeconfig(sandbox: Sandbox) -> None:
    answer = sandbox.api().get("/version")
    assert answer["gitVersion"] == "v1.36.3"
    assert (answer["major"], answer["minor"]) == ("1", "36")
    assert sandbox.server.startswith("https://127.0.0.1:")


def test_only_its_owner_can_read_what_opens_the_sandbox(sandbox: Sandbox) -> None:
    assert sandbox.folder.stat().st_mode & 0o777 == 0o700
    for name in ("kubeconfig", "kwok.kubeconfig", "tokens.csv", "service-account.key", "sandbox.json"):
        assert (sandbox.folder / name).stat().st_mode & 0o777 == 0o600


def test_kubectl_works_with_the_kubeconfig_and_its_context(sandbox: Sandbox, tmp_path: Path) -> None:
    command = [sandbox.kubectl, "--kubeconfig", sandbox.kubeconfig, "--context", sandbox.context]
    done = subprocess.run(
        [*command, "get", "crds", "-o", "name"],
        capture_output=True,
        text=True,
        check=True,
        env={"HOME": str(tmp_path)},
    )
    assert "customresourcedefinition.apiextensions.k8s.io/rayservices.ray.io" in done.stdout.splitlines()


def test_running_sandbox_is_left_as_it_is(sandbox: Sandbox, sandbox_folders: Folders) -> None:
    before, said = status(sandbox.name, folders=sandbox_folders), list[str]()
    assert up(sandbox.name, report=said.append, folders=sandbox_folders) == sandbox
    assert find(sandbox.name, folders=sandbox_folders) == sandbox
    assert said == []
    assert _pids(status(sandbox.name, folders=sandbox_folders)) == _pids(before)
    assert before.state is State.RUNNING
    assert before.simulated
    assert before.versions["kubernetes"] == "v1.36.3"


def test_nothing_listens_on_another_address_than_loopback(sandbox: Sandbox) -> None:
    ours = {identity.pid for identity in processes.belonging_to(sandbox.folder)}
    sockets, listening = _sockets_of(ours), _listening()
    assert len(ours) == len(PROGRAMS)
    addresses = [listening[inode] for inode in sockets if inode in listening]
    assert len(addresses) >= 5
    assert set(addresses) == {"0100007F"}


def _sockets_of(pids: set[int]) -> set[str]:
    links = [link for pid in pids for link in Path(f"/proc/{pid}/fd").iterdir()]
    targets = [str(link.readlink()) for link in links if link.is_symlink()]
    return {target[8:-1] for target in targets if target.startswith("socket:[")}


def _listening() -> dict[str, str]:
    """Address (hexadecimal, as the kernel prints it) by inode, of every listening TCP socket."""
    lines = list[str]()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        lines += Path(table).read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return {row[9]: row[1].partition(":")[0] for row in rows if row[3] == "0A"}


# Two of them, and the user's own things


def test_two_sandboxes_run_side_by_side_and_know_nothing_of_each_other(
    sandbox: Sandbox, breakable: Breakable
) -> None:
    other = breakable.up()
    other.api().create("/api/v1/namespaces", {"metadata": {"name": "only-in-one"}})
    assert not sandbox.api().exists("/api/v1/namespaces/only-in-one")
    assert (sandbox.context, other.context) == ("controlplane-sandbox-tests", "controlplane-sandbox-one")
    assert breakable.status().machines == 1
    other.api().delete("/api/v1/namespaces/only-in-one")


def test_home_and_kubeconfig_of_the_user_are_not_touched(breakable: Breakable) -> None:
    sandbox = breakable.up()
    state = breakable.home / ".local" / "state" / "controlplane" / "sandbox"
    assert sandbox.folder == state / "one"
    outside = [path for path in breakable.home.rglob("*") if state not in (path, *path.parents)]
    assert sorted(path.name for path in outside) == [".local", "controlplane", "state"]
    assert breakable.kubeconfig_of_user.read_text() == "the user's"


def test_port_that_was_asked_for_is_used(breakable: Breakable) -> None:
    assert breakable.up().server == f"https://127.0.0.1:{breakable.api_port}"


# Crashes and interruptions


def test_ended_program_is_told_and_started_again_and_the_others_are_left_alone(breakable: Breakable) -> None:
    breakable.up()
    before = _pids(breakable.status())
    _kill(before["kube-scheduler"])
    broken = breakable.status()
    assert broken.state is State.BROKEN
    (ended,) = (entry for entry in broken.programs if entry.state is not ProgramState.RUNNING)
    assert (ended.program, ended.state, ended.pid) == ("kube-scheduler", ProgramState.ENDED, None)
    with pytest.raises(NotRunning, match=f"{len(PROGRAMS) - 1} of {len(PROGRAMS)} programs are alive"):
        find("one", folders=breakable.folders)
    said = list[str]()
    breakable.up(said.append)
    assert said[0] == "starting kube-scheduler"
    after = _pids(breakable.status())
    assert {program for program in PROGRAMS if before[program] != after[program]} == {"kube-scheduler"}


def test_all_starts_anew_with_its_data_and_address_after_etcd_was_killed(breakable: Breakable) -> None:
    sandbox = breakable.up()
    sandbox.api().create("/api/v1/namespaces", {"metadata": {"name": "kept"}})
    before = _pids(breakable.status())
    _kill(before["etcd"])
    assert breakable.up() == sandbox
    after = _pids(breakable.status())
    assert breakable.status().state is State.RUNNING
    assert after.keys() == before.keys()
    assert not set(after.values()) & set(before.values())
    assert sandbox.api().exists("/api/v1/namespaces/kept")


def test_down_cleans_up_after_everything_was_killed_and_an_up_was_killed_halfway(breakable: Breakable) -> None:
    folder = breakable.up().folder
    for pid in _pids(breakable.status()).values():
        _kill(pid)
    assert breakable.status().state is State.STOPPED
    _up_killed_at("kwok", breakable.folders)
    assert breakable.status().state is State.BROKEN
    assert processes.belonging_to(folder)
    assert down("one", report=_quiet, folders=breakable.folders)
    assert processes.belonging_to(folder) == ()
    assert not folder.exists()
    assert breakable.status().state is State.ABSENT


def test_up_that_was_killed_before_its_first_program_leaves_nothing_running(folders: Folders) -> None:
    _up_killed_at("etcd", folders)
    assert status("one", folders=folders).state is State.STOPPED
    assert processes.belonging_to(folders.sandbox("one")) == ()
    assert down("one", report=_quiet, folders=folders)


def _up_killed_at(program: str, folders: Folders) -> None:
    """SIGKILL an `up` in the moment before it starts this program."""
    with subprocess.Popen(
        [sys.executable, "-c", _UP_AND_SLEEP, folders.cache, folders.state, program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as interrupted:
        assert interrupted.stdout is not None
        while interrupted.stdout.readline() != f"starting {program}\n":
            assert interrupted.poll() is None
        interrupted.kill()


@pytest.mark.parametrize("record", ["{", None], ids=["cut short", "none"])
def test_programs_without_a_record_are_found_by_their_mark_and_stopped(folders: Folders, record: str | None) -> None:
    folder = folders.sandbox("one")
    folder.mkdir(parents=True)
    lost = processes.start(["/bin/sleep", "600"], folder / "log", {MARK: str(folder)})
    if record:
        (folder / "sandbox.json").write_text(record)
    assert status("one", folders=folders).state is State.BROKEN
    assert down("one", report=_quiet, folders=folders)
    assert not processes.alive(lost)
    assert not folder.exists()


def test_down_of_nothing_says_so(folders: Folders) -> None:
    assert not down("absent", report=_quiet, folders=folders)
    assert status("absent", folders=folders).state is State.ABSENT


def test_program_that_cannot_start_is_told_with_its_log_and_nothing_is_left_running(folders: Folders) -> None:
    folder = folders.sandbox("one")
    (folder / "etcd").mkdir(parents=True)
    (folder / "etcd" / "member").write_text("not a folder")
    with pytest.raises(ProgramFailed, match="etcd ended while it started") as caught:
        up("one", report=_quiet, folders=folders)
    assert str(folder / "logs" / "etcd.log") in caught.value.fact
    assert "member" in caught.value.fact
    assert processes.belonging_to(folder) == ()


# What is looked at first


def test_port_in_use_is_told_before_anything_starts(folders: Folders) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortInUse, match=f"port {port} on 127.0.0.1"):
            up("one", report=_quiet, folders=folders, api_port=port)
    assert not folders.sandbox("one").exists()


def test_disk_that_is_nearly_full_is_told_before_anything_starts(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controlplane.sandbox.lifecycle.free_bytes", lambda _: 5 * 10**8)
    with pytest.raises(LowDisk, match=r"the sandbox 'one' needs 1\.0 GiB on the disk of .*; 0\.5 GiB are free"):
        up("one", report=_quiet, folders=folders)
    assert not folders.sandbox("one").exists()
