"""Fault tolerance of Ray's global control store is configured in two ways at once, or only half."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_container, ray_workloads
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.stack.facts import ABSENT, Known, Origin, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container
from controlplane.stack.ray import GcsFaultTolerance, RayCluster

_ADDRESS = "RAY_REDIS_ADDRESS"
_TOGETHER = {_ADDRESS: "redisAddress", "REDIS_PASSWORD": "redisPassword"}
"""Variables of the head that the options take the place of."""


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        pods = workload.pod_set(cluster.head.name)
        container = ray_container(pods) if pods else None
        if isinstance(cluster.gcs.options, Known):
            yield from _beside_options(cluster, container)
            yield from _without_address(cluster.gcs, container)
        else:
            yield from _without_options(workload, cluster.gcs, container)


def _beside_options(cluster: RayCluster, container: Container | None) -> Iterator[Finding]:
    options = cluster.gcs.options
    if value_of(cluster.gcs.annotation):
        yield _twice("the annotation ray.io/ft-enabled", cluster.gcs.annotation, "Remove the annotation", options)
    password = cluster.head.start_params.get("redis-password")
    if isinstance(password, Known) and password.value:
        yield _twice("redis-password in rayStartParams", password, "Move it to redisPassword", options)
    for name, field in _TOGETHER.items():
        place = _variable(container, name)
        if place is not None:
            yield _twice(f"the head's variable {name}", place, f"Move its value to {field}", options)


def _without_address(gcs: GcsFaultTolerance, container: Container | None) -> Iterator[Finding]:
    is_redis = gcs.backend == ABSENT or value_of(gcs.backend) == "redis"
    if is_redis and gcs.redis_address == ABSENT and _variable(container, _ADDRESS) is None:
        yield Finding(
            "gcsFaultToleranceOptions has no redisAddress: the head's state is kept nowhere but in its memory",
            at=gcs.options,
            remedy="Set redisAddress in gcsFaultToleranceOptions.",
        )


def _twice(what: str, place: Place, remedy: str, options: Place) -> Finding:
    return Finding(
        f"{what} is set beside gcsFaultToleranceOptions; KubeRay takes only the options and refuses the cluster",
        at=place,
        remedy=f"{remedy} in gcsFaultToleranceOptions." if "Move" in remedy else f"{remedy}.",
        related=((options, "the options are set here"),),
    )


def _without_options(workload: Workload, gcs: GcsFaultTolerance, container: Container | None) -> Iterator[Finding]:
    if gcs.options != ABSENT or (gcs.annotation != ABSENT and value_of(gcs.annotation) is None):
        return
    enabled = (value_of(gcs.annotation) or "").lower() == "true"
    address = _variable(container, _ADDRESS)
    if address is not None and not enabled:
        yield Finding(
            f"the head sets {_ADDRESS} without gcsFaultToleranceOptions; KubeRay refuses the cluster",
            at=address,
            remedy="Set gcsFaultToleranceOptions.redisAddress to the address and remove the variable.",
        )
    elif enabled and address is None and container is not None and not container.env_from:
        yield Finding(
            f"the annotation ray.io/ft-enabled is true and the head has no {_ADDRESS}; the head keeps its state in "
            "memory and loses it with the pod",
            at=gcs.annotation,
            otherwise=workload.origin,
            remedy="Replace the annotation by gcsFaultToleranceOptions with a redisAddress.",
            severity=Severity.WARNING,
        )


def _variable(container: Container | None, name: str) -> Origin | None:
    found = (variable for variable in (container.env if container else ()) if variable.name == name)
    return next((v.origin or (v.value.origin if isinstance(v.value, Known) else None) for v in found), None)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="There is an old way, by annotation and variables, and gcsFaultToleranceOptions. The operator refuses "
    "a mixture and makes no pod. Where only the annotation is there, the cluster comes up and the state of the head "
    "is nowhere but in its memory, which shows when the head dies.",
    remedy="Use gcsFaultToleranceOptions alone.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayClusterSpec",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          gcsFaultToleranceOptions:
            redisAddress: redis.llm:6379
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    env:
                      - name: RAY_REDIS_ADDRESS  # fires
                        value: redis.llm:6379
                    resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata:
          name: chat
          annotations:
            ray.io/ft-enabled: "true"  # fires
        spec:
          rayVersion: 2.60.0
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          gcsFaultToleranceOptions:  # fires
            externalStorageNamespace: chat
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          gcsFaultToleranceOptions:
            redisAddress: redis.llm:6379
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    check=check,
)
