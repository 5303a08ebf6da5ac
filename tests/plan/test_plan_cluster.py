"""The properties of a plan, on a real API server: nothing that is ours is missed, nothing else is called a change."""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from controlplane.adapters.kubernetes import Cluster
from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Action, Change, ChangeSet, FieldAction, Reason
from controlplane.plan.drift import DriftState, drift
from controlplane.plan.plan import plan, ref_of
from controlplane.plan.staleness import precondition, stale
from controlplane.sandbox.lifecycle import Sandbox
from tests.plan.realistic import (
    all_objects,
    at,
    bundle,
    config_map,
    deployment,
    disruption_budget,
    emitted,
    leaf_paths,
    ray_cluster,
    service,
    with_value,
    without,
)

pytestmark = pytest.mark.cluster

KINDS: dict[str, Callable[[str], Manifest]] = {
    "deployment": deployment,
    "service": service,
    "disruption-budget": disruption_budget,
    "config-map": config_map,
    "ray-cluster": ray_cluster,
}
_PLURALS = {
    "Deployment": "apis/apps/v1/namespaces/{}/deployments/{}",
    "Service": "api/v1/namespaces/{}/services/{}",
    "PodDisruptionBudget": "apis/policy/v1/namespaces/{}/poddisruptionbudgets/{}",
    "ConfigMap": "api/v1/namespaces/{}/configmaps/{}",
    "RayCluster": "apis/ray.io/v1/namespaces/{}/rayclusters/{}",
}


@pytest.fixture
def cluster(sandbox: Sandbox) -> Iterator[Cluster]:
    found = Cluster.connect(kubeconfig=sandbox.kubeconfig, context=sandbox.context)
    yield found
    found.close()


class Other:
    """Somebody else who writes to our objects: a person with an editor, a controller."""

    def __init__(self, sandbox: Sandbox, manager: str = "kubectl-edit") -> None:
        self._api = sandbox.api()
        self._manager = manager

    def patch(self, manifest: Manifest, *operations: dict[str, Any], subresource: str = "") -> Manifest:
        """JSON patch: `{"op": "replace", "path": (...), "value": ...}`."""
        body = json.dumps([{**each, "path": _pointer(each["path"])} for each in operations])
        address = f"{_address(manifest)}{subresource}?fieldManager={self._manager}"
        return self._api.request("PATCH", address, body, "application/json-patch+json")


def _address(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return "/" + _PLURALS[manifest["kind"]].format(metadata["namespace"], metadata["name"])


def _pointer(path: KeyPath) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def planned(cluster: Cluster, *manifests: Manifest) -> ChangeSet:
    return plan(bundle(*manifests), cluster.observe(manifests))


def only(change_set: ChangeSet) -> Change:
    assert len(change_set.changes) == 1
    return change_set.changes[0]


def versions(cluster: Cluster, manifests: tuple[Manifest, ...]) -> list[str]:
    lives = [cluster.get(ref_of(manifest)) for manifest in manifests]
    return [live["metadata"]["resourceVersion"] for live in lives if live is not None]


def settled_versions(cluster: Cluster, manifests: tuple[Manifest, ...]) -> list[str]:
    """The versions once the controllers have written their status."""
    for _ in range(60):
        before = versions(cluster, manifests)
        time.sleep(0.5)
        if versions(cluster, manifests) == before:
            return before
    raise AssertionError("the controllers never stop writing")


# What another value of a field may be, so that the API server takes it: by the field's name, else by its type.
_ALTERNATIVES: dict[str, Any] = {
    "effect": "NoExecute",
    "cpu": "3",
    "memory": "70Gi",
    "nvidia.com/gpu": "2",
    "sizeLimit": "8Gi",
    "medium": "",
    "topologyKey": "other.example/zone",
    "targetPort": 8080,
    "port": 8081,
    "type": "Recreate",
    "maxSurge": "30%",
    "maxUnavailable": 2,
    "weight": 50,
    "app.kubernetes.io/name": "other",
}
# Fields that no other value of is accepted, or that tell list items apart, so that a change is another item.
_FIXED = {"matchLabels", "name", "mountPath", "containerPort", "protocol", "groupName", "whenUnsatisfiable"}


def editable(manifest: Manifest) -> list[KeyPath]:
    """The leaves that another value is accepted for, one at a time."""
    paths = [path for path in leaf_paths(manifest) if path[0] not in ("apiVersion", "kind")]
    paths = [p for p in paths if p[:2] not in (("metadata", "name"), ("metadata", "namespace"))]
    return [p for p in paths if not any(step in _FIXED for step in p) and _is_free(p, at(manifest, p))]


def _is_free(path: KeyPath, value: Any) -> bool:
    if value in ({}, []) or path[-1] in ("type", "nvidia.com/gpu", "operator", "port", "suspend"):
        return False
    if path[:1] == ("spec",) and "topologySpreadConstraints" in path and path[-1] == "topologyKey":
        return False
    return path[:4] != ("spec", "template", "metadata", "labels") or path[-1] != "app.kubernetes.io/name"


def another(path: KeyPath, value: Any) -> Any:
    """A value that the field does not have and may have."""
    if isinstance(value, bool):
        return not value
    if path[-1] in _ALTERNATIVES:
        return _ALTERNATIVES[str(path[-1])]
    return value + 1 if isinstance(value, int) else f"{value}x"


def without_operators_status(live: Manifest | None) -> Manifest:
    """A RayCluster but for what the running operator writes when it likes: its status, and so the object's version.

    The entries of managedFields stay, with their times: a write of ours would show there.
    """
    assert live is not None
    assert live["kind"] == "RayCluster"
    metadata = {k: v for k, v in live["metadata"].items() if k != "resourceVersion"}
    metadata["managedFields"] = [e for e in metadata["managedFields"] if e.get("subresource") != "status"]
    return {**{k: v for k, v in live.items() if k != "status"}, "metadata": metadata}


def test_applied_objects_are_unchanged_and_a_second_apply_writes_nothing(cluster: Cluster, namespace: str) -> None:
    manifests = all_objects(namespace)
    first = planned(cluster, *manifests)
    assert [c.action for c in first.changes] == [Action.CREATE] * len(manifests)
    for manifest in manifests:
        cluster.apply(manifest)
    before = settled_versions(cluster, manifests)
    ray_before = without_operators_status(cluster.get(ref_of(manifests[-1])))

    second = planned(cluster, *manifests)

    assert [c.action for c in second.changes] == [Action.UNCHANGED] * len(manifests)
    assert all(not (c.fields or c.side_effects or c.conflicts or c.overruled) for c in second.changes)
    for manifest in manifests:
        cluster.apply(manifest)
    assert versions(cluster, manifests)[:-1] == before[:-1]
    assert without_operators_status(cluster.get(ref_of(manifests[-1]))) == ray_before


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_that_another_manager_edits_is_found_at_its_exact_path(
    kind: str, cluster: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    manifest = KINDS[kind](namespace)
    cluster.apply(manifest)
    other = Other(sandbox)
    for path in editable(manifest):
        value = another(path, at(manifest, path))
        other.patch(manifest, {"op": "replace", "path": path, "value": value})

        observed = cluster.observe([manifest])
        change = only(plan(bundle(manifest), observed))

        assert [f.path for f in change.fields] == [path], path
        assert change.fields[0].action in (FieldAction.CHANGED, FieldAction.ADDED)
        assert change.fields[0].after == at(manifest, path) or "TOKEN" in change.fields[0].label
        assert "kubectl-edit" in change.fields[0].owners or change.fields[0].action is FieldAction.ADDED
        assert change.fields[0].origin is not None
        found = drift(bundle(manifest).objects, observed)
        assert found.drifted[0].fields == change.fields
        cluster.apply(manifest, force=True)
    assert only(planned(cluster, manifest)).action is Action.UNCHANGED


@pytest.mark.parametrize("seed", range(4))
def test_several_edits_at_once_are_found_together(
    seed: int, cluster: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    choice = random.Random(seed)  # noqa: S311 - repeatable choices
    manifest = deployment(namespace)
    cluster.apply(manifest)
    for _ in range(4):
        paths = choice.sample(editable(manifest), choice.randint(2, 6))
        edits = [{"op": "replace", "path": p, "value": another(p, at(manifest, p))} for p in paths]
        Other(sandbox).patch(manifest, *edits)

        change = only(planned(cluster, manifest))

        assert {f.path for f in change.fields} == set(paths)
        cluster.apply(manifest, force=True)


def removable(manifest: Manifest) -> list[KeyPath]:
    """The leaves that the API server lets go on their own."""
    required = {
        *("image", "claimName", "key", "path", "weight", "maxSkew", "rayVersion", "topologyKey", "nvidia.com/gpu"),
        *("command", "minReplicas", "maxReplicas", "rayStartParams", "prometheus.io/port", "maxUnavailable"),
    }
    return [p for p in editable(manifest) if not required.intersection(p) and not isinstance(p[-1], int)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_that_another_manager_removes_is_found(
    kind: str, cluster: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    manifest = KINDS[kind](namespace)
    cluster.apply(manifest)
    for path in removable(manifest):
        live = Other(sandbox).patch(manifest, {"op": "remove", "path": path})
        if _same_as_default(live, manifest, path):
            cluster.apply(manifest, force=True)
            continue

        change = only(planned(cluster, manifest))

        assert [f.path for f in change.fields] == [path], path
        cluster.apply(manifest, force=True)


def _same_as_default(live: Manifest, manifest: Manifest, path: KeyPath) -> bool:
    """Whether the field has come back by itself with the value that we set, or means nothing when it is absent."""
    try:
        return bool(at(live, path) == at(manifest, path))
    except KeyError:
        return not at(manifest, path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_left_out_of_the_policy_is_exactly_one_removal(kind: str, cluster: Cluster, namespace: str) -> None:
    manifest = KINDS[kind](namespace)
    live = cluster.apply(manifest)
    for path in removable(manifest):
        shorter = without(manifest, path)
        observed = cluster.observe([shorter])
        assert observed[0].refusal is None, (path, observed[0].refusal)
        held, default = (_found(state, path) for state in (live, observed[0].predicted))

        change = only(plan(bundle(shorter), observed))

        if default == held:
            assert change.action is Action.UNCHANGED, path
            continue
        assert [f.action for f in change.fields] in ([FieldAction.REMOVED], [FieldAction.CHANGED]), path
        assert change.fields[0].path == path or path[: len(change.fields[0].path)] == change.fields[0].path, path
        assert change.fields[0].before is not None
        assert change.fields[0].after == default


def _found(state: Manifest | None, path: KeyPath) -> Any:
    try:
        return at(state, path)
    except KeyError:
        return None


def test_what_others_own_is_never_a_change(cluster: Cluster, sandbox: Sandbox, namespace: str) -> None:
    manifest = deployment(namespace)
    del manifest["spec"]["replicas"]
    cluster.apply(manifest)
    template = ("spec", "template", "metadata", "annotations")
    edits: list[dict[str, Any]] = [
        {"op": "add", "path": ("metadata", "labels", "team.example/owner"), "value": "a"},
        {"op": "add", "path": ("metadata", "annotations", "note.example/why"), "value": "b"},
        {"op": "add", "path": (*template, "kubectl.kubernetes.io/restartedAt"), "value": "2026-01-01T00:00:00Z"},
        {"op": "add", "path": ("spec", "replicas"), "value": 7},
        {
            "op": "add",
            "path": ("spec", "template", "spec", "containers", 1),
            "value": {"name": "mesh", "image": "registry.example/mesh:1", "env": [{"name": "A", "value": "1"}]},
        },
        {
            "op": "add",
            "path": ("spec", "template", "spec", "containers", 0, "env", 0),
            "value": {"name": "INJECTED", "value": "yes"},
        },
        {"op": "add", "path": ("spec", "template", "spec", "volumes", 0), "value": {"name": "mesh", "emptyDir": {}}},
        {"op": "add", "path": ("spec", "template", "spec", "volumes", 3, "emptyDir", "sizeLimit"), "value": "1Gi"},
    ]
    for edit in edits:
        before = cluster.get(ref_of(manifest))
        Other(sandbox).patch(manifest, edit)

        change = only(planned(cluster, manifest))

        assert change.action is Action.UNCHANGED, edit
        assert change.fields == ()
        assert (
            stale(ref_of(manifest), precondition(manifest, before), manifest, cluster.get(ref_of(manifest))) is None
        )
    foreign = {f.label: f.manager for f in only(planned(cluster, manifest)).foreign}
    assert foreign["spec.replicas"] == "kubectl-edit"
    assert foreign['metadata.labels["team.example/owner"]'] == "kubectl-edit"
    assert any(label.startswith("spec.template.spec.containers[name=mesh]") for label in foreign)


def test_a_status_write_is_neither_a_change_nor_stale(cluster: Cluster, sandbox: Sandbox, namespace: str) -> None:
    manifest = deployment(namespace)
    before = cluster.apply(manifest)
    Other(sandbox, "a-controller").patch(
        manifest, {"op": "add", "path": ("status",), "value": {"replicas": 2}}, subresource="/status"
    )
    after = cluster.get(ref_of(manifest))
    assert after is not None
    assert after["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    assert only(planned(cluster, manifest)).action is Action.UNCHANGED
    assert stale(ref_of(manifest), precondition(manifest, before), manifest, after) is None


@pytest.mark.parametrize(
    ("path", "spelling"),
    [
        pytest.param(("containers", 0, "resources", "requests", "cpu"), "8000m", id="cpu in thousandths"),
        pytest.param(("containers", 0, "resources", "requests", "memory"), "65536Mi", id="memory in Mi"),
        pytest.param(("containers", 0, "resources", "limits", "nvidia.com/gpu"), 1, id="GPUs as a number"),
        pytest.param(("volumes", 0, "emptyDir", "sizeLimit"), "16384Mi", id="a size limit"),
    ],
)
def test_another_spelling_in_a_deployment_is_no_change(
    path: KeyPath, spelling: Any, cluster: Cluster, namespace: str
) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    change = only(planned(cluster, with_value(manifest, ("spec", "template", "spec", *path), spelling)))
    assert (change.action, change.overruled) == (Action.UNCHANGED, ())


@pytest.mark.parametrize(
    ("name", "side", "spelling"),
    [
        ("cpu", "limits", "1"),
        ("cpu", "requests", "0.5"),
        ("cpu", "limits", "1000m"),
        ("memory", "requests", "1Gi"),
        ("memory", "limits", "1073741824"),
    ],
)
def test_another_spelling_in_a_custom_resource_is_no_change(
    name: str, side: str, spelling: Any, cluster: Cluster, namespace: str
) -> None:
    manifest = ray_cluster(namespace)
    cluster.apply(manifest)
    container = ("template", "spec", "containers", 0, "resources", side, name)
    respelt = with_value(manifest, ("spec", "headGroupSpec", *container), spelling)
    respelt = with_value(respelt, ("spec", "workerGroupSpecs", 1, *container), spelling)
    assert only(planned(cluster, respelt)).action is Action.UNCHANGED


def test_the_order_of_map_lists_is_no_change(cluster: Cluster, namespace: str) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    turned = copy.deepcopy(manifest)
    for path in (("env",), ("ports",), ("volumeMounts",)):
        at(turned, ("spec", "template", "spec", "containers", 0, *path)).reverse()
    turned["spec"]["template"]["spec"]["volumes"].reverse()
    assert only(planned(cluster, turned)).action is Action.UNCHANGED


def test_the_order_of_init_containers_is_a_change(cluster: Cluster, namespace: str) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    turned = copy.deepcopy(manifest)
    turned["spec"]["template"]["spec"]["initContainers"].reverse()
    change = only(planned(cluster, turned))
    assert [(f.before, f.after) for f in change.fields] == [(["fetch", "check"], ["check", "fetch"])]


def test_ports_with_the_same_number_are_told_apart_by_protocol(cluster: Cluster, namespace: str) -> None:
    manifest = service(namespace)
    manifest["spec"]["ports"].append({"name": "udp", "port": 80, "protocol": "UDP"})
    cluster.apply(manifest)
    assert only(planned(cluster, manifest)).action is Action.UNCHANGED
    shorter = copy.deepcopy(manifest)
    del shorter["spec"]["ports"][2]
    change = only(planned(cluster, shorter))
    assert [(f.label, f.action) for f in change.fields] == [("spec.ports[port=80,protocol=UDP]", FieldAction.REMOVED)]


def test_another_number_under_the_same_port_name_is_one_port_less_and_one_more(
    cluster: Cluster, namespace: str
) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    port = ("spec", "template", "spec", "containers", 0, "ports", 1, "containerPort")
    change = only(planned(cluster, with_value(manifest, port, 9001)))
    assert sorted((f.action, f.label.rpartition(".")[2]) for f in change.fields) == [
        (FieldAction.ADDED, "ports[containerPort=9001,protocol=TCP]"),
        (FieldAction.REMOVED, "ports[containerPort=9000,protocol=TCP]"),
    ]


def test_a_changed_selector_is_a_replacement(cluster: Cluster, namespace: str) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    label = "app.kubernetes.io/name"
    other = with_value(manifest, ("spec", "selector", "matchLabels", label), "other")
    other = with_value(other, ("spec", "template", "metadata", "labels", label), "other")
    change = only(planned(cluster, other))
    assert (change.action, change.reason) == (Action.REPLACE, Reason.IMMUTABLE_FIELD)
    assert {f.label for f in change.fields} == {
        'spec.selector.matchLabels["app.kubernetes.io/name"]',
        'spec.template.metadata.labels["app.kubernetes.io/name"]',
    }
    assert "2 pods" in change.consequences[0]


def test_an_invalid_object_cannot_be_compared(cluster: Cluster, namespace: str) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    broken = with_value(manifest, ("spec", "replicas"), -1)
    change = only(planned(cluster, broken))
    assert (change.action, change.reason) == (Action.CANNOT_COMPARE, Reason.REFUSED)
    assert change.refusal is not None
    assert "spec.replicas" in change.refusal.message
    assert [f.label for f in change.fields] == ["spec.replicas"]


def test_an_edit_that_an_apply_cannot_undo_is_drift(cluster: Cluster, sandbox: Sandbox, namespace: str) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    token = ("spec", "template", "spec", "containers", 0, "env", 1)
    edit = {"op": "replace", "path": token, "value": {"name": "HF_TOKEN", "value": "planted-by-hand"}}
    Other(sandbox).patch(manifest, edit)
    (found,) = drift(bundle(manifest).objects, cluster.observe([manifest])).drifted
    assert found.refusal is not None
    assert {f.label.partition("valueFrom")[0] for f in found.fields} == {
        "spec.template.spec.containers[name=vllm].env[name=HF_TOKEN]."
    }
    assert "planted-by-hand" not in repr(found)


def test_objects_of_a_namespace_that_comes_first_are_created_after_it(cluster: Cluster) -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "not-there-yet"}}
    inside = config_map("not-there-yet")
    made = planned(cluster, inside, space)
    assert [(c.ref.kind, c.action, c.reason) for c in made.changes] == [
        ("Namespace", Action.CREATE, Reason.ABSENT),
        ("ConfigMap", Action.CREATE, Reason.NAMESPACE_PENDING),
    ]
    alone = only(planned(cluster, inside))
    assert alone.action is Action.CANNOT_COMPARE
    assert alone.refusal is not None
    assert "not-there-yet" in alone.refusal.message


def test_a_missing_object_is_drift(cluster: Cluster, namespace: str) -> None:
    found = drift([emitted(config_map(namespace))], cluster.observe([config_map(namespace)]))
    assert [each.state for each in found.drifted] == [DriftState.MISSING]


def test_an_equal_object_of_somebody_else_is_adopted(cluster: Cluster, sandbox: Sandbox, namespace: str) -> None:
    manifest = config_map(namespace)
    sandbox.api().create(_address(manifest).rpartition("/")[0], manifest)
    change = only(planned(cluster, manifest))
    assert (change.action, change.reason) == (Action.UPDATE, Reason.NOT_OURS_YET)
    assert {f.action for f in change.fields} == {FieldAction.ADOPTED}
    cluster.apply(manifest)
    assert only(planned(cluster, manifest)).action is Action.UNCHANGED


def test_a_changed_owned_field_makes_a_plan_stale_and_is_named(
    cluster: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    manifest = deployment(namespace)
    bound = precondition(manifest, cluster.apply(manifest))
    image = ("spec", "template", "spec", "containers", 0, "image")
    live = Other(sandbox).patch(manifest, {"op": "replace", "path": image, "value": "registry.example/other:1"})
    found = stale(ref_of(manifest), bound, manifest, live)
    assert found is not None
    assert (found.label, found.manager) == ("spec.template.spec.containers[name=vllm].image", "kubectl-edit")
    assert found.before_digest != found.after_digest
    assert found.label in found.message


def test_an_item_of_an_atomic_list_is_found_by_its_place(cluster: Cluster, sandbox: Sandbox, namespace: str) -> None:
    manifest = ray_cluster(namespace)
    bound = precondition(manifest, cluster.apply(manifest))
    replicas = ("spec", "workerGroupSpecs", 1, "replicas")
    live = Other(sandbox, "ray-autoscaler").patch(manifest, {"op": "replace", "path": replicas, "value": 3})
    change = only(planned(cluster, manifest))
    assert [(f.label, f.path) for f in change.fields] == [
        ("spec.workerGroupSpecs[groupName=small].replicas", replicas)
    ]
    assert [c.manager for c in change.conflicts] == ["ray-autoscaler"]
    found = stale(ref_of(manifest), bound, manifest, live)
    assert found is not None
    assert found.label == "spec.workerGroupSpecs[groupName=small].replicas"


def test_an_item_added_to_an_atomic_list_is_ours_to_take_out(
    cluster: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    manifest = deployment(namespace)
    cluster.apply(manifest)
    path = ("spec", "template", "spec", "tolerations", 1)
    Other(sandbox).patch(manifest, {"op": "add", "path": path, "value": {"key": "spot", "operator": "Exists"}})
    change = only(planned(cluster, manifest))
    assert [(f.path, f.action) for f in change.fields] == [(path, FieldAction.REMOVED)]


def test_a_field_that_another_manager_owns_too_stays_and_is_explained(
    cluster: Cluster, sandbox: Sandbox, namespace: str
) -> None:
    manifest = config_map(namespace)
    sandbox.api().apply(_address(manifest), manifest)
    cluster.apply(manifest)
    made = planned(cluster, without(manifest, ("data", "length")))
    assert only(made).action is Action.UNCHANGED
    assert [note.partition(": ")[2] for note in made.notes] == [
        "data.length left the policy and stays: controlplane-sandbox owns it too."
    ]
    assert planned(cluster, manifest).notes == ()


@pytest.fixture
def rewriting(sandbox: Sandbox, namespace: str) -> Iterator[None]:
    """An admission policy that rewrites one value of every ConfigMap of ours in this namespace."""
    api, place = sandbox.api(), "/apis/admissionregistration.k8s.io/v1"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}
    here = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    patch = {"expression": "Object{data: {'length': '99'}}"}
    policy = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": namespace},
        "spec": {
            "matchConstraints": {"resourceRules": [rule], "namespaceSelector": here},
            "matchConditions": [{"name": "ours", "expression": "object.metadata.name == 'chat'"}],
            "reinvocationPolicy": "Never",
            "failurePolicy": "Fail",
            "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": patch}],
        },
    }
    binding = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": namespace},
        "spec": {"policyName": namespace},
    }
    api.create(f"{place}/mutatingadmissionpolicies", policy)
    api.create(f"{place}/mutatingadmissionpolicybindings", binding)
    yield
    api.delete(f"{place}/mutatingadmissionpolicybindings/{namespace}")
    api.delete(f"{place}/mutatingadmissionpolicies/{namespace}")


@pytest.mark.usefixtures("rewriting")
def test_a_field_that_admission_rewrites_is_named_and_neither_a_change_nor_drift(
    cluster: Cluster, namespace: str
) -> None:
    manifest = config_map(namespace)
    for _ in range(100):
        if cluster.apply(manifest, force=True)["data"]["length"] == "99":
            break
        time.sleep(0.2)

    observed = cluster.observe([manifest])
    made = plan(bundle(manifest), observed)

    assert only(made).action is Action.UNCHANGED
    assert [(o.label, o.wanted, o.becomes) for o in only(made).overruled] == [("data.length", "16384", "99")]
    assert len(made.notes) == 1
    assert drift(bundle(manifest).objects, observed).drifted == ()
