"""A Serve deployment's replicas have bounds that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Declared, Fact, Known, Unknown, Why
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray_tables import llm_defaults
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        if deployment.autoscaled:
            yield from _contradicting(deployment, _most(workload, deployment))


def _most(workload: Workload, deployment: ServeDeployment) -> Fact[int]:
    """max_replicas as written; Serve LLM's own default, which was 10 before Ray 2.49, where nobody wrote it."""
    written = deployment.replicas.max
    if not deployment.is_llm or (isinstance(written, Known) and isinstance(written.origin, Declared)):
        return written
    version = ray_version(workload.ray) if workload.ray is not None else None
    defaults = llm_defaults(version) if version is not None else None
    return written if defaults is not None and defaults.max_replicas == 1 else Unknown(Why.VERSION, "Ray's version")


def _contradicting(deployment: ServeDeployment, high: Fact[int]) -> Iterator[Finding]:
    low, first = deployment.replicas.min, deployment.initial_replicas
    if isinstance(low, Known) and isinstance(high, Known) and low.value > high.value:
        said = "" if isinstance(high.origin, Declared) else ", Serve's default"
        yield Finding(
            f"min_replicas is {low.value} and max_replicas {high.value}{said}; Serve refuses the deployment",
            at=low,
            otherwise=high,
            remedy=f"Set max_replicas to {low.value} or more.",
            evidence=(evidence("min_replicas", low), evidence("max_replicas", high)),
        )
    elif isinstance(first, Known) and isinstance(high, Known) and first.value > high.value:
        yield _initial(first, "max_replicas", high)
    elif isinstance(first, Known) and isinstance(low, Known) and first.value < low.value:
        yield _initial(first, "min_replicas", low)


def _initial(first: Known[int], name: str, bound: Known[int]) -> Finding:
    return Finding(
        f"initial_replicas is {first.value} and {name} {bound.value}; Serve refuses the deployment",
        at=first,
        remedy=f"Set initial_replicas to {bound.value}.",
        evidence=(evidence("initial_replicas", first), evidence(name, bound)),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="The bounds are checked when the application is deployed: it ends in DEPLOY_FAILED. max_replicas is 1 "
    "where it is not written, so a minimum of 2 alone is refused as well.",
    remedy="Set min_replicas, initial_replicas and max_replicas in rising order.",
    sources=("Ray 2.60.0, serve/config.py: AutoscalingConfig",),
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
                    autoscaling_config:
                      min_replicas: 2  # fires
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
                    autoscaling_config:
                      min_replicas: 1
                      initial_replicas: 4  # fires
                      max_replicas: 2
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
                    autoscaling_config: {min_replicas: 1, initial_replicas: 2, max_replicas: 2}
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
