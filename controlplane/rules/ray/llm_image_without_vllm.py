"""Serve LLM runs in an image that brings no vLLM."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.ray_arithmetic import is_patch, ray_container
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.serve import ServeApplication

_PLAIN = regex(r"(docker\.io/)?rayproject/ray(-ml)?(:[^/]*)?(@[^/]*)?")
_ENVIRONMENTS = ("runtime_env", "deployment_config.ray_actor_options.runtime_env")


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        if workload.serve is None or workload.ray is None or is_patch(workload):
            continue
        application = next((a for a in workload.serve.applications if _needs_vllm(a)), None)
        if application is not None:
            yield from _plain_images(workload, application)


def _needs_vllm(application: ServeApplication) -> bool:
    """Whether it runs Serve LLM and brings no packages of its own."""
    llms = [deployment for deployment in application.deployments if deployment.is_llm and deployment.engine]
    brought = any(name in deployment.options for deployment in llms for name in _ENVIRONMENTS)
    return bool(llms) and not brought and not application.has_runtime_env


def _plain_images(workload: Workload, application: ServeApplication) -> Iterator[Finding]:
    """The first plain image, where every group has one: with some others it is not certain where the engine runs."""
    containers = [ray_container(pods) for pods in workload.pod_sets]
    images = [container.image for container in containers if container is not None]
    plain = [image for image in images if isinstance(image, Known) and _PLAIN.fullmatch(image.value)]
    if plain and len(plain) == len(images):
        yield Finding(
            f"application {application.name} is Serve LLM, and the image {plain[0].value} has no vLLM in it",
            at=plain[0],
            remedy="Use rayproject/ray-llm of the same version.",
            related=((application.import_path, "Serve LLM is asked for here"),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="rayproject/ray holds Ray alone. ray.serve.llm imports vLLM when the application is built, which fails "
    "with `No module named vllm` and ends in DEPLOY_FAILED. The vLLM that a version of Ray works with is in "
    "rayproject/ray-llm.",
    remedy="Use rayproject/ray-llm of the same version.",
    sources=("Ray 2.60.0, llm/_internal/serve/engines/vllm/vllm_models.py: imports", "Docker Hub, rayproject/ray"),
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
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0  # fires
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
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
                    containers:
                      - name: ray-worker
                        image: rayproject/ray-llm:2.60.0-py311-cu128
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
