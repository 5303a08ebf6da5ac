"""A Serve deployment limits its replicas a node and has a placement group too."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, deployment in serve_deployments(stack):
        limit, group = deployment.max_replicas_per_node, deployment.placement_group
        if isinstance(limit, Known) and group is not None:
            yield Finding(
                f"max_replicas_per_node is {limit.value} and the replicas have a placement group; Serve refuses the "
                "two together",
                at=limit,
                related=((group.origin, "the placement group"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="The limit works through a hidden resource of each node that placement groups do not carry, so Serve "
    "refuses the configuration, and with it every application in it. Serve LLM always makes a placement group.",
    remedy="Remove max_replicas_per_node, and spread by the size of the bundles or of the pods.",
    sources=("Ray 2.60.0, serve/schema.py: DeploymentSchema",),
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
                    num_replicas: 2
                    max_replicas_per_node: 1  # fires
                    placement_group_bundles: [{CPU: 1, GPU: 1}]
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
                    num_replicas: 2
                    placement_group_bundles: [{CPU: 1, GPU: 4}]
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
