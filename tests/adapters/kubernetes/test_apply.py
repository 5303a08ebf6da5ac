from __future__ import annotations

import pytest

from controlplane.adapters.errors import FieldConflict, NotFound, Refused, Stale
from controlplane.adapters.kubernetes import AlreadyExists, Cluster, ref_of
from controlplane.emit.bundle import Manifest
from controlplane.sandbox.lifecycle import Sandbox

pytestmark = pytest.mark.cluster


def config_map(namespace: str, **data: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": namespace}, "data": data}


def test_what_is_applied_belongs_to_our_field_manager(cluster: Cluster, namespace: str) -> None:
    live = cluster.apply(config_map(namespace, x="1"))
    [entry] = live["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("controlplane", "Apply")


def test_an_unchanged_object_is_not_written(cluster: Cluster, namespace: str) -> None:
    first = cluster.apply(config_map(namespace, x="1"))
    assert (
        cluster.apply(config_map(namespace, x="1"))["metadata"]["resourceVersion"]
        == (first["metadata"]["resourceVersion"])
    )


def test_text_arrives_as_it_was_written(cluster: Cluster, namespace: str) -> None:
    text = '😀 \x7f\x85\u2028\ufeff "q" \\ #: {a: [1]}\t\n\x01'
    assert cluster.apply(config_map(namespace, x=text))["data"] == {"x": text}


def test_a_field_of_another_manager_is_not_taken_unless_forced(
    cluster: Cluster, namespace: str, sandbox: Sandbox
) -> None:
    cluster.apply(config_map(namespace, x="1"))
    sandbox.api().merge(f"/api/v1/namespaces/{namespace}/configmaps/a", {"data": {"x": "by hand"}})
    with pytest.raises(FieldConflict) as raised:
        cluster.apply(config_map(namespace, x="1"))
    assert raised.value.conflicts == (("controlplane-sandbox", ".data.x"),)
    assert cluster.apply(config_map(namespace, x="1"), force=True)["data"] == {"x": "1"}


def test_a_newer_write_makes_a_guarded_apply_stale(cluster: Cluster, namespace: str) -> None:
    read = cluster.apply(config_map(namespace, x="1"))
    cluster.apply(config_map(namespace, x="2"))
    with pytest.raises(Stale, match="ConfigMap/") as raised:
        cluster.apply(config_map(namespace, x="3"), resource_version=read["metadata"]["resourceVersion"])
    assert "plan again" in raised.value.remedy
    assert cluster.apply(config_map(namespace, x="2"))["data"] == {"x": "2"}


def test_an_object_made_again_is_not_the_one_that_was_planned(cluster: Cluster, namespace: str) -> None:
    planned = cluster.apply(config_map(namespace, x="1"))
    cluster.delete(ref_of(planned), planned["metadata"]["uid"])
    cluster.apply(config_map(namespace, x="1"))
    with pytest.raises(Stale):
        cluster.apply(config_map(namespace, x="2"), uid=planned["metadata"]["uid"])


def test_a_deleted_object_is_not_created_by_a_guarded_apply(cluster: Cluster, namespace: str) -> None:
    planned = cluster.apply(config_map(namespace, x="1"))["metadata"]
    cluster.delete(ref_of(config_map(namespace)), planned["uid"])
    with pytest.raises(Stale):
        cluster.apply(config_map(namespace, x="2"), uid=planned["uid"], resource_version=planned["resourceVersion"])
    assert cluster.get(ref_of(config_map(namespace))) is None


def test_an_unknown_field_is_refused_and_not_tried_again(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(Refused, match="field not declared in schema") as raised:
        cluster.apply({**config_map(namespace), "dataa": {}})
    assert raised.value.retryable is False


def test_an_apply_into_a_missing_namespace_names_it(cluster: Cluster) -> None:
    with pytest.raises(NotFound, match='namespaces "not-there" not found'):
        cluster.apply(config_map("not-there"))


def test_the_values_of_a_refused_secret_are_not_repeated(cluster: Cluster, namespace: str) -> None:
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "hf", "namespace": namespace},
        "data": {"token": "hunter2 is no base64"},
    }
    with pytest.raises(Refused) as raised:
        cluster.apply(secret)
    assert "hunter2" not in raised.value.message
    [seen] = cluster.observe([secret])
    assert seen.refusal is not None
    assert "hunter2" not in seen.refusal.message


def test_what_exists_is_not_created_again(cluster: Cluster, namespace: str) -> None:
    cluster.create(config_map(namespace, x="1"))
    with pytest.raises(AlreadyExists):
        cluster.create(config_map(namespace, x="2"))


def test_only_the_object_with_the_uid_is_deleted(cluster: Cluster, namespace: str) -> None:
    first = cluster.apply(config_map(namespace, x="1"))
    ref = ref_of(first)
    assert cluster.delete(ref, first["metadata"]["uid"]) is True
    assert cluster.delete(ref, first["metadata"]["uid"]) is False
    second = cluster.apply(config_map(namespace, x="1"))
    with pytest.raises(Stale):
        cluster.delete(ref, first["metadata"]["uid"])
    assert cluster.get(ref) == second


def test_an_object_written_since_is_not_deleted(cluster: Cluster, namespace: str) -> None:
    read = cluster.apply(config_map(namespace, x="1"))["metadata"]
    cluster.apply(config_map(namespace, x="2"))
    with pytest.raises(Stale):
        cluster.delete(ref_of(config_map(namespace)), read["uid"], resource_version=read["resourceVersion"])


def test_labels_are_set_and_removed_and_nothing_else(cluster: Cluster, namespace: str) -> None:
    manifest = config_map(namespace, x="1")
    manifest["metadata"]["labels"] = {"keep": "1", "drop": "1"}
    ref = ref_of(cluster.apply(manifest))
    live = cluster.patch_labels(ref, {"add": "1", "drop": None}, {"note": "text: with a colon"})
    assert live["metadata"]["labels"] == {"keep": "1", "add": "1"}
    assert live["metadata"]["annotations"] == {"note": "text: with a colon"}
    assert live["data"] == {"x": "1"}
