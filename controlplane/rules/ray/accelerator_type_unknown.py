"""Serve LLM is asked for an accelerator type that this version of Ray does not name."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.source.suggest import nearest
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.ray_tables import accelerator_types


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        written = deployment.accelerator_type
        version = ray_version(workload.ray) if workload.ray is not None else None
        known = accelerator_types(version) if version is not None else None
        if not deployment.is_llm or not isinstance(written, Known) or not known or written.value in known:
            continue
        meant = nearest(written.value, known)
        yield Finding(
            f"accelerator_type is {written.value}, which Ray {version} does not name; Serve LLM refuses the model",
            at=written,
            remedy=f"Use {meant}." if meant else "Use a type that Ray names, such as H100, or leave it out.",
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="The accelerator types are a list in Ray, in Ray's own spelling (L4, A10G, H100). Serve LLM compares "
    "with it when the application is built, and the application ends in DEPLOY_FAILED.",
    remedy="Use one of Ray's accelerator types.",
    sources=("Ray 2.60.0, llm/_internal/serve/core/configs/llm_config.py: validate_accelerator_type",),
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
                      accelerator_type: nvidia-l4  # fires
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
