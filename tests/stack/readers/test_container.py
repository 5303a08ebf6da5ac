from __future__ import annotations

import pytest

from controlplane.source import parse_quantity
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why
from controlplane.stack.pods import ConfigKey, EnvVar, ExecProbe, FieldPath, HttpGet, SecretKey, TcpSocket
from tests.stack.manifests import DEPLOYMENT, at, container, workload
from tests.stack.strategies import WRITTEN


def test_amounts_are_compared_by_value() -> None:
    found = container("resources: {requests: {cpu: 0.5, memory: 3072Mi}, limits: {nvidia.com/gpu: 1}}")
    assert found.requests == {
        "cpu": Known(parse_quantity("500m"), WRITTEN),
        "memory": Known(parse_quantity("3Gi"), WRITTEN),
    }
    assert found.limits == {"nvidia.com/gpu": Known(parse_quantity("1"), WRITTEN)}


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("{name: A, value: b}", Known("b", WRITTEN)),
        ("{name: A}", Known("", WRITTEN)),
        ("{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}", Known(SecretKey("s", "k"), WRITTEN)),
        (
            "{name: A, valueFrom: {configMapKeyRef: {name: s, key: k, optional: true}}}",
            Known(ConfigKey("s", "k", True), WRITTEN),
        ),
        ("{name: A, valueFrom: {fieldRef: {fieldPath: status.podIP}}}", Known(FieldPath("status.podIP"), WRITTEN)),
        ("{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}", Unknown(Why.RUNTIME)),
        ('{name: A, value: "{{ .Values.a }}"}', Unknown(Why.TEMPLATED)),
        ('{name: A, value: "${B}"}', Known("${B}", WRITTEN)),
    ],
)
def test_variables_keep_values_and_references_apart(entry: str, value: Fact[object]) -> None:
    assert container(f"env: [{entry}]").env == (EnvVar("A", value),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ("httpGet: {port: http}", HttpGet("/", "http")),
        ("httpGet: {path: /a, port: 80, scheme: HTTPS}", HttpGet("/a", 80, "HTTPS")),
        ("tcpSocket: {port: 80}", TcpSocket(80)),
        ("exec: {command: [a, b]}", ExecProbe(("a", "b"))),
    ],
)
def test_probes_have_the_defaults_of_the_api(handler: str, expected: object) -> None:
    probe = container(f"livenessProbe: {{{handler}, periodSeconds: 7}}").liveness_probe
    assert probe is not None
    assert probe.handler == expected
    times = (probe.initial_delay_seconds, probe.period_seconds, probe.timeout_seconds, probe.failure_threshold)
    assert [fact.value for fact in times if isinstance(fact, Known)] == [0, 7, 1, 3]


def test_a_probe_of_another_kind_is_not_read() -> None:
    assert container("readinessProbe: {grpc: {port: 9}}").readiness_probe is None


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ("sleep: {seconds: 15}", Known(15, WRITTEN)),
        ("exec: {command: [sleep, '15']}", Known(15, WRITTEN)),
        ("exec: {command: [/bin/sh, -c, sleep 15]}", Known(15, WRITTEN)),
        ("exec: {command: [/bin/sh, -c, 'curl x; sleep 15']}", Unknown(Why.RUNTIME)),
        ('exec: {command: [sleep, "\'"]}', Unknown(Why.RUNTIME)),
        ('exec: {command: [sh, -c, "sleep \'"]}', Unknown(Why.RUNTIME)),
        ("httpGet: {port: 80}", Unknown(Why.RUNTIME)),
    ],
)
def test_the_wait_before_termination_is_known_where_the_handler_only_waits(handler: str, expected: object) -> None:
    assert container(f"lifecycle: {{preStop: {{{handler}}}}}").pre_stop_seconds == expected


def test_no_handler_is_no_wait() -> None:
    assert container("lifecycle: {postStart: {exec: {command: [a]}}}").pre_stop_seconds == ABSENT


def test_what_a_container_takes_from_elsewhere_is_named() -> None:
    found = container(
        "envFrom: [{configMapRef: {name: c}}, {prefix: A_, secretRef: {name: s}}]\n"
        "resources: {claims: [{name: gpus}]}\nrestartPolicy: Always"
    )
    assert [(source.kind, source.name, source.prefix) for source in found.env_from] == [
        ("ConfigMap", "c", ""),
        ("Secret", "s", "A_"),
    ]
    assert found.claims == ("gpus",)
    assert found.restart_policy == Known("Always", WRITTEN)


def test_a_container_knows_where_it_stands() -> None:
    text = DEPLOYMENT.format("resources: {limits: {cpu: 1}}\n        env: [{name: A, value: b}]")
    found = workload(text).pod_sets[0].containers[0]
    assert at(text, found.origin) == "main"
    assert at(text, found.resources_origin) == "{limits: {cpu: 1}}"
    assert at(text, found.env[0].origin) == "A"
