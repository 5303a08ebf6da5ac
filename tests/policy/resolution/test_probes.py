"""Probes: started within a budget, ready on the model, alive while it answers."""

from __future__ import annotations

from controlplane.stack.facts import Derived, value_of
from controlplane.stack.pods import HttpGet, Probe
from tests.policy.folder import container, service


def shape(probe: Probe | None) -> tuple[object, ...]:
    assert probe is not None
    return (
        probe.handler,
        value_of(probe.period_seconds),
        value_of(probe.timeout_seconds),
        value_of(probe.failure_threshold),
    )


def test_readiness_asks_for_the_model() -> None:
    assert shape(container(service()).readiness_probe) == (HttpGet("/v1/models", "http"), 5, 5, 3)


def test_liveness_leaves_a_minute_of_silence() -> None:
    assert shape(container(service()).liveness_probe) == (HttpGet("/health", "http"), 10, 10, 6)


def test_startup_asks_for_as_long_as_the_budget_says() -> None:
    handler, period, _, failures = shape(container(service(machine="{probes: {startup: 95s}}")).startup_probe)
    assert (handler, period, failures) == (HttpGet("/health", "http"), 10, 10)


def test_api_key_moves_readiness_to_health_and_the_reason_is_kept() -> None:
    probe = container(service(env="[{name: VLLM_API_KEY, secret: {name: s, key: k}}]")).readiness_probe
    assert shape(probe)[0] == HttpGet("/health", "http")
    assert probe is not None
    assert isinstance(probe.origin, Derived)
    assert "VLLM_API_KEY" in probe.origin.formula
    assert [i.name for i in probe.origin.inputs] == ["VLLM_API_KEY"]


def test_probes_ask_a_named_port_that_the_container_has() -> None:
    found = container(service())
    assert [(p.name, p.number) for p in found.ports] == [("http", 8000)]
