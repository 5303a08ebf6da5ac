"""A RayService asks for an incremental upgrade without what that needs."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_not_autoscaled, ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.ray import RayCluster

INCREMENTAL = "NewClusterWithIncrementalUpgrade"
_NEEDED = ("stepSizePercent", "intervalSeconds", "gatewayClassName")


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        if workload.ref.kind == "RayService" and value_of(cluster.upgrade) == INCREMENTAL:
            yield from _incomplete(cluster)


def _incomplete(cluster: RayCluster) -> Iterator[Finding]:
    if is_not_autoscaled(cluster):
        yield Finding(
            "an incremental upgrade needs Ray's autoscaler, and enableInTreeAutoscaling is not set; KubeRay refuses "
            "the service",
            at=cluster.upgrade,
            remedy="Set rayClusterConfig.enableInTreeAutoscaling to true.",
        )
    missing = [name for name in _NEEDED if cluster.upgrade_options.get(name, ABSENT) == ABSENT]
    if missing:
        yield Finding(
            f"an incremental upgrade needs {listed(missing)} in clusterUpgradeOptions, which is not set; KubeRay "
            "refuses the service",
            at=cluster.upgrade,
            remedy=f"Set {listed(missing)} in upgradeStrategy.clusterUpgradeOptions.",
        )
    yield from _steps(cluster)


def _steps(cluster: RayCluster) -> Iterator[Finding]:
    step = cluster.upgrade_options.get("stepSizePercent", ABSENT)
    surge = cluster.upgrade_options.get("maxSurgePercent", ABSENT)
    largest = 100 if surge == ABSENT else value_of(surge)
    if isinstance(step, Known) and isinstance(step.value, int) and isinstance(largest, int) and step.value > largest:
        yield Finding(
            f"stepSizePercent is {step.value} and maxSurgePercent {largest}; a step may not be larger than the surge",
            at=step,
            remedy=f"Set stepSizePercent to {largest} or less.",
            evidence=(evidence("stepSizePercent", step.value, source=str(step.origin)),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The operator moves traffic by steps from the old cluster to the new one through a Gateway, while "
    "Ray's autoscaler grows the one and shrinks the other. It refuses the service while a part of that is missing, "
    "and the service then has no cluster at all.",
    remedy="Turn the autoscaler on and set stepSizePercent, intervalSeconds and gatewayClassName.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateClusterUpgradeOptions",
        "KubeRay 1.7.0, the same place: the step is compared with the surge",
    ),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          upgradeStrategy:
            type: NewClusterWithIncrementalUpgrade  # fires
            clusterUpgradeOptions:
              stepSizePercent: 10
              intervalSeconds: 30
          rayClusterConfig:
            rayVersion: 2.60.0
            enableInTreeAutoscaling: true
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
        kind: RayService
        metadata: {name: chat}
        spec:
          upgradeStrategy:
            type: NewClusterWithIncrementalUpgrade
            clusterUpgradeOptions:
              maxSurgePercent: 20
              stepSizePercent: 50  # fires
              intervalSeconds: 30
              gatewayClassName: istio
          rayClusterConfig:
            rayVersion: 2.60.0
            enableInTreeAutoscaling: true
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
        kind: RayService
        metadata: {name: chat}
        spec:
          upgradeStrategy:
            type: NewClusterWithIncrementalUpgrade
            clusterUpgradeOptions:
              maxSurgePercent: 50
              stepSizePercent: 10
              intervalSeconds: 30
              gatewayClassName: istio
          rayClusterConfig:
            rayVersion: 2.60.0
            enableInTreeAutoscaling: true
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
