"""Quotas count a pod as a real API server does: its refusals say what it counted."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from controlplane.rules.pod_arithmetic import shown
from controlplane.rules.quota_use import amount_of, resource_of
from controlplane.sandbox.errors import ApiRefused
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.source import parse_quantity
from controlplane.stack.read import read_live

pytestmark = pytest.mark.cluster

_NAMES = ("requests.cpu", "requests.memory", "limits.cpu", "limits.memory", "requests.nvidia.com/gpu", "pods")


def _container(name: str, requests: dict[str, str], limits: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "x", "resources": {"requests": requests, "limits": limits}, **more}


_MAIN = _container("main", {"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "9048576k", "nvidia.com/gpu": "2"})
_PODS = {
    "one container": {"containers": [_MAIN]},
    "two containers": {"containers": [_MAIN, _container("proxy", {"cpu": "10m"}, {"cpu": "1", "memory": "64Mi"})]},
    "limits stand for requests": {"containers": [_container("main", {}, {"cpu": "1500m", "memory": "2Gi"})]},
    "large init container": {
        "initContainers": [_container("fetch", {"cpu": "4"}, {"cpu": "4", "memory": "512Mi"})],
        "containers": [_MAIN],
    },
    "sidecar": {
        "initContainers": [
            _container("log", {"cpu": "100m"}, {"cpu": "1", "memory": "1Gi"}, restartPolicy="Always"),
            _container("fetch", {"cpu": "3"}, {"cpu": "3", "memory": "9Gi"}),
        ],
        "containers": [_MAIN],
    },
    "sidecar behind the init container": {
        "initContainers": [
            _container("fetch", {"cpu": "3"}, {"cpu": "3", "memory": "9Gi"}),
            _container("log", {"cpu": "100m"}, {"cpu": "1", "memory": "1Gi"}, restartPolicy="Always"),
        ],
        "containers": [_MAIN],
    },
}


@pytest.fixture
def closed(sandbox: Sandbox, namespace: str) -> str:
    """A namespace whose quota allows nothing of all that is counted."""
    api = sandbox.api()
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    if not api.exists(f"/api/v1/namespaces/{namespace}/serviceaccounts/default"):
        api.apply(f"/api/v1/namespaces/{namespace}/serviceaccounts/default", account)
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "none"},
        "spec": {"hard": dict.fromkeys(_NAMES, "0")},
        "status": {"hard": dict.fromkeys(_NAMES, "0"), "used": dict.fromkeys(_NAMES, "0")},
    }
    api.create(f"/api/v1/namespaces/{namespace}/resourcequotas", quota)
    api.request(
        "PUT", f"/api/v1/namespaces/{namespace}/resourcequotas/none/status", json.dumps(quota), "application/json"
    )
    return namespace


def _counted_by_the_server(sandbox: Sandbox, namespace: str, spec: dict[str, Any]) -> dict[str, int]:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    with pytest.raises(ApiRefused) as refused:
        sandbox.api().request(
            "POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", json.dumps(pod), "application/json"
        )
    requested = re.search(r"requested: (\S+), used:", str(refused.value))
    assert requested, str(refused.value)
    return {
        name: parse_quantity(amount).nano for name, _, amount in (p.partition("=") for p in requested[1].split(","))
    }


@pytest.mark.parametrize("shape", _PODS)
def test_quota_counts_a_pod_as_the_server_does(sandbox: Sandbox, closed: str, shape: str) -> None:
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"template": {"spec": _PODS[shape]}},
    }
    (workload,) = read_live([manifest]).stack.workloads
    ours = {name: amount_of(workload, workload.pod_sets[0], name) for name in _NAMES}
    theirs = _counted_by_the_server(sandbox, closed, _PODS[shape])
    shown_ours = {name: shown(resource_of(name), amount) for name, amount in ours.items() if amount}
    assert shown_ours == {name: shown(resource_of(name), amount) for name, amount in theirs.items() if amount}
