from __future__ import annotations

import pytest

from controlplane.adapters.errors import NotFound
from controlplane.adapters.kubernetes import Cluster

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    ("api_version", "kind", "namespace", "path"),
    [
        ("v1", "Node", "", "/api/v1/nodes/a"),
        ("v1", "ConfigMap", "llm", "/api/v1/namespaces/llm/configmaps/a"),
        ("apps/v1", "Deployment", "llm", "/apis/apps/v1/namespaces/llm/deployments/a"),
        ("policy/v1", "PodDisruptionBudget", "llm", "/apis/policy/v1/namespaces/llm/poddisruptionbudgets/a"),
        ("ray.io/v1", "RayService", "llm", "/apis/ray.io/v1/namespaces/llm/rayservices/a"),
    ],
)
def test_the_path_of_a_kind_is_what_the_server_serves(
    cluster: Cluster, api_version: str, kind: str, namespace: str, path: str
) -> None:
    assert cluster.discovery.resource(api_version, kind).path(namespace, "a") == path


@pytest.mark.parametrize(
    ("api_version", "kind", "remedy"),
    [
        ("apps/v1", "Deploymet", "Did you mean Deployment?"),
        ("serving.example.com/v1", "Engine", "CustomResourceDefinition of Engine"),
        ("apps/v7", "Deployment", "new enough"),
    ],
)
def test_an_unknown_kind_says_what_to_do(cluster: Cluster, api_version: str, kind: str, remedy: str) -> None:
    with pytest.raises(NotFound) as raised:
        cluster.discovery.resource(api_version, kind)
    assert raised.value.message == f"the cluster does not serve {kind} in {api_version}"
    assert remedy in raised.value.remedy


def test_a_kind_that_is_installed_later_is_found(cluster: Cluster) -> None:
    version, kind = "late.controlplane.dev/v1", "Latecomer"
    with pytest.raises(NotFound):
        cluster.discovery.resource(version, kind)
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "latecomers.late.controlplane.dev"},
        "spec": {
            "group": "late.controlplane.dev",
            "scope": "Namespaced",
            "names": {"plural": "latecomers", "kind": kind},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
                }
            ],
        },
    }
    live = cluster.apply(definition)
    try:
        for _ in range(200):
            try:
                assert cluster.discovery.resource(version, kind).plural == "latecomers"
                return
            except NotFound:
                continue
        pytest.fail("the definition was applied and is not served")
    finally:
        from controlplane.adapters.kubernetes import ref_of

        cluster.delete(ref_of(definition), live["metadata"]["uid"])
