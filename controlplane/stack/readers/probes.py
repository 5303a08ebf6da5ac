"""Probes, and the wait before a container is stopped."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Unknown, Why, derived, value_or
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import ExecProbe, HttpGet, Probe, TcpSocket


def read(probe: Field) -> Probe | None:
    """A probe with the API's defaults filled in; None where there is none, or one of a kind that is not read."""
    handler = _handler(probe)
    if handler is None:
        return None
    return Probe(
        handler,
        _seconds(probe["initialDelaySeconds"], 0),
        _seconds(probe["periodSeconds"], 10),
        _seconds(probe["timeoutSeconds"], 1),
        _seconds(probe["failureThreshold"], 3),
        probe.origin,
        _port_origin(probe),
    )


def _port_origin(probe: Field) -> Origin | None:
    ports = (probe.at(kind, "port") for kind in ("httpGet", "tcpSocket"))
    return next((port.origin for port in ports if port.is_set), None)


def _handler(probe: Field) -> HttpGet | TcpSocket | ExecProbe | None:
    if probe["httpGet"].is_set:
        http = probe["httpGet"]
        port = value_or(http["port"].integer_or_text(), 0)
        return HttpGet(http["path"].plain_text("/"), port, http["scheme"].plain_text("HTTP"))
    if probe["tcpSocket"].is_set:
        return TcpSocket(value_or(probe.at("tcpSocket", "port").integer_or_text(), 0))
    if probe["exec"].is_set:
        return ExecProbe(_words(probe["exec"]))
    return None


def _seconds(field: Field, default: int) -> Fact[int]:
    return field.integer() if field.is_set else derived(default, f"the API's default for {field.path[-1]}")


def pre_stop(container: Field) -> Fact[int]:
    """How long a container waits before SIGTERM, in seconds, as far as its preStop handler is a plain wait."""
    handler = container.at("lifecycle", "preStop")
    if handler["sleep"].is_set:
        return handler.at("sleep", "seconds").integer()
    if not handler.is_set:
        return ABSENT
    seconds = _slept(_words(handler["exec"]))
    if seconds is None:
        return Unknown(Why.RUNTIME, "a preStop handler that only waits: the sleep handler, or `sleep SECONDS`")
    return Known(seconds, handler.origin)


def _words(exec_action: Field) -> tuple[str, ...]:
    return tuple(word.plain_text() for word in exec_action["command"].items())


def _slept(words: Sequence[str]) -> int | None:
    """The seconds of `sleep 15`, also behind `sh -c`."""
    if len(words) == 3 and words[0].rpartition("/")[2] in ("sh", "bash") and words[1] == "-c":
        words = _split(words[2])
    named = len(words) == 2 and words[0].rpartition("/")[2] == "sleep"
    return int(words[1]) if named and words[1].isascii() and words[1].isdigit() and len(words[1]) < 10 else None


def _split(script: str) -> list[str]:
    try:
        return shlex.split(script)
    except ValueError:
        return []
