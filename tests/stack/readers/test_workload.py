from __future__ import annotations

import pytest

from controlplane.stack.facts import Unknown, Why, value_of
from tests.stack.manifests import at, workload

TEMPLATE = "{metadata: {labels: {app: a}}, spec: {containers: [{name: main, image: i, command: [vllm, serve, m]}]}}"


def manifest(api_version: str, kind: str, spec: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a, namespace: llm}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "StatefulSet"),
        ("argoproj.io/v1alpha1", "Rollout"),
    ],
)
def test_kinds_with_replicas_of_a_template_are_read_alike(api_version: str, kind: str) -> None:
    found = workload(
        manifest(api_version, kind, f"{{replicas: 2, selector: {{matchLabels: {{app: a}}}}, template: {TEMPLATE}}}")
    )
    assert (found.ref.kind, found.selector) == (kind, {"app": "a"})
    (pods,) = found.pod_sets
    assert (pods.name, value_of(pods.count.desired), pods.labels) == ("a", 2, {"app": "a"})
    assert [(engine.role, engine.container) for engine in found.engines] == [("engine", "main")]


def test_a_replication_controller_selects_by_a_plain_map() -> None:
    found = workload(manifest("v1", "ReplicationController", f"{{selector: {{app: a}}, template: {TEMPLATE}}}"))
    assert found.selector == {"app": "a"}


@pytest.mark.parametrize(("api_version", "kind"), [("apps/v1", "DaemonSet"), ("serving.knative.dev/v1", "Service")])
def test_pods_whose_number_is_decided_elsewhere_are_uncounted(api_version: str, kind: str) -> None:
    found = workload(manifest(api_version, kind, f"{{template: {TEMPLATE}}}"))
    desired = found.pod_sets[0].count.desired
    assert isinstance(desired, Unknown)
    assert desired.why is Why.RUNTIME
    assert len(found.engines) == 1


def test_a_pod_by_itself_is_one() -> None:
    text = manifest("v1", "Pod", "{containers: [{name: main, image: i, command: [vllm, serve, m]}]}")
    found = workload(text)
    assert value_of(found.pod_sets[0].count.desired) == 1
    assert at(text, found.engines[0].origin) == "main"


def test_a_workload_knows_where_its_name_namespace_and_labels_are() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: llm\n  labels: {team: serving}\nspec: {}\n"
    found = workload(text)
    assert (at(text, found.origin), at(text, found.namespace_origin)) == ("a", "llm")
    assert at(text, found.label_origins["team"]) == "serving"
