"""A Serve deployment has an option that this version of Ray does not know."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_version
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments, unknown_key
from controlplane.stack.facts import Origin
from controlplane.stack.model import Stack
from controlplane.stack.ray_tables import options
from controlplane.stack.serve import ServeDeployment

_MODELS = {
    "": "DeploymentSchema",
    "autoscaling_config": "AutoscalingConfig",
    "ray_actor_options": "RayActorOptionsSchema",
}
_OF_THE_DECORATOR = frozenset({"version", "deployment_actors"})
"""Options of `serve.deployment`, which takes those of an LLMConfig, beyond the schema's."""


def check(stack: Stack) -> Iterator[Finding]:
    for workload, deployment in serve_deployments(stack):
        version = ray_version(workload.ray) if workload.ray is not None else None
        if version is not None:
            yield from _unknown(deployment, version)


def _unknown(deployment: ServeDeployment, version: str) -> Iterator[Finding]:
    for path, place in deployment.options.items():
        model, name = _model_of(path, is_llm=deployment.is_llm)
        known = options(model, version) if model else None
        if known and name not in known and not (deployment.is_llm and name in _OF_THE_DECORATOR):
            # `serve.deployment` refuses what the schema of a Serve configuration would drop.
            refused = deployment.is_llm and model != "AutoscalingConfig"
            yield _finding(model, name, place, version, refused=refused)


def _model_of(path: str, *, is_llm: bool) -> tuple[str, str]:
    """Which of Ray's models a key belongs to, and the key; an empty model where it is none of these."""
    if is_llm:
        prefix, _, path = path.partition(".")
        if prefix != "deployment_config" or not path:
            return "", ""
    parent, _, name = path.rpartition(".")
    return _MODELS.get(parent, ""), name


def _finding(model: str, name: str, place: Origin, version: str, *, refused: bool) -> Finding:
    why, meant = unknown_key(model, name, version)
    return Finding(
        f"{name} {why}; Ray {version} {'refuses' if refused else 'ignores'} it"
        + (f"; {meant} is probably meant" if meant else ""),
        at=place,
        remedy=f"Write {meant} instead." if meant else f"Remove {name}, or use a version of Ray that has it.",
        severity=Severity.ERROR if refused else Severity.WARNING,
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve's schema takes keys that it does not know, so that old versions read configurations of new "
    "ones, and drops them without a word: a misspelt limit or bound leaves the default in force. What stands in the "
    "deployment_config of Serve LLM goes to `serve.deployment` instead, which raises an error.",
    remedy="Correct the name.",
    sources=("Ray 2.44.0 to 2.60.0, serve/schema.py and serve/config.py", "Ray 2.60.0, serve/api.py: deployment"),
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
                    num_replicas: 1
                    max_ongoing_request: 64  # fires
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
                      max_replicas: 2
                      target_num_ongoing_requests_per_replica: 8  # fires
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
                    autoscaling_config:
                      min_replicas: 1
                      max_replicas: 2
                      target_ongoing_requests: 8
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
