"""An engine's parallelism asks for more GPUs than its pod has.

vLLM counts the GPUs it sees in the container, and ends before it loads anything when they are too few.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.placement.bundles import RAY_UNIT
from controlplane.rules.parallelism import formula, gpus_wanted, spans_pods, written_factor
from controlplane.rules.ray_arithmetic import ray_nodes
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Fact, Known, value_of
from controlplane.stack.gpu_resources import gpu_limits, is_whole_gpu
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container
from controlplane.stack.ray import RayCluster

_CHOSEN = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if _is_alone(engine) and _has_countable_gpus(engine):
            yield from _too_few(engine)
        elif engine.workload.job is not None and engine.container is None:
            yield from _beyond_cluster(engine)


def _is_alone(engine: DeployedEngine) -> bool:
    """Whether the engine has the GPUs of its own container and no others.

    KServe's template for one host (0.17, `config-llm-template`) starts one `vllm serve` in it; a worker template or
    `baseRefs` may say otherwise.
    """
    single_host = engine.workload.ref.kind == "LLMInferenceService" and len(engine.workload.pod_sets) == 1
    return not spans_pods(engine) or single_host


def _has_countable_gpus(engine: DeployedEngine) -> bool:
    """Several slices are another matter; GPUs claimed through DRA are not counted by limits."""
    container = engine.container
    if container is None or container.claims or _is_handed_gpus(engine, container):
        return False
    return all(map(is_whole_gpu, gpu_limits(container))) or value_of(engine.gpus) == 1


def _is_handed_gpus(engine: DeployedEngine, container: Container) -> bool:
    """Whether somebody else gives the container its GPUs: it asks for none at all, and says which ones it takes."""
    return value_of(engine.gpus) == 0 and any(variable.name in _CHOSEN for variable in container.env)


def _beyond_cluster(engine: DeployedEngine) -> Iterator[Finding]:
    """An entrypoint's engine may use every GPU of its Ray cluster, and no more."""
    cluster, wanted, factor = engine.workload.ray, gpus_wanted(engine), written_factor(engine)
    if cluster is None or not isinstance(wanted, Known) or not engine.engine.complete:
        return
    most = _gpus_at_most(engine.workload, cluster)
    if most is not None and wanted.value > most:
        yield Finding(
            f"the entrypoint's engine takes {plural(wanted.value, 'GPU')} ({formula(engine)}) and its Ray cluster "
            f"has {most} at most",
            at=factor,
            otherwise=engine.place,
            evidence=(evidence("GPUs wanted", wanted.value, source=formula(engine)),),
            remedy=f"Let the worker groups make more pods, or lower the parallelism to {most} in all.",
        )


def _gpus_at_most(workload: Workload, cluster: RayCluster) -> int | None:
    """GPUs of all Ray nodes there can be; None where that is not known."""
    total = 0
    for nodes in ray_nodes(workload, cluster, {"GPU"}):
        each = nodes.amounts.get("GPU", 0)
        if nodes.unlimited or (nodes.count is None and each):
            return None
        total += each * (nodes.count or 0)
    return total // RAY_UNIT


def _too_few(engine: DeployedEngine) -> Iterator[Finding]:
    wanted, has, factor = _wanted(engine), engine.gpus, written_factor(engine)
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


def _wanted(engine: DeployedEngine) -> Fact[int]:
    """What the engine takes, or at least its tensor parallel size where an operator may have added other degrees."""
    wanted = gpus_wanted(engine)
    return engine.tensor_parallel if not isinstance(wanted, Known) and not engine.engine.complete else wanted


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
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
