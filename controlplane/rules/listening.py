"""Where an engine listens."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived
from controlplane.stack.pods import HttpGet, Probe

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


def asked_of_engine(engine: DeployedEngine) -> Iterator[tuple[str, Probe, HttpGet]]:
    """The HTTP probes of an engine's container that certainly ask the engine: alone in its pod, at its own port."""
    served, container, pods = engine_port(engine), engine.container, engine.pods
    if container is None or pods is None or not isinstance(served, Known):
        return
    if engine.workload.ray is not None or len(pods.containers) > 1 or pods.init_containers:
        return  # what another container of the pod listens at is not known
    numbers = {port.name: port.number for port in container.ports if port.name}
    for kind, probe in (
        ("startup", container.startup_probe),
        ("readiness", container.readiness_probe),
        ("liveness", container.liveness_probe),
    ):
        if probe is not None and isinstance(probe.handler, HttpGet):
            port = probe.handler.port
            if (numbers.get(port) if isinstance(port, str) else port) == served.value:
                yield kind, probe, probe.handler
