"""An engine of several processes has only 64 MiB of shared memory.

A container's /dev/shm is that small unless a volume or the host's is mounted there.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import formula, ranks_at_least, written_factor
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.gpu_resources import gpus_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container, PodSet

_PATHS = ("/dev/shm", "/dev")  # noqa: S108  # where it is mounted, not a file of ours

_REMEDY = "Mount an emptyDir with medium: Memory at /dev/shm, 2Gi or more; it counts against the memory limit."


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if engine.pods is None or engine.container is None or is_partial(engine.workload, engine.pods):
            continue
        # KubeRay mounts memory at /dev/shm by itself.
        if engine.workload.ray is None:
            yield from _without(engine, engine.pods, engine.container)
            yield from _of_workers(engine)


def _of_workers(engine: DeployedEngine) -> Iterator[Finding]:
    """Workers of a group whose leader's engine takes all GPUs of the group: as many of its ranks run in each."""
    workers = engine.workload.pod_set("worker")
    started = {other.pod_set for other in engine.workload.engines}
    if workers is None or "worker" in started or is_partial(engine.workload, workers):
        return
    here, hosts = value_of(engine.gpus), value_of(workers.hosts_per_unit)
    counted = [(container, value_of(gpus_of([container]))) for container in workers.containers]
    for container, each in counted:
        if not each or each < 2 or not hosts or here is None or len([n for _, n in counted if n]) != 1:
            continue
        if ranks_at_least(engine) >= here + each * hosts and not _has_shared_memory(workers, container):
            yield Finding(
                f"{each} ranks of the group's engine ({formula(engine)}) run in container {container.name} of every "
                "worker and share 64 MiB of /dev/shm; NCCL passes data between them there, and may end with a bus "
                "error or 'unhandled system error'",
                at=container.origin,
                otherwise=engine.place,
                remedy=_REMEDY,
                evidence=(
                    evidence("ranks", each, source="GPUs of the container; the engine takes all of the group"),
                ),
                related=((written_factor(engine), "takes all GPUs of the group"),),
            )


def _has_shared_memory(pods: PodSet, container: Container) -> bool:
    return value_of(pods.host_ipc) is True or any(m.path.rstrip("/") in _PATHS for m in container.mounts)


def _without(engine: DeployedEngine, pods: PodSet, container: Container) -> Iterator[Finding]:
    wanted, here = ranks_at_least(engine), value_of(engine.gpus)
    if here is None or min(wanted, here) < 2:
        return
    if _has_shared_memory(pods, container):
        return
    processes = min(wanted, here)
    yield Finding(
        f"{processes} processes of container {container.name} ({formula(engine)}) share 64 MiB of /dev/shm; "
        "NCCL and vLLM pass data between them there, and may end with a bus error or 'unhandled system error'",
        at=container.origin,
        otherwise=engine.place,
        remedy=_REMEDY,
        evidence=(evidence("processes", processes, source="parallelism and GPUs of the container"),),
        related=((written_factor(engine), "makes several processes"),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="A container runtime gives /dev/shm 64 MiB. With tensor or pipeline parallelism every GPU has its own "
    "process; NCCL puts its buffers and vLLM its message queue (ten chunks of 16 MiB and more) into shared memory. "
    "Where the GPUs reach each other over NVLink it can go well for a while.",
    remedy="Mount an emptyDir with medium Memory at /dev/shm.",
    sources=(
        "vLLM documentation, deployment on Kubernetes and Docker: memory mounted at /dev/shm, or --ipc=host",
        "vLLM: VLLM_MQ_MAX_CHUNK_BYTES_MB 16 times max_chunks 10; containerd and CRI-O: /dev/shm of 64 MiB",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm  # fires
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --tensor-parallel-size=4]
                  resources: {limits: {nvidia.com/gpu: 4}}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --tensor-parallel-size=4]
                  resources: {limits: {nvidia.com/gpu: 4}}
                  volumeMounts:
                    - {name: shm, mountPath: /dev/shm}
              volumes:
                - name: shm
                  emptyDir: {medium: Memory, sizeLimit: 8Gi}
        """,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              hostIPC: true
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --tensor-parallel-size=4]
                  resources: {limits: {nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
