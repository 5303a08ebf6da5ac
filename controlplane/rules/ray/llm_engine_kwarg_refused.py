"""An engine argument is set that Serve LLM sets itself and refuses from others."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.stack.engine import Engine
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.serve import ServeDeployment

_ELSEWHERE = {"model": "model_source", "served_model_name": "model_id"}


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        engine = _engine(workload, deployment)
        if deployment.is_llm and engine is not None:
            yield from _model(engine)
            yield from _executor(engine, deployment)
            yield from _statistics(engine, deployment)


def _engine(workload: Workload, deployment: ServeDeployment) -> Engine | None:
    if not deployment.engine:
        return None
    pair = (deployment.application, value_of(deployment.name))
    return next((engine for engine in workload.engines if engine.serve_deployment == pair), None)


def _model(engine: Engine) -> Iterator[Finding]:
    for argument in engine.written:
        field = _ELSEWHERE.get(argument.spelling)
        if field is not None:
            yield Finding(
                f"engine_kwargs sets {argument.spelling}; Serve LLM takes the model from model_loading_config and "
                "refuses it here",
                at=argument.key_origin,
                otherwise=engine.origin,
                remedy=f"Move it to model_loading_config.{field}.",
            )


def _executor(engine: Engine, deployment: ServeDeployment) -> Iterator[Finding]:
    backend = engine.arguments.get("distributed_executor_backend")
    if isinstance(backend, Known) and backend.value not in ("ray", None) and not _may_be_on_cpu(deployment):
        yield Finding(
            f"distributed_executor_backend is {backend.value}; Serve LLM runs its engines on Ray and refuses "
            "any other",
            at=backend,
            remedy="Remove distributed_executor_backend.",
        )


def _may_be_on_cpu(deployment: ServeDeployment) -> bool:
    group = deployment.placement_group
    bundles = value_of(group.bundles) if group is not None else None
    return "accelerator_config" in deployment.options or not any(
        "GPU" in bundle.resources for bundle in bundles or ()
    )


def _statistics(engine: Engine, deployment: ServeDeployment) -> Iterator[Finding]:
    off = engine.arguments.get("disable_log_stats")
    if isinstance(off, Known) and off.value is True and "log_engine_metrics" not in deployment.options:
        yield Finding(
            "disable_log_stats is true while log_engine_metrics is, by default, true too; Serve LLM refuses the two",
            at=off,
            remedy="Remove disable_log_stats, or set log_engine_metrics to false.",
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve LLM starts the engine with a model, an executor and statistics of its own choice, and raises an "
    "error where engine_kwargs say otherwise: the application ends in DEPLOY_FAILED, or its replicas never start.",
    remedy="Take the argument out of engine_kwargs.",
    sources=(
        "Ray 2.60.0, llm/_internal/serve/engines/vllm/vllm_models.py: get_initialization_kwargs",
        "Ray 2.60.0, llm/_internal/serve/core/configs/llm_config.py: _check_log_stats_with_metrics",
    ),
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
                      engine_kwargs:
                        distributed_executor_backend: mp  # fires
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
                      engine_kwargs:
                        tensor_parallel_size: 1
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
