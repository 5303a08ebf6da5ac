"""A deployment of Serve LLM has an autoscaling config without a target, and never scales up."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray_tables import llm_defaults
from controlplane.stack.serve import ServeDeployment

_OUT_OF_REACH = 1_000_000
"""Requests in flight that no replica ever has: the default was 10 before Ray 2.49."""

_POLICY = "deployment_config.autoscaling_config.policy"
_NUMBER = "deployment_config.num_replicas"


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        target = _default_target(workload)
        low, high = value_of(deployment.replicas.min), value_of(deployment.replicas.max)
        if low is None or high is None or low >= high or not _is_left_to_default(deployment):
            continue
        if target is None or target < _OUT_OF_REACH:
            continue
        yield Finding(
            f"the deployment may grow from {low} to {high} replicas and has no target_ongoing_requests; Serve LLM's "
            f"default is {target} requests a replica, so it stays at its minimum whatever the load",
            at=deployment.options.get("deployment_config.autoscaling_config"),
            otherwise=deployment.origin,
            evidence=(Evidence("target_ongoing_requests", target, "Serve LLM's default in this version of Ray"),),
        )


def _default_target(workload: Workload) -> int | None:
    version = ray_version(workload.ray) if workload.ray is not None else None
    defaults = llm_defaults(version) if version is not None else None
    return defaults.target_ongoing_requests if defaults is not None else None


def _is_left_to_default(deployment: ServeDeployment) -> bool:
    """Whether Serve LLM's own target is in force: `num_replicas: auto` brings another, a policy may need none."""
    written = deployment.options
    return (
        deployment.is_llm
        and deployment.autoscaled
        and deployment.target_ongoing_requests == ABSENT
        and "deployment_config.autoscaling_config" in written
        and "deployment_config.autoscaling_config.target_ongoing_requests" not in written
        and "deployment_config.autoscaling_config.target_num_ongoing_requests_per_replica" not in written
        and _POLICY not in written
        and _NUMBER not in written
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve adds replicas when more requests are in flight than the target. Plain Serve's default is 2; "
    "Serve LLM puts 1e9 in its place so that the engine, not Serve, queues. An autoscaling config without a target "
    "looks complete and does nothing, while requests wait in the engine.",
    remedy="Set target_ongoing_requests, somewhat below the sequences that one engine runs at a time.",
    sources=("Ray 2.60.0, llm/_internal/serve/core/server/builder.py and constants.py",),
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
                        autoscaling_config:  # fires
                          min_replicas: 1
                          max_replicas: 2
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
                      deployment_config:
                        autoscaling_config:
                          min_replicas: 1
                          max_replicas: 2
                          target_ongoing_requests: 64
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
