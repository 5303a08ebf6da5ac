"""A group says its resources both in rayStartParams and in resources."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import listed
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_RESOURCE_PARAMS = ("num-cpus", "num-gpus", "memory", "resources")


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, group, _ in ray_groups(stack):
        written = {name: group.start_params.get(name) for name in _RESOURCE_PARAMS}
        both = {name: fact for name, fact in written.items() if isinstance(fact, Known) and fact.value}
        if both and group.resources:
            name, first = next(iter(both.items()))
            yield Finding(
                f"group {group.name} sets {listed(both)} in rayStartParams and {listed(sorted(group.resources))} "
                "in resources; KubeRay takes one of the two places and refuses both",
                at=first,
                remedy=f"Remove {name} from rayStartParams and say it in resources.",
                related=((next(iter(group.resources.values())), "resources is set too"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The operator refuses a cluster in which a group has num-cpus, num-gpus, memory or resources among its "
    "rayStartParams and `resources` besides; no pod is made.",
    remedy="Keep one of the two places.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: validateRayGroupResources",),
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
                num-gpus: "1"  # fires
              resources: {CPU: "8"}
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
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
              resources: {CPU: "8", GPU: "1"}
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
