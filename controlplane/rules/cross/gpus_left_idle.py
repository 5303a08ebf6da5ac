"""A pod holds more GPUs than its engine uses.

The scheduler counts them as taken; vLLM never touches them.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import formula, gpus_wanted, spans_pods
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.gpu_resources import gpu_limits, is_whole_gpu
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    engines = list(engines_of(stack))
    for engine in engines:
        if not spans_pods(engine) and _is_alone(engine, engines) and _whole(engine):
            yield from _idle(engine)


def _is_alone(engine: DeployedEngine, engines: list[DeployedEngine]) -> bool:
    """Whether nothing else in the container may use its GPUs."""
    same = [e for e in engines if e.workload is engine.workload and e.container is engine.container]
    return len(same) == 1


def _whole(engine: DeployedEngine) -> bool:
    container = engine.container
    return container is not None and not container.claims and all(map(is_whole_gpu, gpu_limits(container)))


def _idle(engine: DeployedEngine) -> Iterator[Finding]:
    wanted, has = gpus_wanted(engine), engine.gpus
    if not isinstance(wanted, Known) or not isinstance(has, Known) or wanted.value >= has.value:
        return
    idle = has.value - wanted.value
    yield Finding(
        f"the container holds {plural(has.value, 'GPU')} and its engine uses {wanted.value} ({formula(engine)}): "
        f"{idle} idle in every replica",
        at=has,
        otherwise=engine.place,
        evidence=(
            evidence("GPUs of the container", has),
            evidence("GPUs used", wanted.value, source=formula(engine)),
        ),
        remedy=f"Set --tensor-parallel-size={has.value}, run more replicas of {plural(wanted.value, 'GPU')} each, or "
        f"lower the limit to {wanted.value}.",
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="A GPU that a pod holds is lost to everybody else, also when the engine inside uses one of eight: vLLM "
    "takes tensor x pipeline x data GPUs and leaves the others alone. Requests queue while GPUs idle.",
    remedy="Let the container's GPU limit equal tensor x pipeline x data parallel size.",
    sources=("vLLM 0.33, config/parallel.py: the default of every parallel size is 1",),
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
                      nvidia.com/gpu: 8  # fires
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
                  args: [--model=/models/chat, --data-parallel-size=2]
                  resources:
                    limits: {nvidia.com/gpu: 2}
        """,
    ),
    check=check,
)
