"""Names, quantities and durations as policies write them."""

from __future__ import annotations

import pytest

from controlplane.policy.vocabulary import write_duration
from controlplane.source import parse_duration
from tests.policy.folder import FLEET, findings, only_service, service


@pytest.mark.parametrize(
    ("written", "nano"),
    [("8", 8 * 10**9), ("0.5", 5 * 10**8), ("500m", 5 * 10**8), ('"1.5"', 15 * 10**8), ("12000m", 12 * 10**9)],
)
def test_cpus_are_read_as_kubernetes_reads_them(written: str, nano: int) -> None:
    cpu = only_service(service(machine=f"{{cpu: {written}}}")).machine.value.cpu
    assert cpu is not None
    assert cpu.nano == nano


@pytest.mark.parametrize(
    ("written", "size", "canonical"),
    [
        ("1024Mi", 1 << 30, "1Gi"),
        ("1.5Gi", 1536 << 20, "1536Mi"),
        ("65536Mi", 64 << 30, "64Gi"),
        ("64G", 64 * 10**9, "64G"),
        ("1e9", 10**9, "1e9"),
        ("1073741824", 1 << 30, "1073741824"),
    ],
)
def test_memory_is_read_as_kubernetes_reads_it(written: str, size: int, canonical: str) -> None:
    memory = only_service(service(machine=f'{{memory: "{written}"}}')).machine.value.memory
    assert memory is not None
    assert (memory.bytes(), str(memory)) == (size, canonical)


@pytest.mark.parametrize(("written", "seconds"), [("0s", 0), ("90s", 90), ("1h30m", 5400), ("1.5m", 90)])
def test_durations_are_whole_seconds(written: str, seconds: int) -> None:
    section = only_service(service(machine=f"{{termination: {{preStop: {written}}}}}")).machine
    assert section.value.termination.pre_stop == seconds


@pytest.mark.parametrize("seconds", [0, 1, 59, 60, 75, 3600, 5400, 86400])
def test_written_duration_is_read_as_the_same_seconds(seconds: int) -> None:
    assert parse_duration(write_duration(seconds)) == seconds


@pytest.mark.parametrize("name", ["a", "a-b", "chat-8b", "a" * 63])
def test_name_of_a_service_is_taken(name: str) -> None:
    assert findings(FLEET, service(name=name)) == []


@pytest.mark.parametrize("name", ["A", "8b", "a_b", "a.b", "-a", "a-", "a" * 64])
def test_name_that_no_service_can_have_is_refused_with_one_that_can(name: str) -> None:
    (found,) = findings(FLEET, service(name=name))
    assert found.rule == "policy/bad-value"
    assert found.remedy is not None
    proposed = found.remedy.text.split("'")[1]
    assert findings(FLEET, service(name=proposed)) == []
