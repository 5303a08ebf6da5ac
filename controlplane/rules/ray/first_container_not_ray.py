"""A sidecar stands before the Ray container of a group."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.ray_arithmetic import ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container

_RAY_IMAGE = regex(r"(?:[^/]+/)*rayproject/[^/]+")
_RAY_NAME = regex(r"ray-(?:head|worker|node|container)(?:-.*)?|ray")


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, group, pods in ray_groups(stack):
        first = pods.containers[0] if pods.containers else None
        if first is None or not _is_sidecar(first):
            continue
        for container in pods.containers[1:]:
            if _is_rays(container):
                yield Finding(
                    f"group {group.name} lists container {first.name} before {container.name}; KubeRay takes the "
                    f"first for Ray's: it starts Ray in {first.name}, and counts the resources of that one",
                    at=first.origin,
                    otherwise=group.origin,
                    remedy=f"Move {container.name} to the front.",
                    evidence=(evidence("first container", first.name, source=str(first.origin)),),
                    related=((container.origin, "is Ray's container"),),
                )
                break


def _is_rays(container: Container) -> bool:
    """Whether a container is plainly meant for Ray."""
    image = container.image.value if isinstance(container.image, Known) else ""
    return bool(_RAY_IMAGE.fullmatch(image) or _RAY_NAME.fullmatch(container.name))


def _is_sidecar(container: Container) -> bool:
    """Whether nothing about a container speaks of Ray; an image that is not known may be anything."""
    if not isinstance(container.image, Known):
        return False
    return "ray" not in container.name.casefold() and "ray" not in container.image.value.casefold()


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="KubeRay puts `ray start` into the first container and tells Ray that one's limits, whatever the names "
    "and images are. A sidecar in front gets Ray's command, which its image does not have, and the group never comes "
    "up. Told only where nothing of the first container speaks of Ray and another one plainly is Ray's.",
    remedy="List the Ray container first.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/constant.go: RayContainerIndex is 0",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
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
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              template:
                spec:
                  containers:
                    - name: log-shipper  # fires
                      image: registry.example/shipper:1.0
                      resources: {limits: {cpu: 1, memory: 2Gi}}
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
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
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi}}
                    - name: log-shipper
                      image: registry.example/shipper:1.0
                      resources: {limits: {cpu: 1, memory: 2Gi}}
        """,
    ),
    check=check,
)
