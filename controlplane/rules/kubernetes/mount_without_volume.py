"""A container mounts a volume that its pod does not have."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of, is_partial, is_rendered
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import ABSENT
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet

_ADDED_BY_KUBERAY = frozenset({"shared-mem", "ray-logs"})
"""Volumes that KubeRay gives its pods (operator 1.7, `common/pod.go`)."""

_ADDED_FOR_TOKENS = "ray-token"
"""The volume that it adds where the cluster asks for authentication, and sidecars may mount (`common/pod.go`)."""


def check(stack: Stack) -> Iterator[Finding]:
    for workload, pods, container in containers_of(stack):
        if is_partial(workload, pods) or _may_have_more(workload):
            continue
        there = _volumes(workload, pods)
        for mount in container.mounts:
            if mount.volume and mount.volume not in there and is_rendered(mount.volume):
                has = f"has {listed(sorted(there))}" if there else "has none"
                yield Finding(
                    f"container {container.name} mounts volume {mount.volume} at {mount.path}; "
                    f"its pod {has}, so the API server refuses it",
                    at=mount.origin,
                    otherwise=container.origin,
                    remedy=f"Add a volume named {mount.volume} to the pod, or remove the mount.",
                    evidence=(evidence("volumeMounts.name", mount.volume, source=str(mount.origin)),),
                )


def _may_have_more(workload: Workload) -> bool:
    """Claim templates of a LeaderWorkerSet give its pods volumes of their names."""
    return workload.ref.kind == "LeaderWorkerSet" and not workload.claim_templates


def _volumes(workload: Workload, pods: PodSet) -> set[str]:
    added = set(_ADDED_BY_KUBERAY) if workload.ray is not None else set()
    if workload.ray is not None and workload.ray.auth_mode != ABSENT:
        added.add(_ADDED_FOR_TOKENS)
    return {volume.name for volume in pods.volumes} | set(workload.claim_templates) | added


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="The API server refuses a pod, and a workload, whose container mounts a volume that is not there.",
    remedy="Declare the volume, or remove the mount.",
    sources=("Kubernetes 1.36.3, asked by server-side dry run: 'volumeMounts[0].name: Not found'",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  volumeMounts:
                    - name: cache  # fires
                      mountPath: /cache
              volumes:
                - {name: caches, emptyDir: {}}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  volumeMounts:
                    - {name: cache, mountPath: /cache}
              volumes:
                - {name: cache, emptyDir: {}}
        """,
    ),
    check=check,
)
