"""The vLLM that is wanted is not the one that this version of Ray's own image has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import ray_container, ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Declared, Fact, Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray_tables import VersionRange, vllm_of_ray
from controlplane.stack.readers.ray_images import is_ray_llm_image
from controlplane.stack.versions import VERSION_ANNOTATION


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        wanted = _annotated(workload)
        if wanted is not None and any(engine.serve_deployment != ("", "") for engine in workload.engines):
            yield from _another(workload, wanted)


def _annotated(workload: Workload) -> str | None:
    return workload.annotations.get(VERSION_ANNOTATION)


def _another(workload: Workload, wanted: str) -> Iterator[Finding]:
    version = ray_version(workload.ray) if workload.ray is not None else None
    lock, image = vllm_of_ray(version) if version is not None else None, _llm_image(workload)
    if lock is None or image is None or lock.admits(wanted) is not False:
        return
    engine = next(engine for engine in workload.engines if engine.serve_deployment != ("", ""))
    place = (
        engine.version if isinstance(engine.version, Known) and isinstance(engine.version.origin, Declared) else None
    )
    yield Finding(
        f"vLLM {wanted} is wanted, and rayproject/ray-llm {version} has vLLM {_words(lock)}",
        at=place,
        otherwise=workload.origin,
        remedy=f"Use a Ray whose image has vLLM {wanted}, or vLLM {_words(lock)}.",
        evidence=(Evidence("vLLM of ray[llm]", lock.text, f"the requirements of Ray {version}"),),
        related=((image, "the image"),),
    )


def _words(lock: VersionRange) -> str:
    return lock.least if lock.exact else f"{lock.least} or later"


def _llm_image(workload: Workload) -> Fact[str] | None:
    containers = [ray_container(pods) for pods in workload.pod_sets]
    return next((c.image for c in containers if c is not None and is_ray_llm_image(c.image)), None)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="ray[llm] requires one vLLM, or one from some release on, and the image has it. Serve LLM imports "
    "names of that vLLM: with another one under it the application fails at import, and what is known of another "
    "version's arguments does not hold for this one.",
    remedy="Choose Ray and vLLM together.",
    sources=("Ray 2.44.0 to 2.60.0, requirements of ray[llm]",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata:
          name: chat
          annotations:
            controlplane.dev/vllm-version: 0.33.0  # fires
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
        metadata:
          name: chat
          annotations:
            controlplane.dev/vllm-version: 0.29.0
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
