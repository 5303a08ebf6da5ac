"""Ray's autoscaler cannot tell how many CPUs a group has, and gives up."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled, ray_container, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import ABSENT
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster, group, pods in ray_groups(stack):
        container = ray_container(pods)
        if is_autoscaled(cluster) and group.believed.cpu == ABSENT and container is not None:
            yield Finding(
                f"group {group.name} has neither num-cpus nor a CPU limit or request; the autoscaler stops with "
                '"failed to detect CPU resources" and scales no group of this cluster',
                at=group.origin,
                otherwise=container.origin,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The autoscaler reads the CPUs of every group, the head's among them, from the manifest and raises an "
    "error where it finds none. One such group keeps the whole cluster at its minimum. A LimitRange does not help: "
    "it changes the pod, not the manifest.",
    remedy="Set a CPU limit or request on the group's first container, or num-cpus in its rayStartParams.",
    sources=("Ray 2.60.0, autoscaler/_private/kuberay/autoscaling_config.py: _get_num_cpus",),
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
            - groupName: gpu  # fires
              minReplicas: 0
              maxReplicas: 4
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {memory: 32Gi, nvidia.com/gpu: 1}}
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
            - groupName: gpu
              minReplicas: 0
              maxReplicas: 4
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
