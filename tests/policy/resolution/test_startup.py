"""The startup probe's budget from bytes and bandwidth."""

from __future__ import annotations

from controlplane.stack.facts import Known
from tests.policy.folder import FLEET, container, findings, one, service, told

MODEL = "{name: acme/own, from: {pvc: models}, weights: 100Gi}"


def budget(*texts: str) -> int:
    probe = container(*texts).startup_probe
    assert probe is not None
    assert isinstance(probe.failure_threshold, Known)
    assert isinstance(probe.period_seconds, Known)
    return probe.failure_threshold.value * probe.period_seconds.value


def test_budget_is_reading_time_with_margin_and_the_engine() -> None:
    assert budget(service(model=MODEL)) == 700  # 100 GiB / 2 GiB/s = 50 s, twice, and ten minutes
    assert budget(service(model=MODEL, machine="{probes: {startupMargin: 4, engineStart: 1m}}")) == 260


def test_budget_is_rounded_up_to_whole_periods() -> None:
    assert budget(service(model=MODEL, machine="{probes: {engineStart: 61s, startupMargin: 1}}")) == 120


def test_storage_without_a_declared_bandwidth_is_taken_for_slow() -> None:
    model = MODEL.replace("pvc: models", "pvc: other")
    assert budget(service(model=model)) == 2650  # 100 GiB / 100 MiB/s = 1024 s, twice, and ten minutes


def test_catalogue_knows_the_bytes_of_well_known_models() -> None:
    probe = container(service()).startup_probe
    assert probe is not None
    assert isinstance(probe.failure_threshold, Known)
    assert "16060522496 bytes" in str(probe.failure_threshold.origin.inputs[0].origin)  # type: ignore[union-attr]
    assert findings(FLEET, service()) == []


def test_unknown_size_is_a_remark_and_a_generous_budget() -> None:
    text = service(model="{name: acme/own, from: {pvc: models}}")
    found = told("policy/unknown-weights", text)
    assert found.severity == "info"
    assert found.path == ("spec", "model", "name")
    assert budget(text) == 3600


def test_budget_of_the_policy_is_taken_as_it_is() -> None:
    assert budget(service(machine="{probes: {startup: 20m}}")) == 1200


def test_budget_shorter_than_reading_is_a_warning_with_both_times() -> None:
    found = one(
        findings(FLEET, service(model=MODEL, machine="{probes: {startup: 30s}}")),
        "policy/startup-shorter-than-reading",
    )
    assert "is 30 s" in found.message
    assert "takes 50 s" in found.message


def test_start_of_more_than_a_week_is_a_wrong_suffix() -> None:
    fleet = FLEET.replace("readBandwidth: 2Gi", "readBandwidth: 1Mi")
    found = one(
        findings(fleet, service(model="{name: a/b, weights: 1Ti, from: {pvc: models}}")), "policy/startup-too-long"
    )
    assert "takes 1048576 s" in found.message
    assert "2097752 s; 604800 s (7 days) is the most" in found.message
    assert found.path == ("spec", "model", "weights")
