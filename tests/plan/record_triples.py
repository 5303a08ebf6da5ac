"""Record what a real API server says, for tests that need none: `python -m tests.plan.record_triples KUBECONFIG`.

Each case is applied to a fresh namespace, edited by somebody else where it says so, and observed with what is wanted
then. The files under `triples/` hold live, predicted and wanted; `test_differ.py` says what must
come of them.
"""

from __future__ import annotations

import copy
import json
import sys
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from controlplane.adapters.kubernetes import Cluster
from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import Manifest
from controlplane.sandbox.api import api_of
from tests.plan.realistic import at, config_map, deployment, ray_cluster, service, with_value, without

TRIPLES = Path(__file__).parent / "triples"
_POD: KeyPath = ("spec", "template", "spec")
_SERVER: KeyPath = (*_POD, "containers", 0)
_PLACES = {
    "Deployment": "apis/apps/v1/namespaces/{}/deployments/{}",
    "Service": "api/v1/namespaces/{}/services/{}",
    "ConfigMap": "api/v1/namespaces/{}/configmaps/{}",
    "RayCluster": "apis/ray.io/v1/namespaces/{}/rayclusters/{}",
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is applied, how others edit it (JSON patch, by manager), and what is wanted then."""

    applied: Manifest
    wanted: Callable[[Manifest], Manifest] = copy.deepcopy
    edits: tuple[tuple[str, str, KeyPath, Any], ...] = field(default=())


def _reversed(manifest: Manifest, path: KeyPath) -> Manifest:
    turned = copy.deepcopy(manifest)
    at(turned, path).reverse()
    return turned


_EDITOR = "kubectl-edit"

CASES: dict[str, Case] = {
    "deployment-as-applied": Case(deployment()),
    "deployment-image-edited": Case(
        deployment(), edits=((_EDITOR, "replace", (*_SERVER, "image"), "registry.example/other:1"),)
    ),
    "deployment-argument-edited": Case(deployment(), edits=((_EDITOR, "replace", (*_SERVER, "args", 4), "8192"),)),
    "deployment-argument-added": Case(deployment(), edits=((_EDITOR, "add", (*_SERVER, "args", 5), "--verbose"),)),
    "deployment-selector-key-removed": Case(
        deployment(), edits=((_EDITOR, "remove", (*_POD, "nodeSelector", "pool"), None),)
    ),
    "deployment-labelled-by-another": Case(
        deployment(), edits=(("a-team", "add", ("metadata", "labels", "team.example/owner"), "a"),)
    ),
    "deployment-sidecar-injected": Case(
        deployment(),
        edits=(("mesh", "add", (*_POD, "containers", 0), {"name": "mesh", "image": "registry.example/mesh:1"}),),
    ),
    "deployment-empty-dir-filled-by-another": Case(
        deployment(), edits=(("a-team", "add", (*_POD, "volumes", 2, "emptyDir", "sizeLimit"), "1Gi"),)
    ),
    "deployment-variable-left-out": Case(deployment(), lambda m: without(m, (*_SERVER, "env", 0))),
    "deployment-probe-left-out": Case(deployment(), lambda m: without(m, (*_SERVER, "readinessProbe"))),
    "deployment-replicas-left-out": Case(deployment(), lambda m: without(m, ("spec", "replicas"))),
    "deployment-port-renumbered": Case(
        deployment(), lambda m: with_value(m, (*_SERVER, "ports", 1, "containerPort"), 9001)
    ),
    "deployment-variables-turned": Case(deployment(), lambda m: _reversed(m, (*_SERVER, "env"))),
    "deployment-init-containers-turned": Case(deployment(), lambda m: _reversed(m, (*_POD, "initContainers"))),
    "deployment-quantity-respelt": Case(
        deployment(), lambda m: with_value(m, (*_SERVER, "resources", "requests", "memory"), "65536Mi")
    ),
    "deployment-toleration-added": Case(
        deployment(), edits=((_EDITOR, "add", (*_POD, "tolerations", 1), {"key": "spot", "operator": "Exists"}),)
    ),
    "deployment-token-edited-in": Case(
        deployment(),
        edits=((_EDITOR, "replace", (*_SERVER, "env", 1), {"name": "HF_TOKEN", "value": "hunter2-hunter2"}),),
    ),
    "service-as-applied": Case(service()),
    "service-port-left-out": Case(service(), lambda m: without(m, ("spec", "ports", 1))),
    "config-map-key-left-out": Case(config_map(), lambda m: without(m, ("data", "length"))),
    "ray-cluster-as-applied": Case(ray_cluster()),
    "ray-cluster-quantity-respelt": Case(
        ray_cluster(),
        lambda m: with_value(
            m, ("spec", "workerGroupSpecs", 0, *_POD[1:], "containers", 0, "resources", "requests", "cpu"), "0.5"
        ),
    ),
    "ray-cluster-replicas-autoscaled": Case(
        ray_cluster(), edits=(("ray-autoscaler", "replace", ("spec", "workerGroupSpecs", 1, "replicas"), 3),)
    ),
    "ray-cluster-group-left-out": Case(ray_cluster(), lambda m: without(m, ("spec", "workerGroupSpecs", 0))),
}


def main(kubeconfig: Path) -> None:
    """Record every case."""
    cluster, api = Cluster.connect(kubeconfig=kubeconfig), api_of(kubeconfig)
    TRIPLES.mkdir(exist_ok=True)
    for name, case in CASES.items():
        namespace = f"record-{uuid.uuid4().hex[:8]}"
        api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        applied = _into(case.applied, namespace)
        cluster.apply(applied)
        for manager, operation, path, value in case.edits:
            _edit(api, applied, manager, {"op": operation, "path": _pointer(path), "value": value})
        wanted = case.wanted(applied)
        (observed,) = cluster.observe([wanted])
        refusal = None if observed.refusal is None else asdict(observed.refusal)
        states = {"live": observed.live, "predicted": observed.predicted, "wanted": wanted}
        triple = {**states, "refusal": refusal}
        text = json.dumps(triple, sort_keys=True).replace(namespace, "llm")
        (TRIPLES / f"{name}.json").write_text(text + "\n")
        api.delete(f"/api/v1/namespaces/{namespace}")
    cluster.close()


def _into(manifest: Manifest, namespace: str) -> Manifest:
    return with_value(manifest, ("metadata", "namespace"), namespace)


def _edit(api: Any, manifest: Manifest, manager: str, operation: dict[str, Any]) -> None:
    place = _PLACES[manifest["kind"]].format(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
    api.request("PATCH", f"/{place}?fieldManager={manager}", json.dumps([operation]), "application/json-patch+json")


def _pointer(path: KeyPath) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
