"""An engine keeps more in host memory than its container may use.

KV offloading and CPU offloading of weights are taken from the container's memory limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import ranks_at_least
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_GIB = 1 << 30
_TOTAL = ("kv_offloading_size",)
"""GiB in all ranks together (vLLM 0.33, config/cache.py)."""

_PER_RANK = ("cpu_offload_gb",)
"""GiB in every rank: each GPU's worker offloads that much (config/offload.py). Not swap space: V1 takes none."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if engine.container is not None:
            for name in (*_TOTAL, *_PER_RANK):
                yield from _too_much(engine, name)


def _too_much(engine: DeployedEngine, name: str) -> Iterator[Finding]:
    written = engine.written(name)
    limit = engine.container.limits.get("memory") if engine.container else None
    if not isinstance(written, Known) or not isinstance(limit, Known):
        return
    if isinstance(written.value, bool) or not isinstance(written.value, int | float):
        return
    ranks = 1 if name in _TOTAL else _ranks_in_pod(engine, ranks_at_least(engine))
    needed = int(written.value * ranks * _GIB)
    if needed < limit.value.bytes():
        return
    flag = "--" + name.replace("_", "-")
    times = f" x {ranks} ranks" if ranks > 1 else ""
    yield Finding(
        f"{flag} {written.value:g} GiB{times} takes {needed / _GIB:.4g} GiB of host memory; the container's limit is "
        f"{limit.value.canonical()}",
        at=written,
        evidence=(
            evidence(flag, written, "GiB"),
            evidence("limits.memory", limit.value.bytes(), "bytes", str(limit.origin)),
        ),
        remedy=f"Raise the memory limit well above {needed // _GIB}Gi, or lower {flag}.",
        related=((limit, "the container's memory limit"),),
    )


def _ranks_in_pod(engine: DeployedEngine, world: int) -> int:
    """Ranks that run in this container: no more than it has GPUs."""
    gpus = engine.gpus
    return min(world, gpus.value) if isinstance(gpus, Known) and gpus.value else 1


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="The engine allocates this memory when it starts, pinned, and the kernel counts it against the "
    "container's limit. At the limit the container is killed (OOMKilled) before it serves anything.",
    remedy="Let the memory limit hold the host cache and the process beside it.",
    sources=("vLLM 0.33, config/cache.py and config/offload.py",),
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
                  args:
                    - --model=/models/chat
                    - --kv-offloading-size=128  # fires
                  resources:
                    limits: {nvidia.com/gpu: 1, memory: 64Gi}
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
                  args:
                    - --model=/models/chat
                    - --kv-offloading-size=128
                  resources:
                    limits: {nvidia.com/gpu: 1, memory: 192Gi}
        """,
    ),
    check=check,
)
