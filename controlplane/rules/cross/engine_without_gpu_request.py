"""A CUDA engine runs in a container that asks for no GPU.

The scheduler sends the pod to any node, and counts no GPU as taken where the engine finds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Abstention, Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Known
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container
from controlplane.stack.vllm_likeness import resembles_vllm

_CUDA_IMAGE: Final = "vllm-openai"
_BUILT_IN: Final = ("cpu", "memory", "ephemeral-storage", "hugepages-")
_JUDGED: Final = ("Deployment", "StatefulSet", "Job", "Pod", "ReplicaSet")
"""Kinds whose pods are as written; operators of other kinds may add a GPU."""


def check(stack: Stack) -> Iterator[Finding | Abstention]:
    yield from _findings(stack)
    for workload, pods, container in containers_of(stack):
        is_engine = any((e.pod_set, e.container) == (pods.name, container.name) for e in workload.engines)
        words = [word.value for word in (*container.command, *container.args) if isinstance(word, Known)]
        if not is_engine and resembles_vllm(container.image, words):
            needs = f"whether container {container.name} starts vLLM: if it does, write command: [vllm, serve]"
            yield Abstention(needs, at=container.origin)


def _findings(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        container = engine.container
        if container is None or engine.workload.ref.kind not in _JUDGED or engine.pods is None:
            continue
        claimed = bool(container.claims or engine.pods.resource_claims)
        if not claimed and _is_cuda_image(container) and not _any_device(container) and _wants_cuda(engine):
            yield Finding(
                f"container {container.name} runs the CUDA build of vLLM and asks for no GPU",
                at=container.resources_origin,
                otherwise=container.origin,
                evidence=(evidence("image", container.image),),
                remedy="Write limits: {nvidia.com/gpu: N} with N = tensor x pipeline x data parallel size.",
            )


def _is_cuda_image(container: Container) -> bool:
    """The image of that very name; CPU, ROCm and other builds have names of their own."""
    if not isinstance(container.image, Known):
        return False
    name, _, tag = container.image.value.rpartition("/")[2].partition(":")
    return name == _CUDA_IMAGE and not any(word in tag for word in ("cpu", "rocm", "xpu", "tpu", "hpu", "neuron"))


def _any_device(container: Container) -> bool:
    amounts = (*container.limits, *container.requests)
    return any(not name.startswith(_BUILT_IN) for name in amounts)


def _wants_cuda(engine: DeployedEngine) -> bool:
    device = engine.engine.arguments.get("device", ABSENT)
    return device == ABSENT or (isinstance(device, Known) and device.value in ("auto", "cuda"))


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="Without a GPU in its limits the pod may land on a node that has none, where vLLM fails to detect a "
    "device. On a node whose container runtime shows every GPU to every container it starts, uses all of them, and "
    "the scheduler goes on giving the same GPUs to other pods: both run out of memory.",
    remedy="Write the GPUs the engine uses into the container's limits.",
    sources=("vLLM images set NVIDIA_VISIBLE_DEVICES=all, as their CUDA base images do",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:  # fires below
                    limits: {cpu: 8, memory: 64Gi}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 1}
        """,
    ),
    check=check,
)
