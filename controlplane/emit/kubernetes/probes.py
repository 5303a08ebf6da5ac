"""Probes, and the wait before a container is stopped."""

from __future__ import annotations

from typing import Any, assert_never

from controlplane.emit.bundle import at, sourced
from controlplane.stack.facts import Derived, Fact
from controlplane.stack.pods import ExecProbe, HttpGet, Probe, TcpSocket


def build(probe: Probe | None) -> dict[str, Any] | None:
    """A probe. A delay of 0 is left out: the API server stores none, and would answer without it."""
    if probe is None:
        return None
    kind, handler = _handler(probe.handler)
    delay = sourced(probe.initial_delay_seconds)
    return {
        kind: at(handler, probe.origin or Derived("what the probe asks")),
        "initialDelaySeconds": delay if delay and delay.value else None,
        "periodSeconds": sourced(probe.period_seconds),
        "timeoutSeconds": sourced(probe.timeout_seconds),
        "failureThreshold": sourced(probe.failure_threshold),
    }


def _handler(handler: HttpGet | TcpSocket | ExecProbe) -> tuple[str, dict[str, Any]]:
    match handler:
        case HttpGet():
            scheme = None if handler.scheme == "HTTP" else handler.scheme
            return "httpGet", {"path": handler.path, "port": handler.port, "scheme": scheme}
        case TcpSocket():
            return "tcpSocket", {"port": handler.port}
        case ExecProbe():
            return "exec", {"command": list(handler.command)}
        case _:
            assert_never(handler)


def lifecycle(pre_stop_seconds: Fact[int]) -> dict[str, Any] | None:
    """The wait before SIGTERM, in which the endpoint leaves the load balancers.

    The `sleep` handler needs no program in the image. Kubernetes has it on since 1.30 and stable since 1.34; 0
    seconds are allowed only since 1.33, and mean no wait: they are left out.
    """
    seconds = sourced(pre_stop_seconds)
    return {"preStop": {"sleep": {"seconds": seconds}}} if seconds and seconds.value else None
