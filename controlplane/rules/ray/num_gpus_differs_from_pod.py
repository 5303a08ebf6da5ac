"""Ray is told another number of GPUs than the pod has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import OVERWRITTEN_COMMAND, may_see_gpus_unasked, ray_container, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.facts import ABSENT, Fact, Known, value_of
from controlplane.stack.gpu_resources import gpu_limits, gpus_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import PodSet
from controlplane.stack.ray import RayGroup


def check(stack: Stack) -> Iterator[Finding]:
    for workload, _, group, pods in ray_groups(stack):
        told, has = _told(group), _has(pods)
        if isinstance(told, Known) and has is not None and OVERWRITTEN_COMMAND not in workload.annotations:
            yield from _differing(group, told, has, pods)


def _told(group: RayGroup) -> Fact[float]:
    """The number where somebody wrote one, at its place."""
    written = group.start_params.get("num-gpus") or group.resources.get("GPU") or group.resources.get("gpu")
    number = value_of(group.told.gpu)
    return Known(number, written.origin) if isinstance(written, Known) and number is not None else ABSENT


def _has(pods: PodSet) -> int | None:
    """The GPUs of the container that Ray runs in; None where that cannot be told."""
    container = ray_container(pods)
    if container is None or may_see_gpus_unasked(pods):
        return None
    return value_of(gpus_of([container])) if gpu_limits(container) else 0


def _differing(group: RayGroup, told: Known[float], has: int, pods: PodSet) -> Iterator[Finding]:
    if told.value == has:
        return
    container = ray_container(pods)
    place = next(iter(gpu_limits(container).values()), None) if container else None
    if told.value > has:
        fault = "Ray places work on GPUs that the pod does not have"
    else:
        fault = f"Ray leaves {plural(has - told.value, 'GPU')} of every pod idle"
    yield Finding(
        f"group {group.name} tells Ray of {plural(told.value, 'GPU')}, and its pod has {has}: {fault}",
        at=told,
        remedy=f"Set it to {has}, or remove it: KubeRay fills it in from the pod's limits.",
        evidence=(
            evidence("GPUs that Ray is told of", told.value, source=str(told.origin)),
            Evidence(
                "GPUs of the pod", has, str(place.origin) if isinstance(place, Known) else "no limit names a GPU"
            ),
        ),
        related=((place, "the pod's GPUs"),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Ray's GPUs are a number that it is told, and it hands out exactly that many. Told of more than there "
    "are, it starts an engine for which CUDA finds no device, or two on one; told of fewer, the rest is paid for and "
    "never used.",
    remedy="Remove num-gpus: KubeRay takes the number from the pod's limits.",
    sources=("KubeRay 1.6.2, controllers/ray/common/pod.go: addWellKnownAcceleratorResources",),
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
              rayStartParams:
                num-gpus: "4"  # fires
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          headGroupSpec:
            rayStartParams:
              num-gpus: "1"  # fires
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
              rayStartParams:
                num-gpus: "1"
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
