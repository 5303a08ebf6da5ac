"""A rollout that is called a deadlock is one: the real Deployment controller and scheduler try it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from controlplane.rules import judge
from controlplane.sandbox.api import ApiServer
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.stack.read import read_live

pytestmark = pytest.mark.cluster

_WITHIN_S = 60.0
_DEADLOCK = "kubernetes/rollout-deadlock"


def _deployment(namespace: str, pool: str, replicas: int, strategy: dict[str, Any]) -> dict[str, Any]:
    container = {"name": "server", "image": "server:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    spec = {
        "containers": [container],
        "nodeSelector": {"pool": pool},
        "tolerations": [{"key": "pool", "operator": "Exists"}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "strategy": strategy,
            "selector": {"matchLabels": {"app": "chat"}},
            "template": {"metadata": {"labels": {"app": "chat"}}, "spec": spec},
        },
    }


def _verdict(api: ApiServer, deployment: dict[str, Any]) -> list[str]:
    nodes = api.get("/api/v1/nodes")["items"]
    manifests = [{"apiVersion": "v1", "kind": "Node", **node} for node in nodes]
    return [finding.rule for finding in judge(read_live([deployment, *manifests]).stack).findings]


def _until(seen: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _WITHIN_S
    while not seen():
        assert time.monotonic() < deadline, "it was not seen in time"
        time.sleep(0.1)


def _pods(api: ApiServer, namespace: str, image: str) -> list[dict[str, Any]]:
    items = api.get(f"/api/v1/namespaces/{namespace}/pods")["items"]
    return [pod for pod in items if pod["spec"]["containers"][0]["image"] == image]


def _ready(pods: list[dict[str, Any]]) -> int:
    conditions = [c for pod in pods for c in pod.get("status", {}).get("conditions", ())]
    return sum(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def _unschedulable(pods: list[dict[str, Any]]) -> bool:
    conditions = [c for pod in pods for c in pod.get("status", {}).get("conditions", ())]
    return any(c.get("reason") == "Unschedulable" for c in conditions)


def _roll_out(api: ApiServer, namespace: str, deployment: dict[str, Any]) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    api.create(path, deployment)
    _until(lambda: _ready(_pods(api, namespace, "server:1")) == deployment["spec"]["replicas"])
    deployment["spec"]["template"]["spec"]["containers"][0]["image"] = "server:2"
    api.apply(f"{path}/chat", deployment)


def test_rollout_without_a_free_gpu_waits_beside_the_old_pod(
    sandbox: Sandbox, namespace: str, own_machines: Callable[..., str]
) -> None:
    api, pool = sandbox.api(), own_machines(1, gpus=1)
    deployment = _deployment(namespace, pool, 1, {})
    assert _DEADLOCK in _verdict(api, deployment)
    _roll_out(api, namespace, deployment)
    _until(lambda: _unschedulable(_pods(api, namespace, "server:2")))
    assert _ready(_pods(api, namespace, "server:1")) == 1


@pytest.mark.parametrize(
    ("replicas", "gpus", "strategy"),
    [
        pytest.param(1, 1, {"type": "Recreate"}, id="recreate"),
        pytest.param(1, 1, {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}, id="one missing"),
        pytest.param(1, 2, {}, id="a GPU to spare"),
        pytest.param(4, 4, {}, id="25 % of four is one that may be missing"),
    ],
)
def test_rollout_that_is_not_called_a_deadlock_ends(
    sandbox: Sandbox, namespace: str, own_machines: Callable[..., str], *, replicas: int, gpus: int, strategy: Any
) -> None:
    api, pool = sandbox.api(), own_machines(1, gpus=gpus)
    deployment = _deployment(namespace, pool, replicas, strategy)
    assert _DEADLOCK not in _verdict(api, deployment)
    _roll_out(api, namespace, deployment)
    _until(lambda: _ready(_pods(api, namespace, "server:2")) == replicas)
