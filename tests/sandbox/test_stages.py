from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from controlplane.sandbox.api import ApiServer
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.sandbox.stages import READY_AFTER, SIMULATE, stages
from tests.sandbox.waiting import until

Pod = dict[str, Any]


def _stage(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"selector": {"matchExpressions": [{"key": ".x"}]}}}


def test_fast_stages_are_kept_off_the_pods_that_ours_are_for() -> None:
    upstream = [_stage("pod-ready"), _stage("pod-complete"), _stage("pod-delete"), _stage("node-initialize")]
    result = {stage["metadata"]["name"]: stage for stage in yaml.safe_load_all(stages(upstream))}
    conditions = {
        name: len(result[name]["spec"]["selector"]["matchExpressions"])
        for name in ("pod-ready", "pod-complete", "pod-delete", "node-initialize")
    }
    assert conditions == {"pod-ready": 2, "pod-complete": 2, "pod-delete": 1, "node-initialize": 1}
    assert upstream[0] == _stage("pod-ready")


def _create(sandbox: Sandbox, namespace: str, name: str, *images: str, init: str = "", **annotations: str) -> str:
    spec: Pod = {"containers": [{"name": f"c{i}", "image": image} for i, image in enumerate(images)]}
    if init:
        spec["initContainers"] = [{"name": "init", "image": init}]
    pods = f"/api/v1/namespaces/{namespace}/pods"
    metadata = {"name": name, "annotations": annotations}
    sandbox.api().create(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return f"{pods}/{name}"


def _await(api: ApiServer, path: str, condition: Callable[[Pod], bool]) -> Pod:
    status: Pod = until(lambda: api.get(path)["status"], condition)
    return status


def _ready(status: Pod) -> str:
    conditions = {entry["type"]: entry["status"] for entry in status.get("conditions", ())}
    return conditions.get("Ready", "")


def _reasons(status: Pod, kind: str = "containerStatuses") -> list[str]:
    states = [container["state"] for container in status.get(kind, ())]
    return [state.get("waiting", {}).get("reason", next(iter(state))) for state in states]


@pytest.mark.cluster
def test_ordinary_pod_runs_and_is_ready(sandbox: Sandbox, namespace: str) -> None:
    path = _create(sandbox, namespace, "fine", "registry.example/vllm:v1", init="registry.example/fetch:v1")
    status = _await(sandbox.api(), path, lambda status: status["phase"] == "Running")
    assert _ready(status) == "True"
    assert status["podIP"]
    assert _reasons(status) == ["running"]


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("images", "annotations", "reasons"),
    [
        (["registry.example/vllm:does-not-exist"], {}, ["ImagePullBackOff"]),
        (["registry.example/vllm:v1"], {SIMULATE: "image-pull-failure"}, ["ImagePullBackOff"]),
        (
            ["registry.example/sidecar:v1", "registry.example/vllm:does-not-exist"],
            {},
            ["ContainerCreating", "ImagePullBackOff"],
        ),
    ],
    ids=["tag", "annotation", "one of two"],
)
def test_bad_image_keeps_the_pod_pending_with_the_kubelets_reasons(
    sandbox: Sandbox, namespace: str, images: list[str], annotations: dict[str, str], reasons: list[str]
) -> None:
    api = sandbox.api()
    path = _create(sandbox, namespace, "bad", *images, **annotations)
    first = _await(api, path, lambda status: bool(status.get("containerStatuses")))
    assert first["phase"] == "Pending"
    last = _await(api, path, lambda status: "ImagePullBackOff" in _reasons(status))
    assert (last["phase"], _ready(last), _reasons(last)) == ("Pending", "False", reasons)
    events = api.get(f"/api/v1/namespaces/{namespace}/events")["items"]
    assert {"Failed", "BackOff"} <= {event["reason"] for event in events}


@pytest.mark.cluster
def test_bad_image_of_an_init_container_holds_the_containers_back(sandbox: Sandbox, namespace: str) -> None:
    path = _create(
        sandbox, namespace, "bad", "registry.example/vllm:v1", init="registry.example/fetch:does-not-exist"
    )
    status = _await(
        sandbox.api(), path, lambda status: _reasons(status, "initContainerStatuses") == ["ImagePullBackOff"]
    )
    assert (status["phase"], _reasons(status)) == ("Pending", ["PodInitializing"])


@pytest.mark.cluster
def test_pod_runs_once_its_image_is_corrected(sandbox: Sandbox, namespace: str) -> None:
    api = sandbox.api()
    path = _create(sandbox, namespace, "bad", "registry.example/vllm:does-not-exist")
    _await(api, path, lambda status: _reasons(status) == ["ImagePullBackOff"])
    api.request(
        "PATCH",
        path,
        '[{"op": "replace", "path": "/spec/containers/0/image", "value": "registry.example/vllm:v1"}]',
        "application/json-patch+json",
    )
    assert _ready(_await(api, path, lambda status: status["phase"] == "Running")) == "True"


@pytest.mark.cluster
def test_crash_loop_restarts_again_and_again_and_is_never_ready(sandbox: Sandbox, namespace: str) -> None:
    path = _create(sandbox, namespace, "crash", "registry.example/vllm:v1", **{SIMULATE: "crash-loop"})
    api = sandbox.api()
    restarts = []
    for number in (1, 2):
        status = _await(
            api,
            path,
            lambda status, number=number: (
                _reasons(status) == ["CrashLoopBackOff"] and status["containerStatuses"][0]["restartCount"] >= number
            ),
        )
        restarts.append(status["containerStatuses"][0]["restartCount"])
        assert (status["phase"], _ready(status)) == ("Running", "False")
        assert status["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 1
    assert restarts == [1, 2]


@pytest.mark.cluster
def test_slow_start_runs_before_it_is_ready(sandbox: Sandbox, namespace: str) -> None:
    annotations = {SIMULATE: "slow-start", READY_AFTER: "2s"}
    path = _create(sandbox, namespace, "slow", "registry.example/vllm:v1", **annotations)
    api = sandbox.api()
    assert _ready(_await(api, path, lambda status: status["phase"] == "Running")) == "False"
    last = _await(api, path, lambda status: _ready(status) == "True")
    assert _reasons(last) == ["running"]


@pytest.mark.cluster
@pytest.mark.parametrize("simulation", ["image-pull-failure", "crash-loop", "slow-start"])
def test_simulated_pod_can_be_deleted(sandbox: Sandbox, namespace: str, simulation: str) -> None:
    api = sandbox.api()
    path = _create(sandbox, namespace, "pod", "registry.example/vllm:v1", **{SIMULATE: simulation})
    _await(api, path, lambda status: bool(status.get("containerStatuses")))
    api.delete(path)
    assert until(lambda: api.find(path), lambda found: found is None) is None
