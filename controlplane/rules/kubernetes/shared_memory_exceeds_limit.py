"""A memory volume is to be larger than the pod's memory limit.

What is written to it counts as the containers' memory, so the rest of it is never there.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import pod_sets_of, shown
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import EmptyDir, PodSet


def check(stack: Stack) -> Iterator[Finding]:
    for _, pods in pod_sets_of(stack):
        limit = _memory_limit(pods)
        for volume in pods.volumes:
            source = value_of(volume.source)
            size = source.size_limit if isinstance(source, EmptyDir) and source.medium == "Memory" else None
            if limit is None or not isinstance(size, Known) or size.value.nano <= limit:
                continue
            wanted, granted = size.value.canonical(), shown("memory", limit)
            yield Finding(
                f"volume {volume.name} in memory may hold {wanted}, its pod's containers {granted} in all; "
                f"the kubelet makes it {granted}, and what is written there is taken from the processes' memory",
                at=size,
                otherwise=volume.origin,
                remedy=f"Lower sizeLimit below {granted}, or raise the memory limit above {wanted}.",
                evidence=(
                    evidence("sizeLimit", wanted, source=str(size.origin)),
                    evidence("limits.memory of the pod", granted, source="sum over its containers"),
                ),
            )


def _memory_limit(pods: PodSet) -> int | None:
    """The containers' memory limits together, in billionths of a byte; None where one of them has none.

    Where no container is declared an operator brings them, with limits of its own.
    """
    if not pods.containers:
        return None
    total = 0
    for container in pods.containers:
        limit = value_of(container.limits.get("memory", ABSENT))
        if limit is None:
            return None
        total += limit.nano
    return total


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="A volume with medium Memory is charged to the containers that write to it. The kubelet makes it no "
    "larger than the pod's memory limit, and long before it is full the engine is killed for memory.",
    remedy="Make the volume smaller than the memory limit, with room for the processes.",
    sources=("Kubernetes 1.36, SizeMemoryBackedVolumes: the smaller of sizeLimit and the pod's memory limit",),
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
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --tensor-parallel-size=4]
                  resources: {limits: {nvidia.com/gpu: 4, memory: 32Gi}}
                  volumeMounts:
                    - {name: shm, mountPath: /dev/shm}
              volumes:
                - name: shm
                  emptyDir:
                    medium: Memory
                    sizeLimit: 64Gi  # fires
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
                  resources: {limits: {nvidia.com/gpu: 4, memory: 64Gi}}
                  volumeMounts:
                    - {name: shm, mountPath: /dev/shm}
              volumes:
                - name: shm
                  emptyDir: {medium: Memory, sizeLimit: 16Gi}
                - name: scratch
                  emptyDir: {sizeLimit: 200Gi}
        """,
    ),
    check=check,
)
