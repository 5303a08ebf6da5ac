"""The head of a RayService lists its ports, and none of them is named serve."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_patch, ray_container
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import listed
from controlplane.stack.model import Stack
from controlplane.stack.pods import Port

_SERVE_PORT = 8000


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        head = workload.pod_set("head") if workload.ref.kind == "RayService" and not is_patch(workload) else None
        container = ray_container(head) if head else None
        if container is None or workload.serve is None or workload.serve.has_own_service or not container.ports:
            continue
        names = [port.name for port in container.ports]
        if not any(name == "serve" or name.startswith("serve-") for name in names):
            yield Finding(
                f"the head's ports are {listed(port.name or port.number for port in container.ports)}; without one "
                "named serve KubeRay makes no Service for Ray Serve",
                at=_served(container.ports).origin,
                otherwise=container.origin,
            )


def _served(ports: tuple[Port, ...]) -> Port:
    """The port that Serve listens on, under whatever name; else the first."""
    return next((port for port in ports if port.number == _SERVE_PORT), ports[0])


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Where the head lists no ports, KubeRay assumes them all, `serve` included. Where it lists some, only "
    "those count, and without one named serve (or serve-…) the operator fails to make the Service that requests come "
    "through.",
    remedy="Add {containerPort: 8000, name: serve} to the head's ports.",
    sources=("KubeRay 1.6.2, controllers/ray/common/service.go: BuildServeService",),
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
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      ports:
                        - containerPort: 8265  # fires
                          name: dashboard
                      resources: {limits: {cpu: 4, memory: 16Gi}}
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
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      ports:
                        - containerPort: 8265
                          name: dashboard
                        - containerPort: 8000
                          name: serve
                      resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    check=check,
)
