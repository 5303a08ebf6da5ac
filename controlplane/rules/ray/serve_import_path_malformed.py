"""A Serve application's import path names no attribute of a module."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        for application in workload.serve.applications if workload.serve else ():
            path = application.import_path
            if isinstance(path, Known) and not _is_well_formed(path.value):
                yield Finding(
                    f"the import path {path.value} is not of the form module:attribute; Serve refuses the whole "
                    "configuration",
                    at=path,
                )


def _is_well_formed(path: str) -> bool:
    """As Serve asks: one colon at most, or a dot instead of it, and something on either side."""
    separator = ":" if ":" in path else "."
    module, found, attribute = path.rpartition(separator)
    return bool(found and module and attribute) and path.count(":") <= 1


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve checks the form of every import path before it deploys anything, and refuses the configuration "
    "as a whole, so that none of its applications is deployed or changed.",
    remedy="Write module:attribute, such as chat.serving:app.",
    sources=("Ray 2.60.0, serve/schema.py: ServeApplicationSchema.import_path_format_valid",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: app  # fires
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
                import_path: chat.serving:app
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
