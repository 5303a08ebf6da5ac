"""The sandbox for tests: one real API server a run, shared by all workers, always taken down at the end.

The process that collects the results owns the sandbox: it names the state folder, hands it to the workers of
pytest-xdist, and takes the sandbox down when everything is over. `up` itself is the meeting point: the first worker
that needs the sandbox starts it (and builds its programs if need be), the others find it running. A run that was
killed leaves its sandbox behind; the next run takes it down.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.sandbox.build import build
from controlplane.sandbox.folders import Folders, folders_of
from controlplane.sandbox.lifecycle import Sandbox, down, up
from controlplane.sandbox.machines import Machine, apply_machines, await_machines
from controlplane.sandbox.processes import identify

SANDBOX_NAME = "tests"

DEFAULT_MACHINES = (
    *(
        Machine(
            name=f"h100-{number}",
            labels={"pool": "h100", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
            taints=(("nvidia.com/gpu", "present", "NoSchedule"),),
            allocatable={"nvidia.com/gpu": "8", "cpu": "192", "memory": "2000Gi", "pods": "110"},
        )
        for number in range(4)
    ),
    *(
        Machine(
            name=f"cpu-{number}",
            labels={"pool": "cpu"},
            allocatable={"cpu": "32", "memory": "128Gi", "pods": "110"},
        )
        for number in range(2)
    ),
)

_RUNS = Path(tempfile.gettempdir()) / f"controlplane-tests-{os.getuid()}"
_FOLDER = pytest.StashKey[Path]()
_PODS_GONE_WITHIN_S = 60


def pytest_configure(config: pytest.Config) -> None:
    given = getattr(config, "workerinput", {}).get("sandbox_state")
    config.stash[_FOLDER] = Path(given) if given else _RUNS / f"{os.getpid()}-{uuid.uuid4().hex[:8]}"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Item) -> None:
    """Called by pytest-xdist for each worker."""
    node.workerinput["sandbox_state"] = str(node.config.stash[_FOLDER])  # type: ignore[attr-defined]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the sandbox's programs before the first test: it takes minutes, and a test's time limit would end it."""
    if session.config.option.collectonly:
        return
    if any("sandbox_folders" in getattr(item, "fixturenames", ()) for item in session.items):
        build(folders_of(os.environ).cache, report=_report(session.config))


def pytest_unconfigure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    for state in _RUNS.iterdir() if _RUNS.is_dir() else ():
        owner, _, _ = state.name.partition("-")
        if state == config.stash[_FOLDER] or identify(int(owner)) is None:
            _take_down(state)


def _report(config: pytest.Config) -> Callable[[str], None]:
    capture = config.pluginmanager.getplugin("capturemanager")

    def say(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"sandbox: {text}", file=sys.stderr, flush=True)

    return say


def _take_down(state: Path) -> None:
    folders = replace(folders_of(os.environ), state=state)
    for name in folders.names():
        down(name, report=lambda _: None, folders=folders)
    shutil.rmtree(state, ignore_errors=True)


@pytest.fixture(scope="session")
def sandbox_folders(request: pytest.FixtureRequest) -> Folders:
    """The real cache of built programs, and a state folder of this run."""
    return replace(folders_of(os.environ), state=request.config.stash[_FOLDER])


@pytest.fixture(scope="session")
def report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Says what the sandbox does, past pytest's capture."""
    return _report(request.config)


@pytest.fixture(scope="session")
def sandbox(sandbox_folders: Folders, report: Callable[[str], None]) -> Sandbox:
    """The sandbox of this run, with `DEFAULT_MACHINES`."""
    return up(SANDBOX_NAME, DEFAULT_MACHINES, report=report, folders=sandbox_folders)


@pytest.fixture
def namespace(sandbox: Sandbox) -> Iterator[str]:
    """A new namespace; it and its pods are gone when the next test asks for machines."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    api = sandbox.api()
    api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    api.delete(f"/api/v1/namespaces/{name}")
    # Kubernetes begins to empty a namespace only after five seconds; nothing new can appear in it meanwhile.
    api.delete(f"/api/v1/namespaces/{name}/pods", {"gracePeriodSeconds": 0})
    deadline = time.monotonic() + _PODS_GONE_WITHIN_S
    while api.get(f"/api/v1/namespaces/{name}/pods")["items"] and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.fixture
def own_machines(sandbox: Sandbox) -> Iterator[Callable[..., str]]:
    """A function that adds machines for one test alone: `own_machines(4, gpus=8)` returns their pool label's value.

    Tests of what fits where need machines that no other test's pods are on. The machines carry the taint
    `pool=<value>:NoSchedule`, the label `pool: <value>`, and leave with the test.
    """
    api = sandbox.api()
    pool = f"own-{uuid.uuid4().hex[:8]}"

    def add(count: int, *, gpus: int = 8, cpu: str = "192", memory: str = "2000Gi") -> str:
        machines = [
            Machine(
                name=f"{pool}-{number}",
                labels={"pool": pool},
                taints=(("pool", pool, "NoSchedule"),),
                allocatable={"nvidia.com/gpu": str(gpus), "cpu": cpu, "memory": memory, "pods": "110"},
            )
            for number in range(count)
        ]
        apply_machines(api, machines, group=pool)
        await_machines(api, group=pool)
        return pool

    yield add
    apply_machines(api, (), group=pool)
