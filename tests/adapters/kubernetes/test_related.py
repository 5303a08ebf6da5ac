"""Health of a real Deployment on the sandbox: real controllers and scheduler, simulated machines and pods."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from controlplane.adapters.kubernetes import Cluster, ref_of
from controlplane.adapters.kubernetes.related import selector_text
from controlplane.emit.bundle import Manifest
from controlplane.plan.health import HealthStatus, ObjectHealth, Patience, Related, assess

WITHIN_SECONDS = 120
SOON = Patience(admission=1, never_fits=1, no_room=1, start=1, restarts=1)


def deployment(
    namespace: str,
    pool: str,
    *,
    replicas: int = 1,
    gpus: int = 1,
    image: str = "registry.example/vllm:1",
    annotations: dict[str, str] | None = None,
    strategy: str = "RollingUpdate",
) -> Manifest:
    resources = {"limits": {"nvidia.com/gpu": str(gpus)}}
    template = {
        "metadata": {"labels": {"app": "chat"}, "annotations": annotations or {}},
        "spec": {
            "containers": [{"name": "vllm", "image": image, "resources": resources}],
            "nodeSelector": {"pool": pool},
            "tolerations": [{"operator": "Exists"}],
            "terminationGracePeriodSeconds": 0,
        },
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "chat"}},
            "template": template,
            "strategy": {"type": strategy},
        },
    }


def health_of(cluster: Cluster, manifest: Manifest, patience: Patience = SOON) -> ObjectHealth:
    ref = ref_of(manifest)
    live = cluster.get(ref)
    around = cluster.related(live) if live else Related()
    return assess(ref, live, around, now=datetime.now(UTC), patience=patience)


def awaited(
    cluster: Cluster, manifest: Manifest, done: Callable[[ObjectHealth], bool], patience: Patience = SOON
) -> ObjectHealth:
    deadline = time.monotonic() + WITHIN_SECONDS
    while not done(health := health_of(cluster, manifest, patience)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return health


def healthy(health: ObjectHealth) -> bool:
    return health.healthy


def failed(health: ObjectHealth) -> bool:
    return health.failed


@pytest.fixture
def pool(own_machines: Callable[..., str]) -> str:
    return own_machines(2, gpus=8)


@pytest.mark.cluster
def test_pods_that_run_are_healthy_and_called_simulated(cluster: Cluster, namespace: str, pool: str) -> None:
    manifest = deployment(namespace, pool, replicas=2)
    assert health_of(cluster, manifest).status is HealthStatus.MISSING
    cluster.apply(manifest)
    health = awaited(cluster, manifest, healthy, Patience())
    assert (health.status, health.ready, health.simulated) == (HealthStatus.HEALTHY, 2, 2)
    live = cluster.get(ref_of(manifest))
    assert live is not None
    assert len(cluster.pods_of(live)) == 2
    answers = cluster.ask_engines(cluster.related(live))
    assert [each.message for each in answers] == ["simulated: no engine to ask"] * 2


@pytest.mark.cluster
def test_a_pod_larger_than_any_machine_fits_nowhere(cluster: Cluster, namespace: str, pool: str) -> None:
    manifest = deployment(namespace, pool, gpus=16)
    cluster.apply(manifest)
    health = awaited(cluster, manifest, failed)
    assert (health.status, health.reason) == (HealthStatus.DEGRADED, "FitsNowhere")
    assert "the pod asks for 16 nvidia.com/gpu; the largest of 2 matching nodes has 8" in health.message
    assert "nodes are available" in health.message


@pytest.mark.cluster
def test_pods_beyond_the_room_there_is_are_unschedulable(cluster: Cluster, namespace: str, pool: str) -> None:
    """Three pods of 5 GPUs on two machines of 8: 6 GPUs are free, and no machine has 5 of them."""
    manifest = deployment(namespace, pool, replicas=3, gpus=5)
    cluster.apply(manifest)
    health = awaited(cluster, manifest, failed)
    assert (health.status, health.reason, health.ready) == (HealthStatus.DEGRADED, "Unschedulable", 2)
    assert "Insufficient nvidia.com/gpu" in health.message
    live = cluster.get(ref_of(manifest))
    assert live is not None
    pending = next(pod for pod in cluster.pods_of(live) if not pod["spec"].get("nodeName"))
    reasons = [
        event["reason"] for event in cluster.events(namespace, ref_of({"apiVersion": "v1", "kind": "Pod", **pending}))
    ]
    assert "FailedScheduling" in reasons


@pytest.mark.cluster
def test_an_image_that_does_not_exist_fails_while_the_old_pod_serves(
    cluster: Cluster, namespace: str, pool: str
) -> None:
    cluster.apply(deployment(namespace, pool))
    assert awaited(cluster, deployment(namespace, pool), healthy, Patience()).healthy
    broken = deployment(namespace, pool, image="registry.example/vllm:does-not-exist")
    cluster.apply(broken)
    health = awaited(cluster, broken, failed)
    assert health.failed
    assert health.reason in {"ErrImagePull", "ImagePullBackOff"}
    assert "does-not-exist" in health.message
    assert health.ready == 0, "the pod of the older revision is not one of this"


@pytest.mark.cluster
def test_crashing_containers_fail_with_their_exit_code(cluster: Cluster, namespace: str, pool: str) -> None:
    manifest = deployment(namespace, pool, annotations={"sandbox.controlplane.dev/simulate": "crash-loop"})
    cluster.apply(manifest)
    health = awaited(cluster, manifest, failed)
    assert (health.status, health.reason) == (HealthStatus.DEGRADED, "CrashLoopBackOff")
    assert "ended with exit code 1" in health.message


@pytest.mark.cluster
def test_pods_that_a_quota_refuses_fail_with_its_numbers(cluster: Cluster, namespace: str, pool: str) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": namespace},
        "spec": {"hard": {"requests.nvidia.com/gpu": "1"}},
    }
    cluster.apply(quota)
    awaited_quota = time.monotonic() + WITHIN_SECONDS
    while "hard" not in ((cluster.get(ref_of(quota)) or {}).get("status") or {}) and time.monotonic() < awaited_quota:
        time.sleep(0.1)
    manifest = deployment(namespace, pool, replicas=2)
    cluster.apply(manifest)
    health = awaited(cluster, manifest, failed)
    assert (health.status, health.reason) == (HealthStatus.DEGRADED, "FailedCreate")
    assert "exceeded quota: gpus" in health.message
    assert "limited: requests.nvidia.com/gpu=1" in health.message


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        (
            {
                "matchExpressions": [
                    {"key": "tier", "operator": "In", "values": ["a", "b"]},
                    {"key": "env", "operator": "NotIn", "values": ["dev"]},
                    {"key": "gpu", "operator": "Exists"},
                    {"key": "old", "operator": "DoesNotExist"},
                ]
            },
            "tier in (a,b),env notin (dev),gpu,!old",
        ),
        ({}, None),
        (None, None),
    ],
)
def test_a_selector_is_written_as_the_api_reads_it(selector: dict[str, Any] | None, text: str | None) -> None:
    assert selector_text(selector) == text
