"""A Ray object's name is longer than KubeRay allows, or no name it can use."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.model import Stack

_LONGEST = {"RayCluster": 53, "RayService": 47, "RayJob": 47}
_TEMPLATE = frozenset("${}<>%")
_LABEL = regex(r"[a-z]([-a-z0-9]*[a-z0-9])?")


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        kind, name = workload.ref.kind, workload.ref.name
        longest = _LONGEST.get(kind) if workload.ref.group == "ray.io" else None
        if longest is None or not name or not _TEMPLATE.isdisjoint(name):
            continue
        if len(name) > longest:
            yield Finding(
                f"the name of the {kind} has {len(name)} characters, and KubeRay takes at most {longest}",
                at=workload.origin,
                remedy=f"Shorten the name by {len(name) - longest} characters.",
                evidence=(evidence("length of the name", len(name), source=str(workload.origin)),),
            )
        elif not _LABEL.fullmatch(name):
            yield Finding(
                f"KubeRay refuses the {kind} name {name}: it has to begin with a letter and hold only lower-case "
                "letters, digits and hyphens",
                at=workload.origin,
                remedy="Use a name of lower-case letters, digits and hyphens that begins with a letter.",
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The operator names Services and pods after the object, and refuses a name from which those could not "
    "be made: 53 characters for a RayCluster, 47 for a RayService or a RayJob, whose cluster gets a suffix. The API "
    "server itself takes 253, so the object exists and nothing happens.",
    remedy="Shorten the name.",
    sources=("KubeRay 1.6.2, controllers/ray/utils/constant.go: MaxRayClusterNameLength and those after it",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata:
          name: chat-for-the-customers-of-the-northern-region-production-blue  # fires
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
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata:
          name: 3d-models  # fires
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
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata:
          name: chat-north-production-blue
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
