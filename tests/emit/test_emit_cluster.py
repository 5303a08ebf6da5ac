"""A real API server takes everything that is written, strictly: no unknown field, no duplicate, nothing invalid."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controlplane.emit import EmittedObject, emit
from controlplane.emit.bundle import Manifest
from controlplane.emit.kubernetes.node import nodes
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.stack.inventory import Inventory
from controlplane.stack.manifest_fields import of_live_object
from controlplane.stack.model import Stack
from controlplane.stack.read import read_live
from controlplane.stack.readers import node as node_reader
from tests.emit import example
from tests.emit.reference_policies import NAMES, resolved
from tests.emit.whole import whole

pytestmark = pytest.mark.cluster

PATHS = {
    "Namespace": "/api/v1/namespaces/{name}",
    "Service": "/api/v1/namespaces/{namespace}/services/{name}",
    "Deployment": "/apis/apps/v1/namespaces/{namespace}/deployments/{name}",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/{name}",
    "Node": "/api/v1/nodes/{name}",
}
STRICT = "dryRun=All&fieldValidation=Strict&fieldManager=controlplane&force=true"
APPLY = "application/apply-patch+yaml"


def dry_run(sandbox: Sandbox, manifest: Manifest, namespace: str) -> Any:
    """What the API server would store. The manifest goes into a namespace that exists: a dry run creates none."""
    name = manifest["metadata"]["name"]
    path = PATHS[manifest["kind"]].format(namespace=namespace, name=name)
    if "namespace" in manifest["metadata"]:
        manifest = {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}
    return sandbox.api().request("PATCH", f"{path}?{STRICT}", json.dumps(manifest), APPLY)


def differences(made: EmittedObject, answer: Manifest) -> list[Any]:
    own = example.leaves(made.manifest)
    theirs = example.leaves(answer)
    apart = {("metadata", "namespace")}
    return [
        (path, value, theirs.get(path))
        for path, value in own.items()
        if path not in apart and value != theirs.get(path)
    ]


@pytest.mark.parametrize("name", [*NAMES, "example", "whole"])
def test_api_server_stores_what_is_written_as_it_is_written(sandbox: Sandbox, namespace: str, name: str) -> None:
    stack = {"example": example.stack, "whole": whole}.get(name, lambda: resolved(name))()
    for made in emit(stack).objects:
        answer = dry_run(sandbox, made.manifest, namespace)
        assert differences(made, answer) == []


@pytest.mark.parametrize("name", [*NAMES, "whole"])
def test_stored_objects_read_back_as_the_stack(sandbox: Sandbox, namespace: str, name: str) -> None:
    """Defaults that the server fills in are declared values in its answer; everything else is as it was."""
    stack = whole() if name == "whole" else resolved(name)
    answers = [dry_run(sandbox, made.manifest, namespace) for made in emit(stack).objects]
    stored = read_live(answers).stack
    assert engines(stored) == engines(stack)
    for live, ours in zip(stored.workloads, stack.workloads, strict=True):
        assert live.pod_sets[0].constraints == ours.pod_sets[0].constraints
        assert live.pod_sets[0].volumes == ours.pod_sets[0].volumes
        assert live.strategy == ours.strategy


def engines(stack: Stack) -> list[Any]:
    return [engine for workload in stack.workloads for engine in workload.engines]


def test_nodes_of_a_pool_are_taken_and_read_back(sandbox: Sandbox, namespace: str) -> None:
    pool = example.pool(nodes=2)
    answers = [dry_run(sandbox, manifest, namespace) for manifest in nodes(pool)]
    read = node_reader.read([of_live_object(answer, "Node") for answer in answers])
    assert [p.taints for p in read] == [pool.taints]
    assert Inventory(read).pool("h100") is not None
