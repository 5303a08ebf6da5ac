"""One container of a pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.emit.bundle import Sourced, at, fixed, sourced
from controlplane.emit.kubernetes import probes
from controlplane.emit.kubernetes.environment import environment
from controlplane.emit.kubernetes.metadata import by_name
from controlplane.emit.vllm.command_line import CommandLine
from controlplane.source import Quantity
from controlplane.stack.facts import Fact
from controlplane.stack.pods import Container, Mount, Port


def build(container: Container, engine: CommandLine | None) -> dict[str, Any]:
    """A container; where an engine runs in it, with that engine's command line."""
    command = _texts(container.command) if engine is None else engine.command
    args = _texts(container.args) if engine is None else engine.args
    return {
        "name": fixed(container.name, "the container of the engine" if engine else "a container beside the engine"),
        "image": sourced(container.image),
        "imagePullPolicy": sourced(container.image_pull_policy),
        "command": list(command) or None,
        "args": list(args) or None,
        "env": environment(container.env),
        "ports": [_port(port) for port in container.ports] or None,
        "resources": {"requests": _amounts(container.requests), "limits": _amounts(container.limits)},
        "volumeMounts": [_mount(mount) for mount in container.mounts] or None,
        "startupProbe": probes.build(container.startup_probe),
        "readinessProbe": probes.build(container.readiness_probe),
        "livenessProbe": probes.build(container.liveness_probe),
        "lifecycle": probes.lifecycle(container.pre_stop_seconds),
    }


def _texts(facts: Sequence[Fact[str]]) -> tuple[Sourced, ...]:
    return tuple(text for fact in facts if (text := sourced(fact)) is not None)


def _port(port: Port) -> Any:
    """The protocol is written although it has a default: it is part of the key that server-side apply merges by."""
    fields = {"name": port.name or None, "containerPort": port.number, "protocol": port.protocol}
    return at(fields, port.origin)


def _mount(mount: Mount) -> Any:
    fields = {
        "name": mount.volume,
        "mountPath": mount.path,
        "subPath": mount.sub_path or None,
        "readOnly": mount.read_only or None,
    }
    return at(fields, mount.origin)


def _amounts(amounts: Mapping[str, Fact[Quantity]]) -> dict[str, Any] | None:
    """Amounts in the spelling that an API server answers with, so that no differ sees `0.5` become `500m`."""
    known = {name: amount for name, fact in amounts.items() if (amount := sourced(fact)) is not None}
    return by_name({name: Sourced(amount.value.canonical(), amount.origin) for name, amount in known.items()})
