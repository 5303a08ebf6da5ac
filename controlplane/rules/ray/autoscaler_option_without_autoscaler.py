"""Options for Ray's autoscaler are set, and the autoscaler is off."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_not_autoscaled, ray_container, ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster

_VARIABLE = "RAY_enable_autoscaler_v2"


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        if not is_not_autoscaled(cluster):
            continue
        if isinstance(cluster.autoscaling.options, Known):
            yield Finding(
                "autoscalerOptions is set, and enableInTreeAutoscaling is not: no autoscaler is started and the "
                "options have no effect",
                at=cluster.autoscaling.options,
            )
        yield from _refused(workload, cluster)


def _refused(workload: Workload, cluster: RayCluster) -> Iterator[Finding]:
    pods = workload.pod_set(cluster.head.name)
    container = ray_container(pods) if pods else None
    for variable in container.env if container else ():
        value = variable.value
        if variable.name == _VARIABLE and isinstance(value, Known) and str(value.value) in ("1", "true"):
            yield Finding(
                f"the head sets {_VARIABLE}, and enableInTreeAutoscaling is not set: KubeRay refuses the cluster",
                at=value,
                otherwise=variable.origin,
                severity=Severity.ERROR,
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="KubeRay starts the autoscaler's container only where enableInTreeAutoscaling is true. Options without "
    "it are taken and ignored, so the cluster keeps its size for ever; the variable RAY_enable_autoscaler_v2 without "
    "it makes the operator refuse the cluster.",
    remedy="Set enableInTreeAutoscaling to true, or remove the options.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go and controllers/ray/common/pod.go",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          autoscalerOptions:  # fires
            idleTimeoutSeconds: 300
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
              maxReplicas: 4
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
          autoscalerOptions:
            idleTimeoutSeconds: 300
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: gpu
              minReplicas: 1
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
