from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from controlplane.emit.bundle import lower
from controlplane.emit.kubernetes import container
from controlplane.emit.kubernetes.environment import environment
from controlplane.source import parse_quantity
from controlplane.stack.facts import ABSENT, Derived
from controlplane.stack.pods import ConfigKey, Container, EnvVar, ExecProbe, FieldPath, Probe, SecretKey, TcpSocket
from tests.emit import example
from tests.emit.example import known


def built(**changes: Any) -> Any:
    """A container that is not an engine's, as plain values."""
    made = replace(Container("side", known("registry.example/side:1")), **changes)
    return lower(container.build(made, None), Derived("test"))[0]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [("0.5", "500m"), ("1000m", "1"), ("1000M", "1G"), ("3072Mi", "3Gi"), ("65536Mi", "64Gi"), ("1.5Gi", "1536Mi")],
)
def test_amounts_are_written_as_an_api_server_answers(written: str, canonical: str) -> None:
    amounts = {"memory": known(parse_quantity(written))}
    assert built(requests=amounts, limits=amounts)["resources"] == {
        "requests": {"memory": canonical},
        "limits": {"memory": canonical},
    }


def test_a_container_has_nothing_that_nobody_set() -> None:
    assert built() == {"name": "side", "image": "registry.example/side:1"}


def test_a_container_beside_the_engine_keeps_its_own_command() -> None:
    found = built(command=(known("run"),), args=(known("$(A)"), known("")))
    assert (found["command"], found["args"]) == (["run"], ["$(A)", ""])


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (known("on"), {"name": "A", "value": "on"}),
        (known(""), {"name": "A"}),
        (ABSENT, {"name": "A"}),
        (known(SecretKey("s", "k")), {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}),
        (
            known(ConfigKey("c", "k", optional=True)),
            {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}}},
        ),
        (known(FieldPath("status.podIP")), {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}),
    ],
)
def test_variables_are_written_as_values_or_references(value: Any, written: dict[str, Any]) -> None:
    assert lower(environment([EnvVar("A", value)]), Derived("test"))[0] == [written]


@pytest.mark.parametrize(
    ("handler", "written"),
    [
        (TcpSocket("http"), {"tcpSocket": {"port": "http"}}),
        (ExecProbe(("a", "b")), {"exec": {"command": ["a", "b"]}}),
    ],
)
def test_probes_are_written_with_their_times(handler: Any, written: dict[str, Any]) -> None:
    probe = Probe(handler, known(5), known(10), known(1), known(3), origin=example.place(7))
    times = {"initialDelaySeconds": 5, "periodSeconds": 10, "timeoutSeconds": 1, "failureThreshold": 3}
    assert built(liveness_probe=probe)["livenessProbe"] == {**written, **times}


def test_a_probe_has_the_origin_of_its_handler() -> None:
    probe = Probe(TcpSocket(1), known(0), known(10), known(1), known(3), origin=example.place(7))
    made = Container("side", known("image"), liveness_probe=probe)
    provenance = lower(container.build(made, None), Derived("test"))[1]
    assert provenance["livenessProbe", "tcpSocket", "port"] == example.place(7)
