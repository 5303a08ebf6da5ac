"""An upgrade strategy has a type that KubeRay does not know for this kind."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import listed
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_TYPES = {
    "RayService": ("NewCluster", "NewClusterWithIncrementalUpgrade", "None"),
    "RayCluster": ("Recreate", "None"),
}


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        types, written = _TYPES.get(workload.ref.kind), cluster.upgrade
        if types and isinstance(written, Known) and written.value not in types:
            yield Finding(
                f"upgradeStrategy.type is {written.value}; a {workload.ref.kind} takes {listed(types, 'or')}",
                at=written,
                remedy=f"Set the type to {listed(types, 'or')}.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The field is a plain text for the API server, and the operator refuses a value it does not know: the "
    "object exists and nothing is made of it. RayService and RayCluster have different types.",
    remedy="Use a type of this kind.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayServiceSpec",
        "KubeRay 1.6.2, the same file: ValidateRayClusterUpgradeOptions",
    ),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          upgradeStrategy:
            type: Recreate  # fires
          rayClusterConfig:
            rayVersion: 2.60.0
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
            type: NewCluster
          rayClusterConfig:
            rayVersion: 2.60.0
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
