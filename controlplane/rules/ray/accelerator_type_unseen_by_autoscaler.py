"""Replicas ask for an accelerator type that Ray's autoscaler does not know any group to have."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayGroup
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        if workload.ray is not None and is_autoscaled(workload.ray):
            yield from _unseen(workload, deployment)


def _unseen(workload: Workload, deployment: ServeDeployment) -> Iterator[Finding]:
    wanted = deployment.accelerator_type
    if not isinstance(wanted, Known) or workload.ray is None:
        return
    growing = [group for group in workload.ray.workers if _has_gpus(group) and _grows(workload, group)]
    name = f"accelerator_type:{wanted.value}"
    # With a worker there from the start, version 1 of the autoscaler learns the type from it.
    if not growing or any(_knows(group, name) or not _starts_empty(workload, group) for group in growing):
        return
    yield Finding(
        f"the replicas ask for accelerator_type {wanted.value}, and the autoscaler knows no group to have it: "
        f"{listed(group.name for group in growing)} can grow from 0 workers and never does",
        at=wanted,
        otherwise=deployment.origin,
        remedy=f"Add resources: '''{{\"{name}\": 1}}''' to rayStartParams of the group, or leave the type out.",
        evidence=(evidence("accelerator_type", wanted),),
        related=tuple((group.origin, f"group {group.name}") for group in growing),
    )


def _has_gpus(group: RayGroup) -> bool:
    gpus = value_of(group.told.gpu)
    return gpus is not None and gpus > 0


def _grows(workload: Workload, group: RayGroup) -> bool:
    pods = workload.pod_set(group.name)
    high = value_of(pods.count.max) if pods else None
    return high is None or high > 0


def _starts_empty(workload: Workload, group: RayGroup) -> bool:
    pods = workload.pod_set(group.name)
    return pods is not None and value_of(pods.count.min) == 0 and value_of(pods.count.desired) == 0


def _knows(group: RayGroup, name: str) -> bool:
    """Whether the autoscaler knows of the type, or it cannot be told what it knows."""
    return name in group.believed.custom or ("resources" in group.start_params and not group.believed.custom)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="A running node has accelerator_type:X because Ray finds the GPU there. The autoscaler decides from "
    "the manifest alone whether a node of a group would help, finds no such resource there and calls the demand "
    "infeasible, so a group that starts at 0 stays at 0.",
    remedy="Name the type among the group's custom resources, or leave accelerator_type out.",
    sources=(
        "Ray 2.60.0, autoscaler/v2/scheduler.py, asked for a bundle of 1 GPU and accelerator_type:L4",
        "Ray 2.60.0, autoscaler/_private/kuberay/autoscaling_config.py: _get_custom_resources",
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
                      accelerator_type: L4  # fires
                      deployment_config: {num_replicas: 1}
          rayClusterConfig:
            rayVersion: 2.60.0
            enableInTreeAutoscaling: true
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray-llm:2.60.0-py311-cu128
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                minReplicas: 0
                maxReplicas: 4
                template:
                  spec:
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
            enableInTreeAutoscaling: true
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray-llm:2.60.0-py311-cu128
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                minReplicas: 0
                maxReplicas: 4
                rayStartParams:
                  resources: '''{"accelerator_type:L4": 1}'''
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
