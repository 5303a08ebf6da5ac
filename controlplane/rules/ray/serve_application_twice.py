"""Two Serve applications have one name or one route."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.stack.facts import Declared, Known
from controlplane.stack.model import Stack
from controlplane.stack.serve import Serve, ServeApplication


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        if workload.serve is not None:
            yield from _same_names(workload.serve)
            yield from _same_routes(workload.serve)


def _same_names(serve: Serve) -> Iterator[Finding]:
    first: dict[str, Place] = {}
    for application in serve.applications:
        if application.name in first:
            yield _finding("application", application.name, application.origin, first[application.name])
        first.setdefault(application.name, application.origin)


def _same_routes(serve: Serve) -> Iterator[Finding]:
    first: dict[str, Place] = {}
    for application in serve.applications:
        route = application.route_prefix
        if isinstance(route, Known):
            if route.value in first:
                yield _finding("route_prefix", route.value, _place(application), first[route.value])
            first.setdefault(route.value, _place(application))


def _place(application: ServeApplication) -> Place:
    """Where the route is written, else the application that has the default one."""
    route = application.route_prefix
    return route if isinstance(route, Known) and isinstance(route.origin, Declared) else application.origin


def _finding(what: str, value: str, place: Place, first: Place) -> Finding:
    return Finding(
        f"a second application has the {what} {value}; Serve refuses the whole configuration",
        at=place,
        remedy=f"Give the second application another {'name' if what == 'application' else what}.",
        related=((first, f"the first {what} {value}"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Applications are told apart by their names and requests by their routes. Serve refuses a "
    "configuration in which either occurs twice, so none of its applications is deployed or changed.",
    remedy="Give every application a name and a route of its own.",
    sources=("Ray 2.60.0, serve/schema.py: ServeDeploySchema",),
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
                route_prefix: /
              - name: embed
                import_path: embed:app
                route_prefix: /  # fires
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
                route_prefix: /chat
              - name: chat  # fires
                import_path: embed:app
                route_prefix: /embed
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
                route_prefix: /chat
              - name: embed
                import_path: embed:app
                route_prefix: /embed
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
