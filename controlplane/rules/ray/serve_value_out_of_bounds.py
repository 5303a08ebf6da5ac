"""A number of a Serve deployment lies outside what Serve takes."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Declared, Fact, Known
from controlplane.stack.model import Stack
from controlplane.stack.ray_tables import option
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        version = ray_version(workload.ray) if workload.ray is not None else None
        for model, name, fact in _numbers(deployment) if version is not None else ():
            if isinstance(fact, Known) and isinstance(fact.origin, Declared):
                wanted = _wanted(model, name, version or "", fact.value)
                if wanted:
                    yield _finding(name, fact, wanted)


def _numbers(deployment: ServeDeployment) -> Iterator[tuple[str, str, Fact[int] | Fact[float]]]:
    yield "DeploymentSchema", "max_ongoing_requests", deployment.max_ongoing_requests
    yield "DeploymentSchema", "max_queued_requests", deployment.max_queued_requests
    yield "DeploymentSchema", "health_check_period_s", deployment.health_check_period_s
    yield "DeploymentSchema", "health_check_timeout_s", deployment.health_check_timeout_s
    yield "DeploymentSchema", "graceful_shutdown_timeout_s", deployment.graceful_shutdown_timeout_s
    yield "AutoscalingConfig", "target_ongoing_requests", deployment.target_ongoing_requests
    yield "AutoscalingConfig", "initial_replicas", deployment.initial_replicas
    if deployment.autoscaled:
        yield "AutoscalingConfig", "min_replicas", deployment.replicas.min
        yield "AutoscalingConfig", "max_replicas", deployment.replicas.max
    else:
        yield "DeploymentSchema", "num_replicas", deployment.replicas.desired


def _wanted(model: str, name: str, version: str, value: float) -> str:
    """What Serve takes, where the value is something else."""
    if name == "max_queued_requests":
        return "" if value >= 1 or value == -1 else "-1 (no limit) or at least 1"
    if name == "num_replicas":
        return "" if value >= 1 else "at least 1"
    found = option(model, name, version)
    bounds = found.bounds if found is not None else None
    if bounds is not None and bounds.gt is not None and value <= bounds.gt:
        return f"more than {bounds.gt:g}"
    if bounds is not None and bounds.ge is not None and value < bounds.ge:
        return f"at least {bounds.ge:g}"
    return ""


def _finding(name: str, fact: Known[int] | Known[float], wanted: str) -> Finding:
    return Finding(
        f"{name} is {fact.value:g}; Serve takes {wanted} and refuses the deployment",
        at=fact,
        remedy=f"Set {name} to {wanted}.",
        evidence=(evidence(name, fact),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve validates the numbers of a deployment before it deploys it. None of them may be used to switch "
    "something off by 0: no replicas is an autoscaling config with min_replicas 0, and no limit of waiting requests "
    "is -1.",
    remedy="Set the number within its bounds.",
    sources=("Ray 2.44.0 to 2.60.0, serve/schema.py and serve/config.py",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 0  # fires
                    max_queued_requests: 0  # fires
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
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
                        image: rayproject/ray:2.60.0
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
                import_path: chat:app
                deployments:
                  - name: Chat
                    autoscaling_config: {min_replicas: 0, max_replicas: 1}
                    max_queued_requests: -1
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
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
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
