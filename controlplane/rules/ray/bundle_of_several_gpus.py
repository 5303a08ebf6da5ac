"""A bundle for a vLLM engine holds more than one GPU."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for _, deployment in serve_deployments(stack):
        if deployment.is_llm and deployment.engine:
            yield from _large(deployment)


def _large(deployment: ServeDeployment) -> Iterator[Finding]:
    group = deployment.placement_group
    for bundle in (value_of(group.bundles) or ()) if group is not None and group.written else ():
        gpus = bundle.resources.get("GPU")
        if isinstance(gpus, Known) and gpus.value > 1:
            yield Finding(
                f"a bundle of {gpus.value:g} GPUs; vLLM runs one worker a bundle and refuses a bundle of more than 1",
                at=gpus,
                otherwise=bundle.origin,
                remedy=f"Write {gpus.value:g} bundles of 1 GPU each.",
                evidence=(evidence("GPU of the bundle", gpus),),
            )
            return


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="vLLM gives every worker a bundle of the placement group, and every worker one GPU. A bundle of more "
    "stops the engine with `Placement group bundle cannot have more than 1 GPU`, after the GPUs were reserved.",
    remedy="Write one bundle for each GPU, under STRICT_PACK where they have to be on one node.",
    sources=("vLLM 0.33.0, v1/executor/ray_utils.py: initialize_ray_cluster",),
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
                      engine_kwargs: {tensor_parallel_size: 2}
                      deployment_config: {num_replicas: 1}
                      placement_group_config:
                        bundles:
                          - GPU: 2  # fires
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
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray-llm:2.60.0-py311-cu128
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
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
                      engine_kwargs: {tensor_parallel_size: 2}
                      deployment_config: {num_replicas: 1}
                      placement_group_config:
                        bundles:
                          - GPU: 1
                          - GPU: 1
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
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray-llm:2.60.0-py311-cu128
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
