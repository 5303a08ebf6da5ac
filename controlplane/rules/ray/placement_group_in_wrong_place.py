"""The placement group of a Serve LLM deployment stands in deployment_config."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.stack.model import Stack

_MOVED = {"placement_group_bundles": "bundles", "placement_group_strategy": "strategy"}


def check(stack: Stack) -> Iterator[Finding]:
    for _, deployment in serve_deployments(stack):
        for name, key in _MOVED.items() if deployment.is_llm else ():
            place = deployment.options.get(f"deployment_config.{name}")
            if place is not None:
                yield Finding(
                    f"deployment_config sets {name}; Serve LLM makes the placement group itself and refuses that",
                    at=place,
                    remedy=f"Move it to placement_group_config.{key} of the same LLMConfig.",
                )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve LLM derives the bundles from the engine's parallelism and adds the replica's own actor. It "
    "raises an error where deployment_config brings bundles or a strategy of its own, and the application ends in "
    "DEPLOY_FAILED.",
    remedy="Use placement_group_config.",
    sources=("Ray 2.60.0, llm/_internal/serve/core/server/llm_server.py: get_deployment_options",),
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
                      deployment_config:
                        num_replicas: 1
                        placement_group_bundles: [{GPU: 1, CPU: 1}]  # fires
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
                      deployment_config: {num_replicas: 1}
                      placement_group_config:
                        bundles: [{GPU: 1, CPU: 1}]
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
