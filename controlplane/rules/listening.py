"""Where an engine listens."""

from __future__ import annotations

from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived

_ELSEWHERE = ("uds", "headless", "grpc", "api_server_count", "config")
"""Arguments that make an engine listen at no port, or at one that the command line does not show."""


def engine_port(engine: DeployedEngine) -> Fact[int]:
    """The port of vLLM's HTTP server: `--port`, 8000 in every version where nobody wrote it."""
    if engine.container is None or any(engine.written(name) != ABSENT for name in _ELSEWHERE):
        return Unknown(Why.UNRESOLVED, "the port where the engine listens")
    port = engine.written("port")
    if port == ABSENT:
        return derived(8000, "vLLM's default for --port")
    if isinstance(port, Known) and isinstance(port.value, int):
        return Known(port.value, port.origin)
    return Unknown(Why.UNRESOLVED, "the port where the engine listens")
