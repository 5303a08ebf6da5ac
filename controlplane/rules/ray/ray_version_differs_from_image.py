"""rayVersion is not the version of Ray in the head's image."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Applicability, Edit, Layer, Severity
from controlplane.rules.ray_arithmetic import ray_workloads, version_numbers
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Declared, Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster in ray_workloads(stack):
        said, real = cluster.version, cluster.image_version
        if not isinstance(said, Known) or not isinstance(real, Known) or not isinstance(said.origin, Declared):
            continue
        if (
            version_numbers(said.value)
            and version_numbers(real.value)
            and version_numbers(said.value) != version_numbers(real.value)
        ):
            yield Finding(
                f"rayVersion is {said.value}, and the head's image runs Ray {real.value}",
                at=said,
                remedy=f"Set rayVersion to {real.value}.",
                edits=(Edit(said.origin.span, real.value),),
                applicability=Applicability.NEEDS_DECISION,
                evidence=(evidence("rayVersion", said), evidence("Ray in the image", real)),
                related=((real, "the head's image"),),
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The operator never looks into the image: what depends on the version of Ray (probes, authentication, "
    "a group's priority) it decides by rayVersion. With another one it may probe an address that this Ray does not "
    "answer, or refuse what the image could do.",
    remedy="Set rayVersion to the version in the image.",
    sources=("KubeRay 1.6.2, controllers/ray/common/pod.go and controllers/ray/utils/validation.go",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.46.0  # fires
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
