"""What an engine was told to serve. The layers themselves are tested on a real API server."""

from __future__ import annotations

import pytest

from controlplane.emit.bundle import Manifest
from controlplane.workflows.cluster_health import served_name


def workload(command: list[str], args: list[str]) -> Manifest:
    """A Deployment of one container."""
    return {"spec": {"template": {"spec": {"containers": [{"name": "vllm", "command": command, "args": args}]}}}}


@pytest.mark.parametrize(
    ("command", "args", "name"),
    [
        pytest.param(["vllm", "serve"], ["m", "--served-model-name=chat"], "chat", id="joined"),
        pytest.param(["vllm", "serve"], ["m", "--served-model-name", "chat", "chat-8b"], "chat", id="several"),
        pytest.param(["vllm", "serve", "--served-model-name", "chat"], [], "chat", id="in the command"),
        pytest.param(["vllm", "serve"], ["m"], None, id="not told"),
        pytest.param(["vllm", "serve"], ["m", "--served-model-name"], None, id="without a value"),
    ],
)
def test_the_served_name_is_read_from_the_command_line(command: list[str], args: list[str], name: str | None) -> None:
    assert served_name(workload(command, args)) == name


def test_a_workload_without_pods_serves_nothing() -> None:
    assert served_name({"kind": "Deployment"}) is None
