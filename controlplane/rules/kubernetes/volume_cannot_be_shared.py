"""Several pods mount a volume that one node, or one pod, may mount at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import pod_sets_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import Declared, Known, Origin, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Claim, PodSet
from controlplane.stack.references import VolumeClaim

_SHAREABLE = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def check(stack: Stack) -> Iterator[Finding]:
    for claim in stack.references:
        # A StatefulSet makes a claim of its template for each pod.
        if isinstance(claim, VolumeClaim) and not claim.owner and isinstance(claim.access_modes, Known):
            modes = claim.access_modes.value
            if modes and not _SHAREABLE & set(modes):
                yield from _shared(stack, claim, claim.access_modes)


def _shared(stack: Stack, claim: VolumeClaim, modes: Known[tuple[str, ...]]) -> Iterator[Finding]:
    users = _users(stack, claim)
    total = sum(count for _, _, count in users)
    if total < 2 or (len(users) > 1 and any(workload.ref.kind in ("Job", "CronJob") for workload, _, _ in users)):
        return
    single = "ReadWriteOncePod" in modes.value
    each: Counter[str] = Counter()
    for workload, _, count in users:
        each[f"{workload.ref.kind} {workload.ref.name}"] += count
    holders = listed(f"{count} of {name}" for name, count in each.items())
    outcome = "all but one stay Pending" if single else "those on another node wait in ContainerCreating"
    yield Finding(
        f"claim {claim.ref.name} ({listed(modes.value)}) serves {'1 pod' if single else '1 node'} at a time and is "
        f"mounted by {total} pods ({holders}); {outcome}",
        at=modes,
        otherwise=claim.origin,
        remedy="Use ReadWriteMany or ReadOnlyMany with a storage class that has it, or a claim for each pod "
        "(a StatefulSet's volumeClaimTemplates).",
        evidence=(
            evidence("accessModes", listed(modes.value), source=str(modes.origin)),
            evidence("pods that mount it", total, source=holders),
        ),
        related=tuple((_volume(pods, claim.ref.name), "mounted here") for _, pods, _ in users),
        severity=Severity.ERROR if single else None,
    )


_User = tuple[Workload, PodSet, int]
"""A pod set that mounts the claim, and how many pods it may have."""


def _users(stack: Stack, claim: VolumeClaim) -> list[_User]:
    """Who mounts a claim. Workloads in files of their own may be alternatives: the file with the most pods counts."""
    users: dict[str, list[_User]] = {}
    for workload, pods in pod_sets_of(stack):
        if workload.ref.namespace == claim.ref.namespace and claim.ref.name in pods.claims():
            count = _most_pods(stack, workload, pods)
            if count > 0:
                users.setdefault(_file(workload), []).append((workload, pods, count))
    return max(users.values(), key=lambda found: sum(count for _, _, count in found), default=[])


def _file(workload: Workload) -> str:
    return workload.origin.span.file if isinstance(workload.origin, Declared) else ""


def _most_pods(stack: Stack, workload: Workload, pods: PodSet) -> int:
    """Pods of a set as far as its own number, or an autoscaler of the input, may take it; 0 where it is not known."""
    limits = [scaler.max_replicas for scaler, target in scaled_workloads(stack) if target is workload]
    counts = [value_of(count) for count in (pods.count.desired, pods.count.max, *limits)]
    bounded = [count for count in counts if count is not None and count < _UNBOUNDED]
    return max(bounded, default=0) * (value_of(pods.hosts_per_unit) or 0)


_UNBOUNDED = 2**31 - 1
"""KubeRay's default for maxReplicas, which nobody means."""


def _volume(pods: PodSet, claim: str) -> Origin | None:
    sources = ((volume, value_of(volume.source)) for volume in pods.volumes)
    found = (volume for volume, source in sources if isinstance(source, Claim) and source.name == claim)
    return next((volume.origin for volume in found), None)


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="ReadWriteOnce means one node: replicas that the scheduler puts elsewhere wait for a volume that is "
    "attached already ('Multi-Attach error'), at the latest when a node is replaced. It goes well only where all "
    "pods land on one node. Loading a model needs no writing: ReadOnlyMany is enough once the weights are there.",
    remedy="Use a volume that several nodes may mount, or one for each pod.",
    sources=(
        "Kubernetes: access modes of persistent volumes; attach-detach controller; VolumeRestrictions for OncePod",
    ),
    bad=(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: weights}
        spec:
          accessModes: [ReadWriteOnce]  # fires
          resources: {requests: {storage: 200Gi}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          replicas: 3
          strategy: {type: Recreate}
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  volumeMounts: [{name: weights, mountPath: /models}]
              volumes:
                - {name: weights, persistentVolumeClaim: {claimName: weights}}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: weights}
        spec:
          accessModes: [ReadWriteMany]
          resources: {requests: {storage: 200Gi}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          replicas: 3
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  volumeMounts: [{name: weights, mountPath: /models}]
              volumes:
                - {name: weights, persistentVolumeClaim: {claimName: weights}}
        """,
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: weights}
        spec:
          accessModes: [ReadWriteOnce]
          resources: {requests: {storage: 200Gi}}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  volumeMounts: [{name: weights, mountPath: /models}]
              volumes:
                - {name: weights, persistentVolumeClaim: {claimName: weights}}
        """,
    ),
    check=check,
)
