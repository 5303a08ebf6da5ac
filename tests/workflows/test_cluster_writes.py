"""Writes against a real API server: what is forced, what is replaced, what is left alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from controlplane.adapters.errors import FieldConflict, Refused
from controlplane.adapters.kubernetes import Cluster
from controlplane.emit.bundle import Bundle, Manifest
from controlplane.plan.plan import plan
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.workflows.binding import bind
from controlplane.workflows.cluster_writes import (
    Permission,
    StalePlan,
    apply_objects,
    as_objects,
    delete_planned,
    heal_objects,
    remove_created,
    verify_objects,
)
from controlplane.workflows.messages import DriftReport, FieldDrift, ObjectKey, PlannedObject, RevisionRef

pytestmark = pytest.mark.cluster

APPLY = "application/apply-patch+yaml"


@pytest.fixture
def kube(sandbox: Sandbox) -> Iterator[Cluster]:
    """The cluster as the activities see it."""
    cluster = Cluster.connect(sandbox.kubeconfig)
    yield cluster
    cluster.close()


def settings(namespace: str, name: str = "chat", **data: str) -> Manifest:
    """A ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": "chat"}},
        "data": data,
    }


def deployment(namespace: str, app: str) -> Manifest:
    """A Deployment without replicas, whose selector cannot be changed."""
    labels = {"app": app}
    container = {"name": "vllm", "image": "registry.example/vllm-openai:v0.33.0"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": namespace, "labels": {"app": "chat"}},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template},
    }


def by_hand(sandbox: Sandbox, manifest: Manifest) -> None:
    """Somebody else applies by force."""
    metadata = manifest["metadata"]
    path = f"/api/v1/namespaces/{metadata['namespace']}/configmaps/{metadata['name']}"
    sandbox.api().request("PATCH", f"{path}?fieldManager=hand&force=true", json.dumps(manifest), APPLY)


def planned_by_key(kube: Cluster, manifest: Manifest, *, force: bool = False) -> dict[ObjectKey, PlannedObject]:
    """A plan of one object, against live as it is now."""
    changes = plan(Bundle(as_objects([manifest])), kube.observe([manifest])).changes
    bound = [bind(change, force=force) for change in changes]
    return {each.key: each for each in bound}


def report_of(manifest: Manifest, *paths: str) -> DriftReport:
    """A report that names these fields of one object."""
    metadata = manifest["metadata"]
    key = ObjectKey(manifest["apiVersion"], manifest["kind"], metadata["namespace"], metadata["name"])
    fields = tuple(FieldDrift(key, path, "changed", ("hand",)) for path in paths)
    return DriftReport(RevisionRef(1, "d"), fields, len(fields))


def test_a_field_of_another_manager_is_taken_only_when_the_plan_says_so(
    kube: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    by_hand(sandbox, settings(namespace, key="theirs"))
    wanted = settings(namespace, key="ours")
    with pytest.raises(FieldConflict):
        apply_objects(kube, as_objects([wanted]), Permission(planned_by_key(kube, wanted)))
    permission = Permission(planned_by_key(kube, wanted, force=True))
    assert [o.action for o in apply_objects(kube, as_objects([wanted]), permission)] == ["updated"]
    assert [o.action for o in apply_objects(kube, as_objects([wanted]), permission)] == ["unchanged"]


def test_an_object_that_is_not_in_the_plan_is_not_applied(kube: Cluster, namespace: str) -> None:
    wanted = settings(namespace, key="ours")
    with pytest.raises(StalePlan, match="part of the revision but not of the plan"):
        apply_objects(kube, as_objects([wanted]), Permission({}))
    assert kube.list("v1", "ConfigMap", namespace, "app=chat") == ()


def test_an_object_that_another_rollout_brought_to_the_wanted_state_is_not_stale(
    kube: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    apply_objects(kube, as_objects([settings(namespace, key="old")]), Permission())
    wanted = as_objects([settings(namespace, key="new")])
    planned = planned_by_key(kube, wanted[0].manifest)
    verify_objects(kube, wanted, planned)
    apply_objects(kube, wanted, Permission())
    verify_objects(kube, wanted, planned)
    assert [o.action for o in apply_objects(kube, wanted, Permission(planned))] == ["unchanged"]
    by_hand(sandbox, settings(namespace, key="other"))
    with pytest.raises(StalePlan, match=r"data\.key of ConfigMap"):
        verify_objects(kube, wanted, planned)
    with pytest.raises(StalePlan, match="was changed by hand"):
        apply_objects(kube, wanted, Permission(planned))


def test_an_immutable_field_replaces_the_object_when_the_plan_says_so(kube: Cluster, namespace: str) -> None:
    first, second = deployment(namespace, "chat"), deployment(namespace, "chat-2")
    apply_objects(kube, as_objects([first]), Permission())
    with pytest.raises(Refused, match="would have to be deleted and made again"):
        apply_objects(kube, as_objects([second]), Permission())
    permission = Permission(planned_by_key(kube, second))
    assert [o.action for o in apply_objects(kube, as_objects([second]), permission)] == ["replaced"]
    assert [o.action for o in apply_objects(kube, as_objects([second]), permission)] == ["unchanged"]


def test_a_heal_puts_back_what_was_named(kube: Cluster, sandbox: Sandbox, namespace: str) -> None:
    wanted = settings(namespace, key="ours", other="ours")
    apply_objects(kube, as_objects([wanted]), Permission())
    by_hand(sandbox, settings(namespace, key="theirs"))
    report = report_of(wanted, "data.key")
    assert [o.action for o in heal_objects(kube, as_objects([wanted]), report)] == ["updated"]
    assert [o.action for o in heal_objects(kube, as_objects([wanted]), report)] == ["unchanged"]


def test_a_heal_leaves_an_object_with_drift_that_was_not_named(
    kube: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    wanted = settings(namespace, key="ours", other="ours")
    apply_objects(kube, as_objects([wanted]), Permission())
    by_hand(sandbox, settings(namespace, key="theirs", other="theirs"))
    assert [o.action for o in heal_objects(kube, as_objects([wanted]), report_of(wanted, "data.key"))] == ["kept"]
    live = kube.list("v1", "ConfigMap", namespace, "app=chat")[0]
    assert live["data"] == {"key": "theirs", "other": "theirs"}


def test_a_heal_makes_an_object_that_is_gone_again(kube: Cluster, sandbox: Sandbox, namespace: str) -> None:
    wanted = settings(namespace, key="ours")
    apply_objects(kube, as_objects([wanted]), Permission())
    sandbox.api().delete(f"/api/v1/namespaces/{namespace}/configmaps/chat")
    assert [o.action for o in heal_objects(kube, as_objects([wanted]), report_of(wanted, ""))] == ["created"]


def test_only_what_the_failed_revision_created_is_removed(kube: Cluster, sandbox: Sandbox, namespace: str) -> None:
    kept, made, theirs = (settings(namespace, name, key="v") for name in ("kept", "made", "theirs"))
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "models", "namespace": namespace, "labels": {"app": "chat"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    by_hand(sandbox, theirs)
    ours = as_objects([kept, made, claim])
    created = {o.key for o in apply_objects(kube, ours, Permission())}
    others = {ObjectKey("v1", "ConfigMap", namespace, name) for name in ("theirs", "absent")}
    outcomes = remove_created(kube, [kept, made, theirs, claim], [kept], created | others)
    actions = {o.key.name: o.action for o in outcomes}
    assert actions == {"made": "deleted", "theirs": "kept", "models": "kept"}
    left = {m["metadata"]["name"] for m in kube.list("v1", "ConfigMap", namespace, "app=chat")}
    assert left == {"kept", "theirs"}


def test_a_planned_deletion_takes_only_the_object_that_was_seen(kube: Cluster, namespace: str) -> None:
    apply_objects(kube, as_objects([settings(namespace, key="v")]), Permission())
    live = kube.list("v1", "ConfigMap", namespace, "app=chat")[0]
    key = ObjectKey("v1", "ConfigMap", namespace, "chat")
    seen = PlannedObject(key, live["metadata"]["uid"], "", delete=True)
    assert [o.action for o in delete_planned(kube, [seen])] == ["deleted"]
    assert delete_planned(kube, [seen]) == ()
