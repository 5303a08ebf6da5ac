"""A replica asks for an accelerator type, and all worker groups run on another."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import custom_is_known, node_amount
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import Derived, Known, value_of
from controlplane.stack.gpu_catalogue import Gpu, gpu, gpu_of_label
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        yield from _elsewhere(workload, deployment)


def _elsewhere(workload: Workload, deployment: ServeDeployment) -> Iterator[Finding]:
    wanted = deployment.accelerator_type
    product = gpu(wanted.value) if isinstance(wanted, Known) else None
    if product is None or not isinstance(wanted, Known):
        return
    there = _products(workload, f"accelerator_type:{wanted.value}")
    if there and all(_are_different(product, other) for other in there.values()):
        yield Finding(
            f"accelerator_type is {_shown(wanted)}, and the groups with GPUs run on "
            f"{listed(f'{other.name} ({name})' for name, other in there.items())}: no Ray node has that type",
            at=wanted,
            otherwise=deployment.origin,
            remedy=f"Set accelerator_type to that of a group, or send a group to nodes with {wanted.value}.",
            evidence=(
                evidence("accelerator_type", wanted),
                *(Evidence(f"GPU of group {name}", other.name, "its node selector") for name, other in there.items()),
            ),
        )


def _shown(wanted: Known[str]) -> str:
    """The type, and how it came about where the file has another word."""
    return f"{wanted.value} ({wanted.origin.formula})" if isinstance(wanted.origin, Derived) else wanted.value


def _products(workload: Workload, resource: str) -> dict[str, Gpu]:
    """The GPU of every group that has any; empty where one of them is not known or provides the type by name."""
    found: dict[str, Gpu] = {}
    for group in workload.ray.groups if workload.ray is not None else ():
        pods = workload.pod_set(group.name)
        if pods is None or node_amount(group, pods, resource) or not custom_is_known(group):
            return {}
        if node_amount(group, pods, "GPU") == 0:
            continue
        product = _selected(pods)
        if product is None:
            return {}
        found[group.name] = product
    return found


def _selected(pods: PodSet) -> Gpu | None:
    selector = value_of(pods.constraints.node_selector) or {}
    return next((product for key, value in selector.items() if (product := gpu_of_label(key, value))), None)


def _are_different(one: Gpu, other: Gpu) -> bool:
    """Whether two products certainly have different types in Ray; A10 and A10G, one in the other, are left open."""
    mine, its = one.name.partition("-")[0], other.name.partition("-")[0]
    return one.vendor == other.vendor and "RTX" not in (mine, its) and mine not in its and its not in mine


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Ray gives a node the resource accelerator_type:X for the GPU it finds there, and a replica that names "
    "a type asks for a little of it. Where every group is pinned to another GPU, the replicas wait for ever with "
    "idle GPUs in sight.",
    remedy="Make the two agree.",
    sources=("Ray 2.60.0, llm/_internal/serve/core/configs/accelerators.py: GPUAccelerator.default_bundles",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: ray.serve.llm:build_openai_app
                args:
                  llm_configs:
                    - model_loading_config: {model_id: chat, model_source: Qwen/Qwen2.5-7B-Instruct}
                      accelerator_type: H100  # fires
                      deployment_config: {num_replicas: 1}
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray-llm:2.60.0-py311-cu128
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
                    containers:
                      - name: ray-worker
                        image: rayproject/ray-llm:2.60.0-py311-cu128
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: ray.serve.llm:build_openai_app
                args:
                  llm_configs:
                    - model_loading_config: {model_id: chat, model_source: Qwen/Qwen2.5-7B-Instruct}
                      accelerator_type: L4
                      deployment_config: {num_replicas: 1}
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray-llm:2.60.0-py311-cu128
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
                    containers:
                      - name: ray-worker
                        image: rayproject/ray-llm:2.60.0-py311-cu128
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
