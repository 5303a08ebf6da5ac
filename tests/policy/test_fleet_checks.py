"""A Fleet whose pools pods can be bound to."""

from __future__ import annotations

from tests.policy.folder import FLEET, findings, one, service

SECOND = "    - {name: spare, accelerator: {product: L4, count: 1}, nodes: 1, cpu: 8, memory: 64Gi"


def with_pool(rest: str) -> str:
    return FLEET.replace("  storage:\n", f"{SECOND}{rest}}}\n  storage:\n")


def test_two_pools_with_labels_of_their_own_are_fine() -> None:
    assert findings(with_pool(", labels: {example.com/pool: spare}")) == []


def test_pool_whose_selector_picks_another_pool_is_a_warning() -> None:
    found = one(findings(with_pool(", labels: {example.com/pool: h100, x: y}")), "policy/selector-picks-other-pool")
    assert found.severity == "warning"
    assert "`h100`" in found.message
    assert "`spare`" in found.message


def test_pool_without_labels_picks_every_node() -> None:
    found = one(findings(with_pool("")), "policy/selector-picks-other-pool")
    assert "no label at all" in found.message


def test_selector_that_misses_its_own_pool_is_an_error() -> None:
    found = one(findings(with_pool(", labels: {a: b}, selector: {a: c}")), "policy/selector-misses-pool")
    assert "`c`" in found.message
    assert "`b`" in found.message
    assert found.path[-2:] == ("selector", "a")


def test_more_nodes_at_least_than_at_most_is_an_error() -> None:
    found = one(findings(FLEET.replace("nodes: 2", "nodes: {min: 3, max: 2}")), "policy/bad-value")
    assert "at least 3" in found.message
    assert "at most 2" in found.message


def test_pool_named_twice_is_an_error() -> None:
    text = with_pool(", labels: {a: b}").replace("name: spare", "name: h100")
    assert one(findings(text), "policy/duplicate-name").path == ("spec", "pools", 1, "name")


def test_claim_on_two_storage_systems_is_refused() -> None:
    fleet = FLEET + "    - {name: disk, readBandwidth: 1Gi, claims: [other, models]}\n"
    found = one(findings(fleet, service()), "policy/duplicate-name")
    assert found.path == ("spec", "storage", 1, "claims", 1)
    assert found.related[0].span.line < found.span.line


def test_refused_labels_are_not_judged_further() -> None:
    second = "    - {name: cpu, nodes: 1, cpu: 8, memory: 8Gi, labels: {example.com/pool: cpu}}\n  storage:\n"
    fleet = FLEET.replace("  storage:\n", second).replace("{example.com/pool: h100}", "{example.com/pool: true}")
    assert [f.rule for f in findings(fleet, service())] == ["policy/wrong-type"]


def test_namespaces_of_kubernetes_are_never_ours() -> None:
    fleet = (
        FLEET + "  namespaces: [{name: llm, managed: true}, {name: kube-system, managed: true}, {name: default}]\n"
    )
    found = one(findings(fleet, service()), "policy/bad-value")
    assert found.path == ("spec", "namespaces", 1, "managed")


def test_more_nodes_than_any_cluster_has_are_refused() -> None:
    pool = "    - {{name: p{0}, nodes: 5000, cpu: 8, memory: 8Gi, labels: {{example.com/pool: p{0}}}}}\n"
    fleet = FLEET.replace("  storage:\n", "".join(pool.format(i) for i in range(13)) + "  storage:\n")
    found = one(findings(fleet, service()), "policy/too-many-nodes")
    assert "65002 nodes together; no cluster has more than 65000" in found.message
