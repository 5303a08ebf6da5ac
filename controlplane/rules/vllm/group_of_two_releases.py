"""The leader and the workers of one group run different releases of vLLM."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.versions import is_vllm_image, version_of_image


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        if workload.ref.kind == "LeaderWorkerSet" and workload.engines:
            yield from _differing(workload)


def _differing(workload: Workload) -> Iterator[Finding]:
    leader, workers = workload.pod_set("leader"), workload.pod_set("worker")
    if leader is None or workers is None:
        return
    first, other = _release(leader), _release(workers)
    if first is not None and other is not None and first[1] != other[1]:
        yield Finding(
            f"the workers of LeaderWorkerSet {workload.ref.name} run vLLM {other[1]} and its leader {first[1]}: they "
            "are processes of one engine, and what they send each other is not made to fit between releases",
            at=other[0],
            otherwise=workload.origin,
            remedy=f"Use one image for both: vLLM {first[1]}, or {other[1]}.",
            evidence=(
                evidence("leader", first[1], source=str(first[0].origin)),
                evidence("worker", other[1], source=str(other[0].origin)),
            ),
            related=((first[0], f"the leader runs {first[1]}"),),
        )


def _release(pods: PodSet) -> tuple[Known[str], str] | None:
    """Image and release of the only container with a server image of vLLM; None where none or several have one."""
    images = [c.image for c in pods.containers if isinstance(c.image, Known) and is_vllm_image(c.image.value)]
    version = version_of_image(images[0].value) if len(images) == 1 else None
    return (images[0], version) if version is not None else None


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Leader and workers pass configurations and requests to each other as pickled objects of vLLM's own "
    "classes, or share a Ray cluster, which refuses another version of Ray. Between releases these classes change: "
    "the group fails while it starts, mostly after an upgrade that changed one of the two templates.",
    remedy="Give both templates the same image.",
    sources=(
        "vLLM 0.33.0, v1/executor/multiproc_executor.py, distributed/device_communicators/shm_broadcast.py: pickle",
        "Ray 2.60.0, _private/utils.py: check_version_info",
    ),
    bad=(
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {name: chat}
        spec:
          leaderWorkerTemplate:
            size: 2
            leaderTemplate:
              spec:
                containers:
                  - name: leader
                    image: vllm/vllm-openai:v0.13.0
                    args: [--model, example/chat-8B, --nnodes=2, --node-rank=0, -pp=2]
                    resources: {limits: {nvidia.com/gpu: 1}}
            workerTemplate:
              spec:
                containers:
                  - name: worker
                    image: vllm/vllm-openai:v0.12.0  # fires
                    args: [--model=example/chat-8B, --nnodes=2, --node-rank=1, -pp=2, --headless]
                    resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {name: chat}
        spec:
          leaderWorkerTemplate:
            size: 2
            leaderTemplate:
              spec:
                containers:
                  - name: leader
                    image: vllm/vllm-openai:v0.13.0
                    args: [--model, example/chat-8B, --nnodes=2, --node-rank=0, -pp=2]
                    resources: {limits: {nvidia.com/gpu: 1}}
            workerTemplate:
              spec:
                containers:
                  - name: worker
                    image: vllm/vllm-openai:v0.13.0
                    args: [--model=example/chat-8B, --nnodes=2, --node-rank=1, -pp=2, --headless]
                    resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
