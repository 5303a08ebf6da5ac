"""Ray's autoscaler does not see the GPUs of a worker group.

KubeRay and the autoscaler read the same pod by different code.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled, ray_container, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.gpu_resources import gpu_limits
from controlplane.stack.model import Stack
from controlplane.stack.pods import PodSet
from controlplane.stack.ray import RayGroup


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster, group, pods in ray_groups(stack):
        if is_autoscaled(cluster) and not group.is_head:
            yield from _blind(group, pods)


def _blind(group: RayGroup, pods: PodSet) -> Iterator[Finding]:
    told, believed = group.told.gpu, group.believed.gpu
    sees_none = believed == ABSENT or value_of(believed) == 0
    low, high = value_of(pods.count.min), value_of(pods.count.max)
    grows = low is None or high is None or low < high
    if not isinstance(told, Known) or told.value <= 0 or not sees_none or not grows:
        return
    name, place = _resource(pods)
    yield Finding(
        f"worker group {group.name} gives Ray {plural(told.value, 'GPU')} a pod from {name}, of which the autoscaler "
        "sees 0: it never starts a pod of this group for work that needs a GPU",
        at=place if isinstance(place, Known) else told,
        otherwise=group.origin,
        remedy=f'Set num-gpus to "{told.value:g}" in rayStartParams of the group.',
        evidence=(evidence("GPUs that Ray is told of", told), evidence("GPUs that the autoscaler sees", 0)),
    )


def _resource(pods: PodSet) -> tuple[str, object]:
    container = ray_container(pods)
    return (
        next(iter(gpu_limits(container).items()), ("its resources", None)) if container else ("its resources", None)
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="KubeRay tells Ray of MIG slices as GPUs; the autoscaler, which decides from the same manifest whether "
    "a pod of the group would help, counts only resources whose name ends in `gpu`. So work that needs a GPU waits "
    "for ever while the group stays at its minimum.",
    remedy="Set num-gpus in rayStartParams of the group: both read it.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/utils/util.go: IsGPUResourceKey",
        "Ray 2.60.0, autoscaler/_private/kuberay/autoscaling_config.py: _get_num_gpus",
    ),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: slices
              minReplicas: 0
              maxReplicas: 4
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources:
                        limits:
                          cpu: 8
                          memory: 32Gi
                          nvidia.com/mig-3g.40gb: 1  # fires
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: slices
              minReplicas: 0
              maxReplicas: 4
              rayStartParams: {num-gpus: "1"}
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources:
                        limits:
                          cpu: 8
                          memory: 32Gi
                          nvidia.com/mig-3g.40gb: 1
        """,
    ),
    check=check,
)
