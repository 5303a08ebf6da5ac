from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.adapters.errors import Forbidden, ServerFault
from controlplane.adapters.kubernetes import Cluster
from controlplane.adapters.kubernetes.kubeconfig import read_context
from controlplane.emit.bundle import Manifest
from controlplane.sandbox.lifecycle import Sandbox

pytestmark = pytest.mark.cluster


def config_map(namespace: str, name: str, **data: str) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }


def deployment(namespace: str, **spec: Any) -> Manifest:
    template = {
        "metadata": {"labels": {"app": "chat"}},
        "spec": {"containers": [{"name": "vllm", "image": "registry.example/vllm:1"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": namespace},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "chat"}}, "template": template, **spec},
    }


def version(manifest: Manifest | None) -> str | None:
    assert manifest is not None
    found: str | None = manifest["metadata"].get("resourceVersion")
    return found


def test_an_absent_object_is_predicted_with_the_servers_defaults(cluster: Cluster, namespace: str) -> None:
    [seen] = cluster.observe([deployment(namespace)])
    assert seen.live is None
    assert seen.predicted is not None
    assert seen.predicted["spec"]["progressDeadlineSeconds"] == 600
    assert cluster.get(seen.ref) is None, "a dry run wrote"


def test_an_unchanged_object_is_predicted_as_it_is(cluster: Cluster, namespace: str) -> None:
    live = cluster.apply(config_map(namespace, "a", x="1"))
    [seen] = cluster.observe([config_map(namespace, "a", x="1")])
    assert seen.live == live == seen.predicted


def test_a_change_is_predicted_and_not_made(cluster: Cluster, namespace: str) -> None:
    live = cluster.apply(config_map(namespace, "a", x="1"))
    [seen] = cluster.observe([config_map(namespace, "a", x="2")])
    assert seen.predicted is not None
    assert seen.predicted["data"] == {"x": "2"}
    assert cluster.get(seen.ref) == live


def test_a_field_that_we_no_longer_set_is_predicted_to_go(cluster: Cluster, namespace: str) -> None:
    cluster.apply(config_map(namespace, "a", x="1", y="1"))
    [seen] = cluster.observe([config_map(namespace, "a", x="1")])
    assert seen.predicted is not None
    assert seen.predicted["data"] == {"x": "1"}


def test_a_conflict_names_the_manager_and_the_forced_outcome_is_predicted(
    cluster: Cluster, namespace: str, sandbox: Sandbox
) -> None:
    cluster.apply(deployment(namespace))
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/chat"
    sandbox.api().merge(path, {"spec": {"replicas": 3, "minReadySeconds": 5}})
    [seen] = cluster.observe([deployment(namespace)])
    assert [(each.manager, each.label) for each in seen.conflicts] == [("controlplane-sandbox", "spec.replicas")]
    assert "using apps/v1" in seen.conflicts[0].message
    assert seen.predicted is not None
    assert (seen.predicted["spec"]["replicas"], seen.predicted["spec"]["minReadySeconds"]) == (0, 5)
    assert seen.live is not None
    assert seen.live["spec"]["replicas"] == 3
    assert version(seen.live) == version(seen.predicted)


@pytest.mark.parametrize(
    ("refused", "status", "said"),
    [
        pytest.param({"replicas": -1}, 422, "spec.replicas: Invalid value: -1", id="invalid"),
        pytest.param({"replicaz": 1}, 500, ".spec.replicaz: field not declared in schema", id="unknown field"),
        pytest.param({"selector": {"matchLabels": {"app": "other"}}}, 422, "does not match", id="inconsistent"),
    ],
)
def test_a_refused_object_carries_the_servers_words(
    cluster: Cluster, namespace: str, refused: dict[str, Any], status: int, said: str
) -> None:
    seen, other = cluster.observe([deployment(namespace, **refused), config_map(namespace, "a")])
    assert seen.predicted is None
    assert seen.refusal is not None
    assert seen.refusal.status == status
    assert said in seen.refusal.message
    assert other.predicted is not None, "one refused object must not hide the others"


def test_a_changed_immutable_field_is_a_refusal_with_the_live_object(cluster: Cluster, namespace: str) -> None:
    cluster.apply(deployment(namespace))
    moved = deployment(namespace, selector={"matchLabels": {"app": "other"}})
    moved["spec"]["template"] = {**moved["spec"]["template"], "metadata": {"labels": {"app": "other"}}}
    [seen] = cluster.observe([moved])
    assert seen.live is not None
    assert seen.refusal is not None
    assert (seen.refusal.status, "field is immutable" in seen.refusal.message) == (422, True)


def test_a_missing_namespace_is_no_refusal(cluster: Cluster) -> None:
    [seen] = cluster.observe([config_map("not-there-yet", "a")])
    assert (seen.live, seen.predicted, seen.refusal) == (None, None, None)


def test_a_kind_that_is_not_served_is_a_refusal_of_that_object(cluster: Cluster, namespace: str) -> None:
    unknown = {"apiVersion": "x.example/v1", "kind": "Engine", "metadata": {"name": "a", "namespace": namespace}}
    seen, other = cluster.observe([unknown, config_map(namespace, "a")])
    assert seen.refusal is not None
    assert (seen.refusal.status, seen.refusal.reason) == (404, "KindNotServed")
    assert other.predicted is not None


def test_answers_come_in_the_order_of_the_questions(cluster: Cluster, namespace: str) -> None:
    """Enough objects for a listing, some of them absent, with others of the namespace before and after them."""
    wanted = [config_map(namespace, f"m-{number:02}", n=str(number)) for number in range(20)]
    for manifest in [*wanted[::2], config_map(namespace, "a"), config_map(namespace, "z")]:
        cluster.apply(manifest)
    asked = [*reversed(wanted), deployment(namespace)]
    seen = cluster.observe(asked)
    assert [each.ref.name for each in seen] == [manifest["metadata"]["name"] for manifest in asked]
    live = {each.ref.name for each in seen if each.live is not None}
    assert live == {manifest["metadata"]["name"] for manifest in wanted[::2]}
    assert all(each.live == each.predicted for each in seen if each.live is not None)


def test_custom_resources_are_predicted_with_the_defaults_of_their_schema(cluster: Cluster, namespace: str) -> None:
    containers = [{"name": "ray", "image": "registry.example/ray:1"}]
    group = {"template": {"spec": {"containers": containers}}}
    ray_cluster = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "a", "namespace": namespace},
        "spec": {
            "headGroupSpec": group,
            "workerGroupSpecs": [{"groupName": "gpu", "minReplicas": 0, "maxReplicas": 2, **group}],
        },
    }
    [seen] = cluster.observe([ray_cluster])
    assert seen.predicted is not None
    [workers] = seen.predicted["spec"]["workerGroupSpecs"]
    assert (workers["replicas"], workers["numOfHosts"]) == (0, 1)


@pytest.fixture
def limited(sandbox: Sandbox, namespace: str, kubeconfig_for: Callable[..., Path]) -> Iterator[Cluster]:
    """The cluster as a service account that may get and patch ConfigMaps of the namespace, and not list them."""
    api = sandbox.api()
    api.create(
        f"/api/v1/namespaces/{namespace}/serviceaccounts",
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "planner"}},
    )
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "planner"},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "patch", "create"]}],
    }
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    api.create(f"{rbac}/roles", role)
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "planner"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "planner"},
        "subjects": [{"kind": "ServiceAccount", "name": "planner", "namespace": namespace}],
    }
    api.create(f"{rbac}/rolebindings", binding)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = api.create(f"/api/v1/namespaces/{namespace}/serviceaccounts/planner/token", request)["status"]["token"]
    given = read_context((sandbox.kubeconfig,), sandbox.context).cluster.value["certificate-authority-data"]
    kubeconfig = kubeconfig_for(
        sandbox.server, user=f"{{token: '{token}'}}", cluster=f", certificate-authority-data: '{given}'"
    )
    connected = Cluster.connect(kubeconfig)
    yield connected
    connected.close()


def test_without_the_right_to_list_each_object_is_read(limited: Cluster, cluster: Cluster, namespace: str) -> None:
    wanted = [config_map(namespace, f"m-{number}", n="1") for number in range(10)]
    for manifest in wanted[:5]:
        cluster.apply(manifest)
    seen = limited.observe(wanted)
    assert [each.live is not None for each in seen] == [True] * 5 + [False] * 5
    assert all(each.predicted for each in seen)


def test_an_object_that_we_may_not_read_stops_the_plan(limited: Cluster, namespace: str) -> None:
    with pytest.raises(Forbidden, match='cannot get resource "deployments"') as raised:
        limited.observe([deployment(namespace)])
    assert "permission" in raised.value.remedy


def test_an_overloaded_server_stops_the_plan(fake_api_server: Any, kubeconfig_for: Callable[..., Path]) -> None:
    """Against the fake: a real server is not overloaded on demand."""
    resources = [{"kind": "ConfigMap", "name": "configmaps", "namespaced": True}]
    fake_api_server.will_answer(200, {"resources": resources})
    fake_api_server.will_answer(503, {"kind": "Status", "reason": "ServiceUnavailable", "message": "overloaded"})
    overloaded = Cluster.connect(kubeconfig_for(fake_api_server.address))
    with pytest.raises(ServerFault, match="overloaded"):
        overloaded.observe([config_map("llm", "a")])


def test_an_object_that_changes_meanwhile_is_read_again(
    cluster: Cluster, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.apply(config_map(namespace, "a", x="1"))
    dry_run, changes = cluster.requests.dry_run, iter([config_map(namespace, "a", x="2")])

    def change_first(*arguments: Any, **keywords: Any) -> Any:
        for change in changes:
            cluster.apply(change)
        return dry_run(*arguments, **keywords)

    monkeypatch.setattr(cluster.requests, "dry_run", change_first)
    [seen] = cluster.observe([config_map(namespace, "a", x="3")])
    assert seen.live is not None
    assert seen.live["data"] == {"x": "2"}
    assert version(seen.live) == version(seen.predicted)
