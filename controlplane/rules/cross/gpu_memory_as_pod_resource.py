"""A pod asks for GPU memory, and its engine takes what it likes of the whole GPU.

A resource of GPU memory only tells the scheduler how to share a card; vLLM reads the card's own size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import ABSENT, Known
from controlplane.stack.model import Stack

_NOT_ENFORCED: Final = ("aliyun.com/gpu-mem", "gpushare.com/vgpu-memory")
"""Resources that a scheduler counts and nothing holds a process to. HAMi's and Volcano's virtual GPUs do hold it."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        bounded = engine.written("gpu_memory_utilization"), engine.written("kv_cache_memory_bytes")
        if engine.container is None or bounded != (ABSENT, ABSENT):
            continue
        for resource, amount in engine.container.limits.items():
            if resource in _NOT_ENFORCED and isinstance(amount, Known):
                yield Finding(
                    f"{resource}: {amount.value.canonical()} does not limit the engine: without "
                    "--gpu-memory-utilization it takes nine tenths of the whole GPU",
                    at=amount,
                    evidence=(evidence(resource, amount.value.canonical(), source=str(amount.origin)),),
                    remedy="Set --gpu-memory-utilization to this pod's share of the GPU's memory.",
                )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Kubernetes places pods and knows nothing of GPU memory in use; vLLM takes its fraction of the device "
    "it sees. Two engines that share a card by such a resource both take most of it, and the second ends with too "
    "little free memory.",
    remedy="Give the engine its share with --gpu-memory-utilization.",
    sources=("AliyunContainerService gpushare-scheduler-extender, documentation: sharing without isolation",),
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
                  resources:
                    limits:
                      aliyun.com/gpu-mem: 20  # fires
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
                  args: [--model=/models/chat, --gpu-memory-utilization=0.25]
                  resources:
                    limits:
                      aliyun.com/gpu-mem: 20
        """,
    ),
    check=check,
)
