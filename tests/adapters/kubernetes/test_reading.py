from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.adapters.errors import NotFound
from controlplane.adapters.kubernetes import Cluster
from controlplane.adapters.kubernetes.observe import concurrently
from controlplane.adapters.kubernetes.reading import listed
from controlplane.stack.references import ObjectRef

pytestmark = pytest.mark.cluster

MANY = 520
"""More than one page of 500."""


@pytest.fixture
def many(cluster: Cluster, namespace: str) -> list[str]:
    """The names of many ConfigMaps, sorted; every tenth has the label `tenth`."""
    manifests = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": f"m-{number:03}",
                "namespace": namespace,
                "labels": {"many": "yes", **({"tenth": "yes"} if number % 10 == 0 else {})},
            },
        }
        for number in range(MANY)
    ]
    concurrently(cluster.apply, manifests)
    return [manifest["metadata"]["name"] for manifest in manifests]  # type: ignore[index]


def test_a_listing_goes_over_all_pages(cluster: Cluster, namespace: str, many: list[str]) -> None:
    assert [each["metadata"]["name"] for each in cluster.list("v1", "ConfigMap", namespace, "many")] == many
    resource = cluster.discovery.resource("v1", "ConfigMap")
    small_pages = listed(cluster.requests, resource, namespace, label_selector="many", page=7)
    assert [each["metadata"]["name"] for each in small_pages] == many
    tenth = cluster.list("v1", "ConfigMap", namespace, "tenth")
    assert [each["metadata"]["name"] for each in tenth] == many[::10]
    assert {(each["apiVersion"], each["kind"]) for each in tenth} == {("v1", "ConfigMap")}


def test_a_listing_begins_again_when_its_place_is_no_longer_kept(
    fake_api_server: Any, kubeconfig_for: Callable[..., Path]
) -> None:
    """Against the fake: a real server forgets a place only after minutes."""
    first = {"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": "there"}}
    fake_api_server.will_answer(200, {"resources": [{"kind": "ConfigMap", "name": "configmaps", "namespaced": True}]})
    fake_api_server.will_answer(200, first)
    fake_api_server.will_answer(410, {"kind": "Status", "reason": "Expired", "message": "too old"})
    fake_api_server.will_answer(200, {"items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]})
    found = Cluster.connect(kubeconfig_for(fake_api_server.address)).list("v1", "ConfigMap", "llm")
    assert [each["metadata"]["name"] for each in found] == ["a", "a", "b"]
    assert fake_api_server.requests[-1][1] == "/api/v1/namespaces/llm/configmaps"


def test_an_absent_object_is_none(cluster: Cluster, namespace: str) -> None:
    assert cluster.get(ObjectRef("v1", "ConfigMap", namespace, "absent")) is None
    assert cluster.get(ObjectRef("v1", "ConfigMap", "not-there", "absent")) is None


def test_an_object_of_an_unknown_kind_is_not_called_absent(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(NotFound, match="does not serve Engine"):
        cluster.get(ObjectRef("x.example/v1", "Engine", namespace, "a"))


def test_a_cluster_is_known_by_a_uid_that_stays(cluster: Cluster) -> None:
    identity = cluster.get(ObjectRef("v1", "Namespace", "", "kube-system"))
    assert identity is not None
    assert cluster.uid() == identity["metadata"]["uid"] == cluster.uid()
    assert cluster.version().startswith("v1.")
