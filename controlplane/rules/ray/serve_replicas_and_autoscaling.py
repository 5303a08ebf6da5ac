"""A Serve deployment has both a number of replicas and an autoscaling config."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, deployment in serve_deployments(stack):
        number = deployment.num_replicas
        if deployment.autoscaled and isinstance(number, Known):
            name = "deployment_config.autoscaling_config" if deployment.is_llm else "autoscaling_config"
            yield Finding(
                f"num_replicas is {number.value} and autoscaling_config is set too; Serve takes one of the two and "
                "refuses both",
                at=number,
                related=((deployment.options.get(name), "the autoscaling config"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="A fixed number and an autoscaler cannot both set the replicas. Serve refuses the configuration as a "
    "whole, so no application of it is deployed or changed.",
    remedy="Remove num_replicas, or set it to auto.",
    sources=("Ray 2.60.0, serve/schema.py: DeploymentSchema", "Ray 2.60.0, serve/api.py: deployment"),
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
                    num_replicas: 2  # fires
                    autoscaling_config: {min_replicas: 1, max_replicas: 2}
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
                    num_replicas: auto
                    autoscaling_config: {min_replicas: 1, max_replicas: 2}
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
