"""Token authentication is asked of a Ray that does not know it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import ray_workloads, version_numbers
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.model import Stack

_FIRST = (2, 52)


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        if value_of(cluster.auth_mode) != "token":
            continue
        version = cluster.version
        if version == ABSENT:
            yield Finding(
                "authOptions.mode is token and rayVersion is not set; KubeRay refuses the cluster until rayVersion "
                "says 2.52.0 or later",
                at=cluster.auth_mode,
                otherwise=cluster.origin or workload.origin,
                remedy="Set rayVersion to the version of Ray in the image, 2.52.0 or later.",
            )
        elif isinstance(version, Known) and (numbers := version_numbers(version.value)) and numbers < _FIRST:
            yield Finding(
                f"authOptions.mode is token and rayVersion is {version.value}; token authentication needs 2.52.0 or "
                "later, and KubeRay refuses the cluster",
                at=version,
                related=((cluster.auth_mode, "token authentication is asked for here"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Ray checks tokens from 2.52.0 on. The operator goes by rayVersion, not by the image, and refuses the "
    "cluster where it is missing or older; no pod is made.",
    remedy="Use Ray 2.52.0 or later and say so in rayVersion, or remove authOptions.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/validation.go: ValidateRayClusterSpec",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.46.0  # fires
          authOptions: {mode: token}
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.46.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          authOptions:
            mode: token  # fires
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
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          authOptions: {mode: token}
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
