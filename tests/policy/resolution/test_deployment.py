"""The Deployment of a service: what every pod carries."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from controlplane.emit import emit
from controlplane.stack.facts import ABSENT, Declared, Known, OneOf, Unknown, Why, value_of
from controlplane.stack.pods import Toleration, TopologySpread
from controlplane.stack.references import ObjectRef
from tests.policy.folder import FLEET, findings, one, remedy, service, stack, told, workload


def test_deployment_is_named_like_the_service() -> None:
    found = workload(service())
    assert found.ref == ObjectRef("apps/v1", "Deployment", "llm", "chat")
    assert found.pod_sets[0].name == "chat"
    assert (found.engines[0].pod_set, found.engines[0].container) == ("chat", "vllm")


def test_every_taint_of_the_pool_is_tolerated_and_its_labels_are_asked_for() -> None:
    constraints = workload(service()).pod_sets[0].constraints
    assert value_of(constraints.tolerations) == (
        Toleration("nvidia.com/gpu", "Equal", "present", "NoSchedule"),
        Toleration("dedicated", "Exists", "", "NoExecute"),
    )
    assert value_of(constraints.node_selector) == {"example.com/pool": "h100"}


def test_selector_of_the_pool_is_asked_for_instead_of_all_labels() -> None:
    fleet = FLEET.replace("labels: {example.com/pool: h100}", "labels: {a: b, c: d}\n      selector: {c: d}")
    (found,) = stack(fleet, service()).workloads
    assert value_of(found.pod_sets[0].constraints.node_selector) == {"c": "d"}


def test_pool_without_labels_and_taints_asks_for_nothing() -> None:
    fleet = FLEET.replace("      labels: {example.com/pool: h100}\n", "")
    fleet = "".join(line for line in fleet.splitlines(keepends=True) if "taints" not in line)
    (found,) = stack(fleet, service()).workloads
    constraints = found.pod_sets[0].constraints
    assert (constraints.node_selector, constraints.tolerations) == (ABSENT, ABSENT)


def test_service_links_are_off() -> None:
    assert value_of(workload(service()).pod_sets[0].service_links) is False


def test_spread_prefers_hosts_and_never_keeps_a_pod_pending() -> None:
    spread = value_of(workload(service(machine="{spread: hosts}")).pod_sets[0].constraints.spread)
    assert spread == (
        TopologySpread("kubernetes.io/hostname", 1, "ScheduleAnyway", {"controlplane.dev/service": "chat"}),
    )
    assert workload(service()).pod_sets[0].constraints.spread == ABSENT


def test_priority_class_and_service_account_are_passed_on() -> None:
    pods = workload(service(machine="{priorityClass: high, serviceAccount: chat}")).pod_sets[0]
    assert value_of(pods.constraints.priority_class) == "high"
    assert value_of(pods.service_account) == "chat"


def test_metrics_are_announced() -> None:
    assert workload(service()).pod_sets[0].annotations == {
        "prometheus.io/path": "/metrics",
        "prometheus.io/port": "8000",
        "prometheus.io/scrape": "true",
    }


def test_pods_carry_what_the_selector_asks_for() -> None:
    found = workload(service())
    assert set(found.selector.items()) <= set(found.pod_sets[0].labels.items())


def test_only_pool_with_gpus_is_chosen_where_none_is_named() -> None:
    cpu_pool = "    - {name: cpu, nodes: 1, cpu: 8, memory: 64Gi, labels: {pool: cpu}}\n"
    fleet = FLEET.replace("  storage:\n", f"{cpu_pool}  storage:\n")
    (found,) = stack(fleet, service(machine="{}")).workloads
    assert value_of(found.pod_sets[0].constraints.node_selector) == {"example.com/pool": "h100"}


def test_pool_without_gpus_is_refused() -> None:
    cpu_pool = "    - {name: cpu, nodes: 1, cpu: 8, memory: 64Gi, labels: {pool: cpu}}\n"
    fleet = FLEET.replace("  storage:\n", f"{cpu_pool}  storage:\n")
    found = one(findings(fleet, service(machine="{pool: cpu}")), "policy/pool-without-gpus")
    assert "offers 0 GPUs" in found.message
    assert remedy(found) == "Write one of h100."


def test_unknown_pool_gets_the_nearest_name() -> None:
    found = told("policy/unknown-reference", service(machine="{pool: h10}"))
    assert found.path == ("spec", "machine", "pool")
    assert "it has h100" in found.message


def test_tag_of_another_version_is_a_warning_with_both() -> None:
    found = told("policy/image-version-differs", service(runtime="{image: a/vllm-openai:v0.32.0, vllm: 0.33.0}"))
    assert found.severity == "warning"
    assert "0.32.0" in found.message
    assert "0.33.0" in found.message


def facts(value: Any) -> list[Any]:
    """Every fact inside a value."""
    if isinstance(value, Known | OneOf | Unknown):
        return [value]
    if is_dataclass(value):
        return [f for field in fields(value) for f in facts(getattr(value, field.name))]
    if isinstance(value, dict):
        return [f for child in value.values() for f in facts(child)]
    if isinstance(value, tuple):
        return [f for child in value for f in facts(child)]
    return []


def test_every_fact_of_a_stack_is_known_or_absent_and_has_an_origin() -> None:
    found = facts(stack(FLEET, service()))
    assert len(found) > 40
    for fact in found:
        assert isinstance(fact, Known) or fact == Unknown(Why.ABSENT)
        if isinstance(fact, Known):
            assert str(fact.origin)


def test_every_label_taint_and_variable_keeps_its_own_line() -> None:
    fleet = FLEET.replace("labels: {example.com/pool: h100}", "labels:\n        pool: h100\n        zone: a")
    text = service(env='[{name: A, value: "x"}, {name: B, secret: {name: s, key: k}}]').replace(
        "{name: chat, namespace: llm}", "{name: chat, labels: {team: a}}"
    )
    bundle = emit(stack(fleet, text))
    deployment = next(o for o in bundle.objects if o.ref.kind == "Deployment")
    pod = ("spec", "template", "spec")
    env = (*pod, "containers", 0, "env")
    expected = {
        ("metadata", "labels", "team"): ("metadata", "labels", "team"),
        ("spec", "template", "metadata", "labels", "team"): ("metadata", "labels", "team"),
        (*pod, "nodeSelector", "zone"): ("spec", "pools", 0, "labels", "zone"),
        (*pod, "tolerations", 1, "key"): ("spec", "pools", 0, "taints", 1),
        (*env, 1, "name"): ("spec", "env", 0, "name"),
        (*env, 1, "value"): ("spec", "env", 0, "value"),
        (*env, 2, "valueFrom", "secretKeyRef", "key"): ("spec", "env", 1, "secret"),
    }
    for field, place in expected.items():
        origin = deployment.origin_of(field)
        assert isinstance(origin, Declared)
        assert origin.path == place
    assert str(deployment.origin_of(("metadata", "namespace"))) == "default of namespace, which no policy sets"
