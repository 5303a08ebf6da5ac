"""Services, disruption budgets and namespaces as text."""

from __future__ import annotations

from dataclasses import replace

from controlplane.emit import manifest_yaml
from controlplane.emit.kubernetes import namespace, pod_disruption_budget, service
from controlplane.stack.references import DisruptionBudget, Namespace, ObjectRef, Service, ServicePort
from tests.emit.example import LABELS, known

SERVICE = Service(
    ref=ObjectRef("v1", "Service", "llm", "chat"),
    selector=known(LABELS),
    ports=(ServicePort("http", 80, "http"), ServicePort("", 81, 9000, "UDP")),
    labels={"b": "on", "a": "1"},
)


def test_a_service_names_its_ports_and_protocols() -> None:
    assert manifest_yaml(service.build(SERVICE).manifest) == (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: chat\n  namespace: llm\n"
        '  labels:\n    a: "1"\n    b: "on"\n'
        "spec:\n  selector:\n    controlplane.dev/service: chat\n  ports:\n"
        "  - name: http\n    port: 80\n    targetPort: http\n    protocol: TCP\n"
        "  - port: 81\n    targetPort: 9000\n    protocol: UDP\n"
    )


def test_a_headless_service_has_no_address() -> None:
    made = service.build(replace(SERVICE, headless=True))
    assert made.manifest["spec"]["clusterIP"] == "None"


def test_a_disruption_budget_lets_broken_pods_go() -> None:
    budget = DisruptionBudget(
        ref=ObjectRef("policy/v1", "PodDisruptionBudget", "llm", "chat"),
        selector=known(LABELS),
        min_available=known("50%"),
    )
    assert manifest_yaml(pod_disruption_budget.build(budget).manifest) == (
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: chat\n  namespace: llm\n"
        "spec:\n  minAvailable: 50%\n  unhealthyPodEvictionPolicy: AlwaysAllow\n"
        "  selector:\n    matchLabels:\n      controlplane.dev/service: chat\n"
    )


def test_a_namespace_has_a_name_and_labels() -> None:
    made = namespace.build(Namespace(ObjectRef("v1", "Namespace", "", "llm"), {"team": "a"}))
    assert manifest_yaml(made.manifest) == (
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: llm\n  labels:\n    team: a\n"
    )
