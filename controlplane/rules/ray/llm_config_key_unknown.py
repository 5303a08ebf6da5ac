"""An LLMConfig has a key that this version of Ray does not know."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments, unknown_key
from controlplane.stack.facts import Origin
from controlplane.stack.model import Stack
from controlplane.stack.ray_tables import forbids_unknown, options
from controlplane.stack.serve import ServeDeployment

_MODELS = {"": "LLMConfig", "model_loading_config": "ModelLoadingConfig", "lora_config": "LoraConfig"}


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        version = ray_version(workload.ray) if workload.ray is not None else None
        if version is not None and deployment.is_llm:
            yield from _unknown(deployment, version)


def _unknown(deployment: ServeDeployment, version: str) -> Iterator[Finding]:
    if "model_loading_config" not in deployment.options:
        return  # what a builder made under another name, and `deployments` lists
    for path, place in deployment.options.items():
        parent, _, name = path.rpartition(".")
        model = _MODELS.get(parent)
        known = options(model, version) if model and forbids_unknown(model, version) else None
        if model and known and name not in known:
            yield _finding(model, name, place, version)


def _finding(model: str, name: str, place: Origin, version: str) -> Finding:
    why, meant = unknown_key(model, name, version)
    return Finding(
        f"{name} {why}; {model} of Ray {version} refuses it" + (f"; {meant} is probably meant" if meant else ""),
        at=place,
        remedy=f"Write {meant} instead." if meant else f"Remove {name}, or use a version of Ray that has it.",
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Other than Serve's own schema, an LLMConfig refuses what it does not know: the application ends in "
    "DEPLOY_FAILED. What the engine is to know belongs under engine_kwargs.",
    remedy="Correct the name, or move the key under engine_kwargs or deployment_config.",
    sources=("Ray 2.44.0 to 2.60.0, llm/_internal/serve/core/configs/llm_config.py",),
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
                      deployment_config: {num_replicas: 1}
                      engine_args: {tensor_parallel_size: 1}  # fires
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
                      engine_kwargs: {tensor_parallel_size: 1}
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
