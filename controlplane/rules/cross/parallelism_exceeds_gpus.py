"""An engine's parallelism asks for more GPUs than its pod has.

vLLM counts the GPUs it sees in the container, and ends before it loads anything when they are too few.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import formula, gpus_wanted, spans_pods, written_factor
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Known
from controlplane.stack.gpu_resources import gpu_limits, is_whole_gpu
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if not spans_pods(engine) and _has_whole_gpus(engine):
            yield from _too_few(engine)


def _has_whole_gpus(engine: DeployedEngine) -> bool:
    """Slices are another matter; GPUs claimed through DRA are not counted by limits."""
    container = engine.container
    return container is not None and not container.claims and all(map(is_whole_gpu, gpu_limits(container)))


def _too_few(engine: DeployedEngine) -> Iterator[Finding]:
    wanted, has, factor = gpus_wanted(engine), engine.gpus, written_factor(engine)
    if not isinstance(wanted, Known) or not isinstance(has, Known) or wanted.value <= has.value:
        return
    yield Finding(
        f"the engine takes {plural(wanted.value, 'GPU')} ({formula(engine)}) and its container has {has.value}",
        at=factor if factor != ABSENT else has,
        evidence=(
            evidence("GPUs wanted", wanted.value, source=formula(engine)),
            evidence("GPUs of the container", has),
        ),
        remedy=f"Give the container {plural(wanted.value, 'GPU')}, or lower the parallelism to {has.value} in all.",
        related=((has, f"the container's limit: {plural(has.value, 'GPU')}"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.2.0",
    rationale="The pod is scheduled by its GPU limit, and vLLM starts tensor x pipeline x data ranks. With fewer "
    "GPUs than ranks it exits at once (`World size (4) is larger than the number of available GPUs (2) in this "
    "node`), and the pod restarts for ever while it holds the GPUs it has.",
    remedy="Let the container's GPU limit equal tensor x pipeline x data parallel size.",
    sources=("vLLM 0.33, config/parallel.py, ParallelConfig.__post_init__",),
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
                    - --tensor-parallel-size=4  # fires
                  resources:
                    limits: {nvidia.com/gpu: 2}
                  volumeMounts:
                    - {name: shm, mountPath: /dev/shm}
              volumes:
                - {name: shm, emptyDir: {medium: Memory}}
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
                    - --tensor-parallel-size=4
                  resources:
                    limits: {nvidia.com/gpu: 4}
                  volumeMounts:
                    - {name: shm, mountPath: /dev/shm}
              volumes:
                - {name: shm, emptyDir: {medium: Memory}}
        """,
    ),
    check=check,
)
