"""One container of a pod."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.source import Quantity
from controlplane.stack.facts import Fact, value_of
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Container, EnvFrom, Mount, Port
from controlplane.stack.readers import environment, probes


def read(container: Field) -> Container:
    """A container with the command line as it stands."""
    return Container(
        name=container["name"].plain_text(),
        image=container["image"].text(),
        command=tuple(word.literal() for word in container["command"].items()),
        args=tuple(word.literal() for word in container["args"].items()),
        env=environment.read(container),
        requests=amounts(container.at("resources", "requests")),
        limits=amounts(container.at("resources", "limits")),
        ports=tuple(port for item in container["ports"].items() if (port := _port(item)) is not None),
        mounts=tuple(_mount(item) for item in container["volumeMounts"].items()),
        startup_probe=probes.read(container["startupProbe"]),
        readiness_probe=probes.read(container["readinessProbe"]),
        liveness_probe=probes.read(container["livenessProbe"]),
        pre_stop_seconds=probes.pre_stop(container),
        image_pull_policy=container["imagePullPolicy"].text(),
        env_from=tuple(_env_from(item) for item in container["envFrom"].items()),
        claims=tuple(item["name"].plain_text() for item in container.at("resources", "claims").items()),
        restart_policy=container["restartPolicy"].text(),
        privileged=container.at("securityContext", "privileged").boolean(),
        origin=container["name"].origin,
        resources_origin=container["resources"].origin if container["resources"].is_set else None,
    )


def _env_from(item: Field) -> EnvFrom:
    kind, reference = ("Secret", "secretRef") if item["secretRef"].is_set else ("ConfigMap", "configMapRef")
    return EnvFrom(kind, item.at(reference, "name").plain_text(), item["prefix"].plain_text(), item.origin)


def amounts(amounts: Field) -> Mapping[str, Fact[Quantity]]:
    """Amounts of resources by their names."""
    return {name: amount.quantity() for name, amount in amounts.entries()}


def _port(item: Field) -> Port | None:
    """A port; its number is 0 where it is not known yet, and without a name there is nothing to tell of it then."""
    name, number = item["name"].plain_text(), value_of(item["containerPort"].integer())
    if number is None and not name:
        return None
    return Port(name, number or 0, item["protocol"].plain_text("TCP"), item.origin)


def _mount(item: Field) -> Mount:
    return Mount(
        volume=item["name"].plain_text(),
        path=item["mountPath"].plain_text(),
        read_only=item["readOnly"].is_true(),
        sub_path=item["subPath"].plain_text(),
        origin=item.origin,
    )
