"""Names, quantities and durations as policies write them."""

from __future__ import annotations

import pytest

from controlplane.policy.vocabulary import write_duration
from controlplane.source import parse_duration
from tests.policy.folder import FLEET, findings, only_service, remedy, service


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


@pytest.mark.parametrize(
    "lines",
    [
        {"metadata": '{name: "chat\\n"}'},
        {"machine": '{priorityClass: "high\\n"}'},
        {"runtime": '{image: registry.example/vllm, vllm: "0.33.0\\n"}'},
    ],
)
def test_line_break_behind_a_name_is_not_overlooked(lines: dict[str, str]) -> None:
    text = service(**{k: v for k, v in lines.items() if k != "metadata"})
    if "metadata" in lines:
        text = text.replace("{name: chat, namespace: llm}", lines["metadata"])
    assert [f.rule for f in findings(FLEET, text)] == ["policy/bad-value"]


@pytest.mark.parametrize(
    ("written", "fact"),
    [("1E", "more than 1Pi"), ("99999999999999Gi", "more than 1Pi"), ("true", "true is no quantity")],
)
def test_memory_that_no_node_has_is_a_wrong_suffix(written: str, fact: str) -> None:
    assert fact in findings(FLEET, service(machine=f"{{memory: {written}}}"))[0].message


def test_times_stay_below_what_kubernetes_can_count() -> None:
    found = findings(FLEET, service(machine="{termination: {drain: 1000h}}"))
    assert "3600000 s; 2592000 s (30 days) is the most" in found[0].message


def test_startup_probe_fails_at_least_once() -> None:
    found = findings(FLEET, service(machine="{probes: {startup: 0s}}"))
    assert found[0].message == "machine.probes.startup is 0s; at least 1 is needed"


@pytest.mark.parametrize("nodes", ["3.5", '"3"', "[3]", "true"])
def test_nodes_are_a_number_or_a_range(nodes: str) -> None:
    found = findings(FLEET.replace("nodes: 2", f"nodes: {nodes}"), service())
    assert found[0].message == "pools[0].nodes: a whole number of nodes is needed, or a mapping with min and max"


def test_memory_is_whole_bytes() -> None:
    (found,) = findings(FLEET, service(machine="{memory: 10.3Gi}"))
    assert "11059540787.2 bytes, which is no whole number" in found.message
    assert remedy(found) == "Write 10547Mi."
