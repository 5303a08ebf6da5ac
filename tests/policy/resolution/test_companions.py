"""Service, disruption budget and namespace of a service, and names that break others (vllm-project/vllm#15613)."""

from __future__ import annotations

import pytest

from controlplane.stack.facts import value_of
from controlplane.stack.references import DisruptionBudget, Namespace, ObjectRef, Service
from tests.policy.folder import FLEET, findings, one, remedy, service, stack, told

MANAGED = FLEET + "  namespaces: [{name: llm, managed: true}, {name: other}]\n"


def test_service_stands_before_the_named_port() -> None:
    (found,) = [r for r in stack(FLEET, service(service="{port: 80}")).references if isinstance(r, Service)]
    assert found.ref == ObjectRef("v1", "Service", "llm", "chat")
    assert [(p.name, p.number, p.target) for p in found.ports] == [("http", 80, "http")]
    assert value_of(found.selector) == {"controlplane.dev/service": "chat"}


@pytest.mark.parametrize(("machine", "away"), [("{}", 1), ("{disruption: {maxUnavailable: 2}}", 2)])
def test_budget_never_blocks_a_drain(machine: str, away: int) -> None:
    (found,) = [r for r in stack(FLEET, service(machine=machine)).references if isinstance(r, DisruptionBudget)]
    assert found.ref == ObjectRef("policy/v1", "PodDisruptionBudget", "llm", "chat")
    assert value_of(found.max_unavailable) == away
    assert value_of(found.min_available) is None


def test_managed_namespace_is_made_once_for_all_its_services() -> None:
    references = stack(MANAGED, service(), service(name="search")).references
    (found,) = [r for r in references if isinstance(r, Namespace)]
    assert found.ref == ObjectRef("v1", "Namespace", "", "llm")
    assert found.labels == {"app.kubernetes.io/managed-by": "controlplane"}


def test_namespace_of_others_is_left_alone() -> None:
    text = service().replace("namespace: llm", "namespace: other")
    assert not [r for r in stack(MANAGED, text).references if isinstance(r, Namespace)]
    assert not [r for r in stack(FLEET, service()).references if isinstance(r, Namespace)]


def test_namespace_that_the_fleet_does_not_have_gets_the_nearest() -> None:
    found = one(findings(MANAGED, service().replace("namespace: llm", "namespace: lm")), "policy/unknown-reference")
    assert found.path == ("metadata", "namespace")
    assert remedy(found) == "Write `llm`."


@pytest.mark.parametrize(("name", "variable"), [("vllm", "VLLM_PORT"), ("vllm-dp-master", "VLLM_DP_MASTER_PORT")])
def test_name_that_sets_a_port_variable_of_vllm_is_refused(name: str, variable: str) -> None:
    found = told("policy/colliding-name", service(name=name))
    assert f"{variable}=tcp://" in found.message
    assert found.path == ("metadata", "name")


@pytest.mark.parametrize("name", ["vllm-chat", "chat-vllm"])
def test_name_that_only_resembles_it_is_taken(name: str) -> None:
    assert findings(FLEET, service(name=name)) == []


def test_objects_carry_the_labels_of_the_policy_and_ours() -> None:
    text = service().replace("namespace: llm", "namespace: llm, labels: {team: search}")
    labels = stack(FLEET, text).references[0].labels
    assert labels["team"] == "search"
    assert labels["controlplane.dev/service"] == "chat"
    assert labels["app.kubernetes.io/managed-by"] == "controlplane"


def test_label_of_ours_cannot_be_set() -> None:
    text = service().replace("namespace: llm", "namespace: llm, labels: {app.kubernetes.io/managed-by: helm}")
    found = told("policy/reserved-label", text)
    assert "`helm`" in found.message
    assert "`controlplane`" in found.message


def test_service_of_the_api_server_is_never_taken() -> None:
    text = service().replace("{name: chat, namespace: llm}", "{name: kubernetes}")
    assert one(findings(FLEET, text), "policy/colliding-name").path == ("metadata", "name")
    assert findings(FLEET, service(name="kubernetes")) == []
