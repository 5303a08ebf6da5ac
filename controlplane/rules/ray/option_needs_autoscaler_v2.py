"""A worker group uses an option that only version 2 of Ray's autoscaler knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_container, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster, RayGroup

_VARIABLE = "RAY_enable_autoscaler_v2"


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster, group, _ in ray_groups(stack):
        if _may_be_version_2(workload, cluster):
            continue
        for name, fact in (("idleTimeoutSeconds", group.idle_timeout_seconds), ("priority", _set(group.priority))):
            if isinstance(fact, Known):
                yield _finding(group, name, fact, cluster.autoscaling.version)


def _set(priority: Fact[int]) -> Fact[int]:
    """A priority other than 0, which is the default."""
    return ABSENT if value_of(priority) == 0 else priority


def _may_be_version_2(workload: Workload, cluster: RayCluster) -> bool:
    version = cluster.autoscaling.version
    if value_of(version) == "v2" or (isinstance(version, Unknown) and version != ABSENT):
        return True
    pods = workload.pod_set(cluster.head.name)
    container = ray_container(pods) if pods else None
    if container is None or container.env_from:
        return True
    return any(v.name == _VARIABLE and _is_on(v.value) for v in container.env)


def _is_on(value: Fact[Any]) -> bool:
    """Whether the variable turns version 2 on, or may do so."""
    return value_of(value) in (None, "1", "true")


def _finding(group: RayGroup, name: str, fact: Known[int], version: Fact[str]) -> Finding:
    known = value_of(version)
    now = f"is {known}" if known else "is not set"
    return Finding(
        f"worker group {group.name} sets {name} to {fact.value}, which needs version v2 of the autoscaler; "
        f"autoscalerOptions.version {now}, and KubeRay refuses the cluster",
        at=fact,
        remedy=f"Set autoscalerOptions.version to v2, or remove {name} from the group.",
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The operator refuses a group's idleTimeoutSeconds or priority unless autoscalerOptions.version says "
    "v2 (or the head sets RAY_enable_autoscaler_v2). That Ray 2.47 and later run version 2 by default does not "
    "count: the operator looks at the field.",
    remedy="Set autoscalerOptions.version to v2.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/utils/validation.go: validateWorkerGroupIdleTimeout",
        "KubeRay 1.7.0, the same file: validateWorkerGroupPriority",
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
            - groupName: gpu
              minReplicas: 0
              maxReplicas: 4
              idleTimeoutSeconds: 600  # fires
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
          enableInTreeAutoscaling: true
          autoscalerOptions: {version: v2}
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
              idleTimeoutSeconds: 600
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
