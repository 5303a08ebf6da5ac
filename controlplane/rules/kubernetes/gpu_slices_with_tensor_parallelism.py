"""An engine is spread over slices that may be of one GPU.

NCCL refuses two ranks on one device, and slices of a GPU add no memory or bandwidth to each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import formula, ranks_at_least, written_factor
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known, value_of
from controlplane.stack.gpu_resources import gpu_limits, is_shared_gpu, is_whole_gpu, mig_profile
from controlplane.stack.inventory import Sharing
from controlplane.stack.model import Stack
from controlplane.stack.node_labels import GPU_PRODUCT_LABEL, GPU_SHARING_LABEL
from controlplane.stack.pods import Container, PodSet
from controlplane.stack.scheduling import admits

_GKE_SHARING_LABEL = "cloud.google.com/gke-gpu-sharing-strategy"
_SHARED = {
    GPU_SHARING_LABEL: ("time-slicing", "mps"),
    _GKE_SHARING_LABEL: ("time-sharing", "mps"),
}


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        ranks = ranks_at_least(engine)
        if engine.container is None or engine.pods is None or ranks < 2:
            continue
        slices = _slices(stack, engine.pods, engine.container)
        if slices is not None:
            yield _finding(engine, ranks, *slices)


def _finding(engine: DeployedEngine, ranks: int, kind: str, place: Place) -> Finding:
    return Finding(
        f"the engine has {ranks} ranks ({formula(engine)}) on {kind}; where two of them are of one device, NCCL "
        "ends with 'Duplicate GPU detected', and nothing is gained by it",
        at=written_factor(engine),
        otherwise=engine.place,
        remedy="Give the engine whole GPUs, or set --tensor-parallel-size=1 and run one engine a slice.",
        evidence=(evidence("ranks", ranks, source=formula(engine)), evidence("GPU resource", kind)),
        related=((place, "slices, not devices"),),
    )


def _slices(stack: Stack, pods: PodSet, container: Container) -> tuple[str, Place] | None:
    """What kind of slices a container gets more than one of, and where that is written."""
    for resource, amount in gpu_limits(container).items():
        # With one slice a pod the ranks are in several pods, each perhaps on a device of its own.
        if not isinstance(amount, Known) or amount.value.value < 2:
            continue
        if mig_profile(resource) is not None:
            return f"{amount.value.canonical()} MIG slices {resource}", amount
        if is_shared_gpu(resource):
            return f"{amount.value.canonical()} time slices {resource}", amount
        if is_whole_gpu(resource) and (shared := _shared_nodes(stack, pods)) is not None:
            return f"{amount.value.canonical()} {resource} of nodes that share each GPU ({shared[0]})", shared[1]
    return None


def _shared_nodes(stack: Stack, pods: PodSet) -> tuple[str, Place] | None:
    constraints = pods.constraints
    for key, value in (value_of(constraints.node_selector) or {}).items():
        if value in _SHARED.get(key, ()) or (key == GPU_PRODUCT_LABEL and value.endswith("-SHARED")):
            return f"{key}: {value}", constraints.node_selector_origins.get(key)
    pools = [pool for pool in stack.inventory.pools if pool.accelerator and admits(constraints, pool)]
    sliced = [pool for pool in pools if pool.accelerator and pool.accelerator.sharing is Sharing.TIME_SLICED]
    if "Node" in stack.context.complete and pools and len(sliced) == len(pools):
        return f"pool {sliced[0].name}", None
    return None


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="Time slices share one device's memory and take turns on it; the device plug-in spreads them over "
    "devices only as far as it can. MIG slices are separate devices to CUDA, but one to NCCL before its experimental "
    "support of 2026, and have no direct way to each other. An engine over several of them often does not start, "
    "and is never faster than one on a whole GPU.",
    remedy="Give a parallel engine whole GPUs.",
    sources=(
        "NCCL: 'Duplicate GPU detected' (vllm-project/vllm issue 17176); NVIDIA/nccl issue 1716 on MIG",
        "NVIDIA k8s-device-plugin: time slices go to several devices by best effort; vllm-project/vllm issue 7211",
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
              nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB-SHARED}
              hostIPC: true
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args:
                    - --model=example/chat-8B
                    - --tensor-parallel-size=2  # fires
                  resources: {limits: {nvidia.com/gpu: 2}}
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
                  args:
                    - --model=example/chat-8B
                    - --tensor-parallel-size=2  # fires
                  resources: {limits: {nvidia.com/mig-3g.40gb: 2}}
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
              nodeSelector: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}
              hostIPC: true
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model=example/chat-8B, --tensor-parallel-size=2]
                  resources: {limits: {nvidia.com/gpu: 2}}
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
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model=example/chat-8B]
                  resources: {limits: {nvidia.com/mig-3g.40gb: 1}}
        """,
    ),
    check=check,
)
