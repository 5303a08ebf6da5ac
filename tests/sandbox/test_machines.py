from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from controlplane.sandbox.api import Object
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.sandbox.machines import Machine, apply_machines, await_machines, node_of, nodes
from tests.sandbox.waiting import until

# A worker of its own has names of its own: all of them share one sandbox.
GROUP = f"test-{uuid.uuid4().hex[:8]}"
MACHINE = Machine(
    name=f"{GROUP}-0",
    labels={"pool": GROUP},
    taints=(("pool", GROUP, "NoSchedule"),),
    allocatable={"cpu": "8", "memory": "16Gi", "nvidia.com/gpu": "2"},
)


def test_taints_of_kubernetes_itself_are_kept_and_others_are_not() -> None:
    unready = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    live: Object = {"spec": {"taints": [unready, {"key": "by-hand", "effect": "NoSchedule"}]}}
    node = node_of(MACHINE, GROUP, live)
    assert node["spec"]["taints"] == [{"key": "pool", "value": GROUP, "effect": "NoSchedule"}, unready]


@pytest.fixture
def api(sandbox: Sandbox) -> Iterator[Any]:
    yield sandbox.api()
    apply_machines(sandbox.api(), (), group=GROUP)


def _live(api: Any) -> dict[str, Object]:
    return {node["metadata"]["name"]: node for node in nodes(api, GROUP)}


@pytest.mark.cluster
def test_machines_become_ready_nodes_with_what_they_offer(api: Any) -> None:
    apply_machines(api, [MACHINE], group=GROUP)
    await_machines(api, group=GROUP)
    node = _live(api)[MACHINE.name]
    assert node["metadata"]["labels"].items() >= {"pool": GROUP, "kubernetes.io/hostname": MACHINE.name}.items()
    assert node["spec"]["taints"] == [{"key": "pool", "value": GROUP, "effect": "NoSchedule"}]
    assert node["status"]["allocatable"] == {
        "cpu": "8",
        "memory": "16Gi",
        "nvidia.com/gpu": "2",
        "pods": "110",
    }
    assert node["status"]["capacity"] == node["status"]["allocatable"]


@pytest.mark.cluster
def test_exactly_the_given_machines_exist_afterwards(api: Any) -> None:
    zero, one, two, three = (replace(MACHINE, name=f"{GROUP}-{number}") for number in range(4))
    apply_machines(api, [zero, one, two], group=GROUP)
    assert apply_machines(api, [one, three], group=GROUP) == (zero.name, two.name)
    assert sorted(_live(api)) == [one.name, three.name]


@pytest.mark.cluster
def test_changed_machine_loses_what_it_no_longer_has(api: Any) -> None:
    apply_machines(api, [replace(MACHINE, labels={"pool": GROUP, "old": "yes"})], group=GROUP)
    await_machines(api, group=GROUP)
    changed = Machine(name=MACHINE.name, labels={"new": "yes"}, allocatable={"cpu": "4", "memory": "16Gi"})
    apply_machines(api, [changed], group=GROUP)
    node = _live(api)[MACHINE.name]
    assert "old" not in node["metadata"]["labels"]
    assert node["metadata"]["labels"]["new"] == "yes"
    assert "taints" not in node["spec"]
    assert node["status"]["allocatable"] == {"cpu": "4", "memory": "16Gi", "pods": "110"}


@pytest.mark.cluster
def test_same_machine_is_not_written_again(api: Any) -> None:
    apply_machines(api, [MACHINE], group=GROUP)
    await_machines(api, group=GROUP)
    before = _live(api)[MACHINE.name]["metadata"]["resourceVersion"]
    assert apply_machines(api, [MACHINE], group=GROUP) == ()
    assert _live(api)[MACHINE.name]["metadata"]["resourceVersion"] == before


@pytest.mark.cluster
def test_removed_machine_takes_its_pods_with_it(api: Any, namespace: str) -> None:
    apply_machines(api, [MACHINE], group=GROUP)
    await_machines(api, group=GROUP)
    pods = f"/api/v1/namespaces/{namespace}/pods"
    spec = {
        "nodeSelector": {"pool": GROUP},
        "tolerations": [{"key": "pool", "operator": "Exists"}],
        "containers": [{"name": "c", "image": "registry.example/x:v1"}],
    }
    api.create(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec})
    until(lambda: api.get(f"{pods}/p"), lambda pod: pod["status"]["phase"] == "Running")
    apply_machines(api, (), group=GROUP)
    assert until(lambda: api.get(pods)["items"], lambda items: not items) == []


@pytest.mark.cluster
def test_fifth_pod_of_five_gpus_stays_pending_on_four_machines_of_eight(
    sandbox: Sandbox, namespace: str, own_machines: Callable[..., str]
) -> None:
    api, pool = sandbox.api(), own_machines(4, gpus=8)
    pods = f"/api/v1/namespaces/{namespace}/pods"
    for number in range(5):
        spec = {
            "nodeSelector": {"pool": pool},
            "tolerations": [{"key": "pool", "operator": "Exists"}],
            "containers": [
                {
                    "name": "engine",
                    "image": "registry.example/vllm:v1",
                    "resources": {"limits": {"nvidia.com/gpu": "5"}},
                }
            ],
        }
        metadata = {"name": f"p-{number}"}
        api.create(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    items = until(lambda: api.get(pods)["items"], _all_decided)
    phases = sorted(pod["status"]["phase"] for pod in items)
    assert phases == ["Pending", "Running", "Running", "Running", "Running"]
    (waiting,) = (pod for pod in items if pod["status"]["phase"] == "Pending")
    (scheduled,) = (entry for entry in waiting["status"]["conditions"] if entry["type"] == "PodScheduled")
    assert scheduled["reason"] == "Unschedulable"
    assert "4 Insufficient nvidia.com/gpu" in scheduled["message"]


def _all_decided(pods: list[Object]) -> bool:
    """Every pod runs or has been looked at by the scheduler in vain."""
    return all(pod["status"]["phase"] == "Running" or pod["status"].get("conditions") for pod in pods)
