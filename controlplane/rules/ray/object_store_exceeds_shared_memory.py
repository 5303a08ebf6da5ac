"""Ray's object store is larger than the shared memory of its pod."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import OVERWRITTEN_COMMAND, ray_container, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container, EmptyDir, PodSet
from controlplane.stack.ray import RayGroup

_REFUSED_ABOVE = 10**10
"""Bytes above which Ray refuses to start rather than keep the store on disk (2.60, REQUIRE_SHM_SIZE_THRESHOLD)."""

_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the path inside a pod

_ALLOWED_BY = "RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE"


def check(stack: Stack) -> Iterator[Finding]:
    for workload, _, group, pods in ray_groups(stack):
        if OVERWRITTEN_COMMAND not in workload.annotations and "plasma-directory" not in group.start_params:
            yield from _exceeding(group, pods)


def _exceeding(group: RayGroup, pods: PodSet) -> Iterator[Finding]:
    store, container = group.start_params.get("object-store-memory"), ray_container(pods)
    if not isinstance(store, Known) or not store.value.isdigit() or container is None:
        return
    shared, wanted = _shared_memory(pods, container), int(store.value)
    if not isinstance(shared, Known) or wanted <= shared.value.value:
        return
    refused = wanted > _REFUSED_ABOVE and not any(v.name == _ALLOWED_BY for v in container.env)
    consequence = "Ray refuses to start" if refused else "Ray keeps its objects on disk instead"
    yield Finding(
        f"group {group.name} asks for an object store of {wanted / 2**30:.4g} GiB, and the pod's /dev/shm has "
        f"{shared.value.canonical()}: {consequence}",
        at=store,
        remedy=f"Set object-store-memory to less than {int(shared.value.value)}, or give the pod more memory.",
        evidence=(evidence("size of /dev/shm", shared.value.canonical(), source=str(shared.origin)),),
        related=((shared, "the size of /dev/shm follows from this"),),
        severity=Severity.ERROR if refused else Severity.WARNING,
    )


def _shared_memory(pods: PodSet, container: Container) -> Fact[Quantity]:
    """The size of /dev/shm: its own volume's, or the one KubeRay makes of the memory limit, else the request."""
    mount = next((mount for mount in container.mounts if mount.path.rstrip("/") == _SHARED_MEMORY), None)
    if mount is None:
        return container.limits.get("memory") or container.requests.get("memory") or ABSENT
    volume = next((volume for volume in pods.volumes if volume.name == mount.volume), None)
    if volume is not None and isinstance(volume.source, Known) and isinstance(volume.source.value, EmptyDir):
        return volume.source.value.size_limit
    return Unknown(Why.UNRESOLVED, "the volume of /dev/shm")


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The object store lies in /dev/shm, for which KubeRay makes a volume of the size of the container's "
    "memory limit, or of its request where there is no limit. A larger store does not fit: above 10 GB `ray start` "
    "ends with an error and the pod restarts for ever, below it Ray falls back to the disk, and all is slow.",
    remedy="Make the object store smaller than the pod's memory.",
    sources=(
        "Ray 2.60.0, _private/services.py: determine_plasma_store_config",
        "KubeRay 1.6.2, controllers/ray/common/pod.go: makeEmptyDirVolume, findMemoryReqOrLimit",
    ),
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
            - groupName: workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                object-store-memory: "21474836480"  # fires
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
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
            - groupName: workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                object-store-memory: "2147483648"
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    check=check,
)
