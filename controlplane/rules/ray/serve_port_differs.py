"""Serve listens on another port than the one that KubeRay probes and sends traffic to."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import is_patch, ray_container
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.stack.facts import ABSENT, value_of, value_or
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, PodSet, Port
from controlplane.stack.serve import Serve

_DEFAULT = 8000


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        if workload.ref.kind == "RayService" and workload.serve is not None and not is_patch(workload):
            listens = _listens_on(workload, workload.serve)
            if listens is not None:
                yield from _elsewhere(workload, workload.serve, listens)


def _listens_on(workload: Workload, serve: Serve) -> int | None:
    """The port of Serve's proxies; None where it is not known."""
    head = workload.pod_set("head")
    container = ray_container(head) if head else None
    if not serve.complete or container is None or container.env_from:
        return None
    if any(v.name.startswith("RAY_SERVE") and "PORT" in v.name for v in container.env):
        return None
    return _DEFAULT if serve.http_port == ABSENT else value_of(serve.http_port)


def _elsewhere(workload: Workload, serve: Serve, listens: int) -> Iterator[Finding]:
    head_only = value_or(serve.proxy_location, "") in ("HeadOnly", "Disabled")
    for pods in workload.pod_sets:
        container = ray_container(pods)
        if container is None or (pods.name != "head" and (head_only or container.readiness_probe is not None)):
            continue
        port = _named(container)
        expected = port.number if port is not None else _DEFAULT
        if expected in (0, listens) or (pods.name == "head" and _has_no_service(container, serve)):
            continue
        yield _finding(pods, container, port, expected, listens, serve)


def _named(container: Container) -> Port | None:
    return next((port for port in container.ports if port.name == "serve"), None)


def _has_no_service(container: Container, serve: Serve) -> bool:
    """Whether the head's ports make no Serve Service: another rule's finding, or the user's own Service."""
    return serve.has_own_service or (bool(container.ports) and _named(container) is None)


def _finding(
    pods: PodSet, container: Container, port: Port | None, expected: int, listens: int, serve: Serve
) -> Finding:
    who = "the head" if pods.name == "head" else f"group {pods.name}"
    effect = "the Serve Service sends requests there" if pods.name == "head" else "no worker ever becomes ready"
    said = "its port named serve" if port is not None else "KubeRay's default, as it names no port serve"
    place: Place = port.origin if port is not None else None
    return Finding(
        f"Serve listens on {listens}, and for {who} KubeRay takes {expected} ({said}): {effect}",
        at=place,
        otherwise=container.origin,
        remedy=f"Name containerPort {listens} serve in {who}, or set http_options.port to {expected}.",
        evidence=(
            Evidence("port of Serve", listens, "http_options.port, or Serve's default"),
            Evidence("port that KubeRay takes", expected, said),
        ),
        related=((serve.http_port, "Serve's port"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The operator does not read Serve's configuration for the port: it takes the container port that is "
    "named `serve`, or 8000. With another port in http_options the workers' readiness probe asks a closed port for "
    "ever, and the Service leads to one.",
    remedy="Use one port in http_options and for the container port named serve, in the head and in every group.",
    sources=("KubeRay 1.6.2, controllers/ray/common/pod.go: initLivenessAndReadinessProbe, and service.go",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            http_options: {port: 9000}
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
                      ports: [{containerPort: 9000, name: serve}]
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: workers
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    containers:
                      - name: ray-worker  # fires
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            http_options: {port: 9000}
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
                      ports: [{containerPort: 9000, name: serve}]
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: workers
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        ports: [{containerPort: 9000, name: serve}]
                        resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    check=check,
)
