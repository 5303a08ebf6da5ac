"""Whole rollouts on a real API server with simulated machines: what a simulated cluster cannot show."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from temporalio.client import Client

from controlplane.adapters.kubernetes import Cluster, RevisionStore
from controlplane.emit.bundle import Bundle, Manifest
from controlplane.plan.drift import DriftReport, drift
from controlplane.plan.health import Patience
from controlplane.plan.plan import plan
from controlplane.plan.revision import Outcome, Revision
from controlplane.sandbox.lifecycle import Sandbox
from controlplane.workflows import client as commands
from controlplane.workflows.activities import ClusterActivities
from controlplane.workflows.binding import bind
from controlplane.workflows.cluster_writes import as_objects
from controlplane.workflows.drift import DriftCheck, DriftCheckResult
from controlplane.workflows.messages import (
    ClusterRef,
    DriftMode,
    DriftSettings,
    Result,
    RevisionRef,
    RolloutOutcome,
    RolloutRequest,
    RolloutTicket,
    ServiceRef,
    Timeouts,
)
from controlplane.workflows.ports import DriftCheckInput
from controlplane.workflows.temporal_activities import TemporalActivities
from controlplane.workflows.worker import make_worker

pytestmark = pytest.mark.cluster

WAITING = Timeouts(machines_s=90, tasks_s=90, memory_s=90, api_s=30)
IMAGE = "registry.example/vllm-openai:v0.33.0"
SIMULATE = "sandbox.controlplane.dev/simulate"
CRASHING = {SIMULATE: "crash-loop"}
SLOW = {SIMULATE: "slow-start", "sandbox.controlplane.dev/ready-after": "15s"}
MISSING_IMAGE = "registry.example/does-not-exist:v1"


def service_of(
    namespace: str,
    image: str = IMAGE,
    *,
    gpus: int = 1,
    extra: bool = False,
    behaviour: dict[str, str] | None = None,
    pool: str = "h100",
) -> tuple[Manifest, ...]:
    """A Deployment on the GPU machines, its Service, a budget, and for some revisions a ConfigMap.

    `behaviour` are the annotations by which pods are simulated.
    """
    labels = {"app": "chat"}
    container = {
        "name": "vllm",
        "image": image,
        "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}],
        "resources": {"limits": {"nvidia.com/gpu": str(gpus)}, "requests": {"nvidia.com/gpu": str(gpus)}},
    }
    pod = {
        "containers": [container],
        "nodeSelector": {"pool": pool},
        "tolerations": [{"operator": "Exists", "effect": "NoSchedule"}],
    }
    deployment = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "strategy": {"type": "Recreate"},
        "template": {"metadata": {"labels": labels, "annotations": behaviour or {}}, "spec": pod},
    }
    ports = [{"name": "http", "port": 80, "protocol": "TCP", "targetPort": "http"}]
    found = [
        _object("v1", "Service", namespace, spec={"selector": labels, "ports": ports}),
        _object("apps/v1", "Deployment", namespace, spec=deployment),
        _object(
            "policy/v1",
            "PodDisruptionBudget",
            namespace,
            spec={"maxUnavailable": 1, "selector": {"matchLabels": labels}},
        ),
    ]
    return (*([_object("v1", "ConfigMap", namespace, data={"only": "here"})] if extra else []), *found)


def _object(api_version: str, kind: str, namespace: str, **rest: Any) -> Manifest:
    metadata = {"name": "chat", "namespace": namespace, "labels": {"app.kubernetes.io/managed-by": "controlplane"}}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


@dataclass
class Ground:
    """A cluster, a worker that works on it, and one service there."""

    client: Client
    kube: Cluster
    ref: ClusterRef
    service: ServiceRef
    queue: str

    def stored(self, manifests: tuple[Manifest, ...]) -> Revision:
        """The manifests as a revision in the cluster."""
        return RevisionStore(self.kube).store(
            str(self.service),
            manifests,
            plan_digest="p",
            author="ada",
            reason="",
            created_at="2026-01-02T03:04:05Z",
        )

    def request(self, manifests: tuple[Manifest, ...], drift: DriftSettings) -> RolloutRequest:
        """A request bound to a plan of now."""
        header = self.stored(manifests).header
        changes = plan(Bundle(as_objects(manifests)), self.kube.observe(manifests)).changes
        return RolloutRequest(
            request_id=str(uuid.uuid4()),
            cluster=self.ref,
            service=self.service,
            revision=RevisionRef(header.number, header.digest),
            plan_digest=str(uuid.uuid4()),
            planned=tuple(bind(change) for change in changes),
            author="ada",
            timeouts=WAITING,
            drift=drift,
        )

    async def roll_out(
        self, manifests: tuple[Manifest, ...], drift: DriftSettings | None = None, room_s: float = 0.0
    ) -> RolloutOutcome:
        """A whole rollout."""
        settings = drift or DriftSettings(mode=DriftMode.OFF)
        request = await asyncio.to_thread(self.request, manifests, settings)
        request = replace(request, timeouts=replace(request.timeouts, room_s=room_s))
        ticket = await commands.request_rollout(self.client, request, task_queue=self.queue)
        return await commands.outcome(self.client, ticket)

    async def check_drift(self, mode: DriftMode) -> DriftCheckResult:
        """One check, as the schedule would start it."""
        check = DriftCheckInput(self.ref, self.service, mode)
        return await self.client.execute_workflow(
            DriftCheck.run, check, id=f"check-{uuid.uuid4()}", task_queue=self.queue
        )

    def live(self, kind: str, api_version: str = "v1") -> Manifest | None:
        """The service's object of a kind."""
        found = [m for m in self.kube.list(api_version, kind, self.service.namespace) if _named(m, "chat")]
        return found[0] if found else None

    def versions(self) -> list[str]:
        """The resource versions of all its objects: they differ as soon as anything was written."""
        kinds = (("v1", "Service"), ("apps/v1", "Deployment"), ("policy/v1", "PodDisruptionBudget"))
        found = [self.live(kind, api_version) for api_version, kind in kinds]
        return [m["metadata"]["resourceVersion"] for m in found if m is not None]

    def outcomes(self) -> list[Outcome]:
        """The marks of all revisions, in order."""
        return [h.outcome for h in RevisionStore(self.kube).headers(str(self.service))]


def _named(manifest: Manifest, name: str) -> bool:
    return bool(manifest["metadata"]["name"] == name)


def play(address: str, sandbox: Sandbox, namespace: str, scene: Callable[[Ground], Awaitable[None]]) -> None:
    """Run a scene on a ground of its own."""

    async def performance() -> None:
        async with grounded(address, sandbox, namespace) as ground:
            await scene(ground)

    asyncio.run(performance())


@asynccontextmanager
async def grounded(address: str, sandbox: Sandbox, namespace: str) -> AsyncIterator[Ground]:
    """A worker for one test."""
    client = await Client.connect(address)
    queue = f"queue-{uuid.uuid4()}"
    kube = Cluster.connect(sandbox.kubeconfig)
    ref = ClusterRef(f"sandbox-{uuid.uuid4()}", kubeconfig=str(sandbox.kubeconfig))
    activities = ClusterActivities(poll_s=0.2, confirm_s=1.0, patience=Patience(never_fits=3, start=3, restarts=1))
    try:
        async with make_worker(client, activities, TemporalActivities(client, queue), queue):
            yield Ground(client, kube, ref, ServiceRef(namespace, "chat"), queue)
    finally:
        kube.close()


def test_a_service_is_rolled_out_and_again_without_a_write(
    temporal_address: str, sandbox: Sandbox, namespace: str
) -> None:
    async def scene(ground: Ground) -> None:
        first = await ground.roll_out(service_of(namespace))
        assert (first.result, first.reason, first.written) == (Result.OK, "", 3)
        before = ground.versions()
        second = await ground.roll_out(service_of(namespace))
        assert (second.result, second.written) == (Result.OK, 0)
        assert ground.versions() == before
        assert ground.outcomes() == [Outcome.GOOD]

    play(temporal_address, sandbox, namespace, scene)


def test_pods_that_fit_nowhere_return_the_service_by_themselves(
    temporal_address: str, sandbox: Sandbox, namespace: str
) -> None:
    async def scene(ground: Ground) -> None:
        await ground.roll_out(service_of(namespace))
        outcome = await ground.roll_out(service_of(namespace, gpus=9, extra=True))
        assert outcome.result is Result.RETURNED
        assert outcome.stopped_at == "machines"
        assert "0 of 1 ready" in outcome.reason
        assert "nvidia.com/gpu" in outcome.reason
        assert outcome.returned_to is not None
        assert outcome.returned_to.number == 1
        live = ground.live("Deployment", "apps/v1")
        assert live is not None
        assert live["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"
        assert live["status"]["readyReplicas"] == 1
        assert ground.live("ConfigMap") is None
        assert ground.outcomes() == [Outcome.GOOD, Outcome.RETURNED]

    play(temporal_address, sandbox, namespace, scene)


def test_pool_that_may_grow_is_given_the_time_to(
    temporal_address: str, sandbox: Sandbox, namespace: str, own_machines: Callable[..., str]
) -> None:
    """The worker's usual patience with pods that no node could take is 3 s here; the machine comes after 6 s."""
    pool = own_machines(0)

    async def scene(ground: Ground) -> None:
        rollout = asyncio.create_task(ground.roll_out(service_of(namespace, pool=pool), room_s=60.0))
        await asyncio.sleep(6)
        assert not rollout.done()
        await asyncio.to_thread(own_machines, 1)
        outcome = await rollout
        assert (outcome.result, outcome.reason) == (Result.OK, "")

    play(temporal_address, sandbox, namespace, scene)


def test_an_owned_field_that_somebody_edits_is_found_and_healed(
    temporal_address: str, sandbox: Sandbox, namespace: str
) -> None:
    async def scene(ground: Ground) -> None:
        await ground.roll_out(service_of(namespace))
        assert (await ground.check_drift(DriftMode.WARN)).report.total == 0
        path = f"/apis/apps/v1/namespaces/{namespace}/deployments/chat?fieldManager=hand&force=true"
        container = {"name": "vllm", "image": "registry.example/other:v1"}
        edit = {"spec": {"template": {"spec": {"containers": [container]}}}}
        body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "chat"}, **edit}
        apply = "application/apply-patch+yaml"
        await asyncio.to_thread(sandbox.api().request, "PATCH", path, json.dumps(body), apply)
        warned = await ground.check_drift(DriftMode.WARN)
        assert [f.path for f in warned.report.fields] == ["spec.template.spec.containers[name=vllm].image"]
        assert warned.report.fields[0].owners == ("hand",)
        healed = await ground.check_drift(DriftMode.ENFORCE)
        assert healed.handled == "healed 1 objects"
        assert (await ground.check_drift(DriftMode.WARN)).report.total == 0
        state = await commands.service_state(ground.client, ground.ref, ground.service)
        assert state is not None
        assert state.heals == 1

    play(temporal_address, sandbox, namespace, scene)


def test_a_plan_that_went_stale_writes_nothing(temporal_address: str, sandbox: Sandbox, namespace: str) -> None:
    async def scene(ground: Ground) -> None:
        await ground.roll_out(service_of(namespace))
        request = await asyncio.to_thread(
            ground.request, service_of(namespace, "registry.example/vllm-openai:v0.33.1"), DriftSettings()
        )
        path = f"/apis/apps/v1/namespaces/{namespace}/deployments/chat/scale"
        await asyncio.to_thread(sandbox.api().merge, path, {"spec": {"replicas": 2}})
        ticket = await commands.request_rollout(ground.client, request, task_queue=ground.queue)
        outcome = await commands.outcome(ground.client, ticket)
        assert outcome.result is Result.FAILED
        assert "The plan is stale: spec.replicas of Deployment" in outcome.reason
        assert outcome.written == 0

    play(temporal_address, sandbox, namespace, scene)


@pytest.mark.parametrize(
    ("revision", "stopped_at", "told"),
    [
        pytest.param({"image": MISSING_IMAGE}, "machines", "ImagePullBackOff", id="an image that is not there"),
        pytest.param({"behaviour": CRASHING}, "memory", "CrashLoopBackOff", id="an engine that crashes"),
    ],
)
def test_a_bad_revision_is_returned_with_its_layer(
    temporal_address: str, sandbox: Sandbox, namespace: str, revision: dict[str, Any], stopped_at: str, told: str
) -> None:
    async def scene(ground: Ground) -> None:
        await ground.roll_out(service_of(namespace))
        outcome = await ground.roll_out(service_of(namespace, **revision))
        assert (outcome.result, outcome.stopped_at) == (Result.RETURNED, stopped_at)
        assert told in outcome.reason

    play(temporal_address, sandbox, namespace, scene)


def test_a_killed_worker_applies_nothing_twice(temporal_address: str, sandbox: Sandbox, namespace: str) -> None:
    """The worker is the real program in a process of its own, killed while it applies and while it waits."""
    queue = f"queue-{uuid.uuid4()}"
    command = [sys.executable, "-m", "controlplane.workflows.worker"]
    arguments = ["--address", temporal_address, "--task-queue", queue]

    async def scene() -> None:
        client = await Client.connect(temporal_address)
        kube = Cluster.connect(sandbox.kubeconfig)
        ref = ClusterRef(f"sandbox-{uuid.uuid4()}", kubeconfig=str(sandbox.kubeconfig))
        ground = Ground(client, kube, ref, ServiceRef(namespace, "chat"), queue)
        manifests = service_of(namespace, behaviour=SLOW)
        request = await asyncio.to_thread(ground.request, manifests, DriftSettings(DriftMode.OFF))
        worker = subprocess.Popen([*command, *arguments])
        try:
            ticket = await commands.request_rollout(client, request, task_queue=queue, patience_s=120)
            for step in ("workload", "memory"):
                await reached(client, ticket, step)
                worker.kill()
                worker.wait()
                worker = subprocess.Popen([*command, *arguments])
            assert (await commands.outcome(client, ticket)).result is Result.OK
        finally:
            worker.kill()
            worker.wait()
        live = ground.live("Deployment", "apps/v1")
        assert live is not None
        assert live["metadata"]["generation"] == 1
        assert (await ground_drift(kube, manifests)).drifted == ()
        kube.close()

    asyncio.run(scene())


async def reached(client: Client, ticket: RolloutTicket, step: str) -> None:
    """Until the rollout is at this step."""
    async for progress in commands.follow(client, ticket, every_s=0.02):
        if progress.step == step:
            return
    raise AssertionError(f"the rollout was never at {step}")


async def ground_drift(kube: Cluster, manifests: tuple[Manifest, ...]) -> DriftReport:
    """How live differs from the manifests."""
    return drift(as_objects(manifests), await asyncio.to_thread(kube.observe, manifests))
