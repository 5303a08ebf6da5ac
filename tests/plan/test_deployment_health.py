from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from controlplane.plan.health import HealthLayer, HealthStatus, ObjectHealth, Patience, Related, assess
from controlplane.stack.references import ObjectRef

NOW = datetime.fromisoformat("2026-11-29T12:00:00Z")
LONG_AGO, JUST_NOW = "2026-11-29T11:00:00Z", "2026-11-29T11:59:55Z"
REF = ObjectRef("apps/v1", "Deployment", "llm", "chat")
NODES = (
    {
        "metadata": {"name": "real", "labels": {"pool": "h100"}},
        "status": {"allocatable": {"nvidia.com/gpu": "8"}},
    },
    {
        "metadata": {"name": "fake", "annotations": {"kwok.x-k8s.io/node": "fake"}},
        "status": {"allocatable": {"nvidia.com/gpu": "8"}},
    },
)


def deployment(
    wanted: int = 2,
    *,
    replicas: int | None = None,
    updated: int | None = None,
    available: int | None = None,
    conditions: tuple[dict[str, Any], ...] = (),
    **more: Any,
) -> dict[str, Any]:
    """A Deployment that is complete unless told otherwise."""
    status = {
        "observedGeneration": 3,
        "replicas": wanted if replicas is None else replicas,
        "updatedReplicas": wanted if updated is None else updated,
        "availableReplicas": wanted if available is None else available,
        "conditions": list(conditions),
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": "llm", "uid": "d", "generation": 3},
        "spec": {"replicas": wanted},
        "status": status,
        **more,
    }


def replica_set(uid: str, revision: int) -> dict[str, Any]:
    return {"metadata": {"uid": uid, "annotations": {"deployment.kubernetes.io/revision": str(revision)}}}


REPLICA_SETS = (replica_set("old", 9), replica_set("new", 10))


def pod(
    name: str,
    owner: str = "new",
    *,
    node: str | None = "real",
    gpus: int = 1,
    leaving: bool = False,
    ready: bool = True,
    scheduled: tuple[str, str, str] | None = None,
    since: str = LONG_AGO,
    container: dict[str, Any] | None = None,
    **status: Any,
) -> dict[str, Any]:
    """A pod, running and ready unless told otherwise; `scheduled` is status, reason and message of PodScheduled."""
    told, reason, message = scheduled or ("True", "", "")
    conditions = [
        {"type": "Ready", "status": "True" if ready else "False"},
        {"type": "PodScheduled", "status": told, "reason": reason, "message": message, "lastTransitionTime": since},
    ]
    metadata = {"name": name, "namespace": "llm", "ownerReferences": [{"uid": owner, "controller": True}]}
    return {
        "metadata": {**metadata, **({"deletionTimestamp": JUST_NOW} if leaving else {})},
        "spec": {
            **({"nodeName": node} if node else {}),
            "containers": [{"name": "vllm", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}],
        },
        "status": {
            "phase": "Running",
            "conditions": conditions,
            "containerStatuses": [{"name": "vllm", "ready": ready, "restartCount": 0, **(container or {})}],
            **status,
        },
    }


def waiting(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    return {"state": {"waiting": {"reason": reason, "message": message}}, **more}


def pending(name: str, message: str, *, since: str, gpus: int = 1, reason: str = "Unschedulable") -> dict[str, Any]:
    return pod(
        name,
        node=None,
        gpus=gpus,
        ready=False,
        scheduled=("False", reason, message),
        since=since,
        containerStatuses=[],
        phase="Pending",
    )


def judged(live: dict[str, Any] | None, *pods: dict[str, Any], nodes: Any = NODES, **patience: Any) -> ObjectHealth:
    health = assess(REF, live, Related(REPLICA_SETS, tuple(pods), nodes), now=NOW, patience=Patience(**patience))
    assert health.layer is HealthLayer.MACHINES
    assert health.message
    return health


def test_all_wanted_pods_of_this_revision_and_no_other_are_healthy() -> None:
    health = judged(deployment(), pod("a"), pod("b"))
    assert (health.status, health.reason) == (HealthStatus.HEALTHY, "Available")
    assert (health.ready, health.wanted, health.simulated) == (2, 2, 0)
    assert health.message == "2 of 2 pods are available"


def test_an_absent_object_is_missing() -> None:
    assert judged(None).status is HealthStatus.MISSING


@pytest.mark.parametrize(
    ("live", "pods", "reason", "message"),
    [
        pytest.param(
            {**deployment(), "status": {}},
            [],
            "NotObserved",
            "its controller has seen generation 0; this is 3",
            id="no status yet",
        ),
        pytest.param(
            {**deployment(), "metadata": {"generation": 4}},
            [],
            "NotObserved",
            "its controller has seen generation 3; this is 4",
            id="an older generation was seen",
        ),
        pytest.param(
            deployment(updated=1), [pod("a")], "NotUpdated", "1 of 2 pods are of this revision", id="not updated"
        ),
        pytest.param(
            deployment(available=1),
            [pod("a"), pod("b", ready=False)],
            "NotAvailable",
            "1 of 2 pods are available",
            id="not available",
        ),
        pytest.param(
            deployment(replicas=3),
            [pod("a"), pod("b"), pod("c", "old")],
            "OlderPodsLeft",
            "2 of 2 pods are available; 1 others have not left yet",
            id="an old pod is left",
        ),
        pytest.param(
            deployment(),
            [pod("a"), pod("b"), pod("c", "old", leaving=True)],
            "OlderPodsLeft",
            "2 of 2 pods are available; 1 others have not left yet",
            id="an old pod drains and holds its GPUs",
        ),
        pytest.param(
            {**deployment(), "metadata": {"deletionTimestamp": JUST_NOW}},
            [],
            "Terminating",
            "Deployment/llm/chat is being deleted",
            id="being deleted",
        ),
        pytest.param(
            {**deployment(), "spec": {"replicas": 2, "paused": True}},
            [pod("a"), pod("b")],
            "Paused",
            "2 of 2 pods are available, but its rollout is paused",
            id="paused",
        ),
    ],
)
def test_what_is_under_way_is_told_with_both_numbers(
    live: dict[str, Any], pods: list[dict[str, Any]], reason: str, message: str
) -> None:
    health = judged(live, *pods)
    assert (health.status, health.reason, health.message) == (HealthStatus.PROGRESSING, reason, message)


def test_a_pod_of_this_revision_that_drains_holds_its_gpus_too() -> None:
    health = judged(deployment(1), pod("a"), pod("b", leaving=True))
    assert (health.reason, health.ready) == ("OlderPodsLeft", 1)


def test_none_wanted_is_healthy_with_none() -> None:
    health = judged(deployment(0))
    assert (health.healthy, health.wanted) == (True, 0)


def test_pods_on_simulated_nodes_are_counted() -> None:
    assert judged(deployment(), pod("a", node="fake"), pod("b", node="real")).simulated == 1


QUOTA = 'pods "chat-1" is forbidden: exceeded quota: gpus, requested: nvidia.com/gpu=8, used: 8, limited: 8'


@pytest.mark.parametrize(
    ("since", "status"), [(JUST_NOW, HealthStatus.PROGRESSING), (LONG_AGO, HealthStatus.DEGRADED)]
)
def test_refused_pods_fail_after_a_grace(since: str, status: HealthStatus) -> None:
    condition = {
        "type": "ReplicaFailure",
        "status": "True",
        "reason": "FailedCreate",
        "message": QUOTA,
        "lastTransitionTime": since,
    }
    health = judged(deployment(updated=0, available=0, conditions=(condition,)))
    assert (health.status, health.reason) == (status, "FailedCreate")
    assert "0 of 2 pods are admitted" in health.message
    assert "exceeded quota: gpus" in health.message


TOO_FEW = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."


def test_a_pod_that_no_node_could_ever_take_fails_soon() -> None:
    fresh = judged(deployment(available=1), pod("a"), pending("b", TOO_FEW, since=JUST_NOW, gpus=16))
    assert (fresh.status, fresh.reason) == (HealthStatus.PROGRESSING, "FitsNowhere")
    old = judged(deployment(available=1), pod("a"), pending("b", TOO_FEW, since="2026-11-29T11:58:59Z", gpus=16))
    assert (old.status, old.reason) == (HealthStatus.DEGRADED, "FitsNowhere")
    assert old.message == (
        "1 pods do not run, 2 are wanted; b: no node could ever take it: the pod asks for 16 nvidia.com/gpu; "
        f"the largest of 2 matching nodes has 8; pending for 61 s (scheduler: {TOO_FEW})"
    )


@pytest.mark.parametrize("nodes", [pytest.param(NODES, id="nodes"), pytest.param(None, id="nodes may not be read")])
def test_a_pod_without_room_is_given_more_time(nodes: Any) -> None:
    waits = judged(deployment(), pending("a", TOO_FEW, since="2026-11-29T11:58:00Z"), nodes=nodes)
    assert (waits.status, waits.reason) == (HealthStatus.PROGRESSING, "Unschedulable")
    fails = judged(deployment(), pending("a", TOO_FEW, since=LONG_AGO), nodes=nodes)
    assert (fails.status, fails.reason) == (HealthStatus.DEGRADED, "Unschedulable")
    assert "not scheduled for 3600 s of the 300 s allowed (scheduler: 0/2 nodes" in fails.message


def test_a_pod_that_waits_for_an_older_one_to_drain_is_not_failed() -> None:
    health = judged(deployment(1, available=0), pending("b", TOO_FEW, since=LONG_AGO), pod("a", "old", leaving=True))
    assert (health.status, health.reason) == (HealthStatus.PROGRESSING, "WaitingForRoom")
    assert "waiting for 1 older pods to leave" in health.message


def test_a_new_pod_without_room_beside_an_old_one_that_stays_is_stuck() -> None:
    health = judged(deployment(1, available=1), pending("b", TOO_FEW, since=LONG_AGO), pod("a", "old"))
    assert (health.status, health.reason) == (HealthStatus.DEGRADED, "Unschedulable")


def test_a_new_pod_may_wait_for_old_ones_while_another_new_one_starts() -> None:
    health = judged(
        deployment(2, replicas=3, available=1),
        pod("c", ready=False),
        pending("b", TOO_FEW, since=LONG_AGO),
        pod("a", "old"),
    )
    assert (health.status, health.reason) == (HealthStatus.PROGRESSING, "WaitingForRoom")


def test_a_gated_pod_waits_for_its_gate() -> None:
    gated = pending(
        "a", "Scheduling is blocked due to non-empty scheduling gates", since=LONG_AGO, reason="SchedulingGated"
    )
    assert judged(deployment(), gated).reason == "SchedulingGated"
    assert not judged(deployment(), gated).failed


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "CreateContainerConfigError"])
def test_a_container_that_cannot_start_fails_after_a_grace(reason: str) -> None:
    container = waiting(reason, "manifest for registry.example/vllm:nope not found")
    fresh = judged(deployment(), pod("a", ready=False, since=JUST_NOW, container=container))
    assert (fresh.status, fresh.reason) == (HealthStatus.PROGRESSING, reason)
    old = judged(deployment(), pod("a", ready=False, since=LONG_AGO, container=container))
    assert (old.status, old.reason) == (HealthStatus.DEGRADED, reason)
    assert f"container vllm: {reason} for 3600 s of the 120 s allowed: manifest for" in old.message


@pytest.mark.parametrize("reason", ["InvalidImageName", "ErrImageNeverPull"])
def test_what_no_retry_heals_fails_at_once(reason: str) -> None:
    health = judged(deployment(), pod("a", ready=False, since=JUST_NOW, container=waiting(reason)))
    assert (health.status, health.reason) == (HealthStatus.DEGRADED, reason)


@pytest.mark.parametrize(
    ("restarts", "status"), [(2, HealthStatus.PROGRESSING), (3, HealthStatus.DEGRADED)], ids=["two", "three"]
)
def test_crashes_fail_at_the_third_restart_with_the_exit_code(restarts: int, status: HealthStatus) -> None:
    container = waiting(
        "CrashLoopBackOff",
        restartCount=restarts,
        lastState={"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
    )
    health = judged(deployment(), pod("a", ready=False, container=container))
    assert (health.status, health.reason) == (status, "CrashLoopBackOff")
    assert f"ended with exit code 137 (OOMKilled), {restarts} restarts of the 3 allowed" in health.message


def test_a_crashing_init_container_is_seen() -> None:
    init = {"name": "fetch", "ready": False, **waiting("CrashLoopBackOff", restartCount=5)}
    health = judged(deployment(), pod("a", ready=False, initContainerStatuses=[init], containerStatuses=[]))
    assert health.failed
    assert "container fetch: ended with exit code unknown" in health.message


def test_a_restarted_container_that_runs_again_is_waited_for() -> None:
    running = {"state": {"running": {}}, "restartCount": 7, "lastState": {"terminated": {"exitCode": 1}}}
    health = judged(deployment(available=1), pod("a"), pod("b", ready=False, container=running))
    assert (health.status, health.reason) == (HealthStatus.PROGRESSING, "Restarted")


def test_a_starting_pod_is_no_trouble() -> None:
    creating = pod("a", ready=False, phase="Pending", container=waiting("ContainerCreating"))
    assert judged(deployment(1, available=0), creating).reason == "NotAvailable"


def test_trouble_of_pods_that_leave_or_are_of_an_older_revision_is_not_this_ones() -> None:
    broken = waiting("ImagePullBackOff")
    health = judged(
        deployment(1, replicas=2, available=1),
        pod("a"),
        pod("b", "old", ready=False, container=broken),
        pod("c", ready=False, leaving=True, container=broken),
    )
    assert (health.status, health.reason) == (HealthStatus.PROGRESSING, "OlderPodsLeft")


def test_pod_after_pod_that_the_kubelet_refuses_is_a_failure() -> None:
    refused = [
        pod(name, ready=False, phase="Failed", reason="UnexpectedAdmissionError", message="no healthy devices")
        for name in ("a", "b", "c")
    ]
    once = judged(deployment(1, available=0), refused[0])
    assert (once.status, once.reason) == (HealthStatus.PROGRESSING, "UnexpectedAdmissionError")
    thrice = judged(deployment(1, available=0), *refused)
    assert thrice.failed
    assert "no healthy devices" in thrice.message


def test_an_evicted_pod_that_was_replaced_is_forgotten() -> None:
    evicted = pod("z", ready=False, phase="Failed", reason="Evicted", message="disk pressure")
    health = judged(deployment(1), pod("a"), evicted)
    assert health.healthy


def test_the_progress_deadline_is_a_failure_with_its_seconds() -> None:
    condition = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    live = deployment(available=1, conditions=(condition,))
    live["spec"]["progressDeadlineSeconds"] = 900
    health = judged(live, pod("a"), pod("b", ready=False))
    assert (health.status, health.reason) == (HealthStatus.DEGRADED, "ProgressDeadlineExceeded")
    assert health.message == ("1 of 2 pods are available and nothing has moved for 900 s (progressDeadlineSeconds)")


def test_the_cause_is_told_before_the_deadline_that_it_broke() -> None:
    condition = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    health = judged(deployment(conditions=(condition,)), pod("a", ready=False, container=waiting("InvalidImageName")))
    assert health.reason == "InvalidImageName"
