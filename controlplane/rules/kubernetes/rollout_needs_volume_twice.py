"""A rollout starts a pod that may have to wait for the volume of the one it is to replace."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.machines import least_pods
from controlplane.rules.pod_arithmetic import pod_sets_of, rolling_update
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.gpu_resources import gpus_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import VolumeClaim

_SHAREABLE = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def check(stack: Stack) -> Iterator[Finding]:
    claims = {
        (r.ref.namespace, r.ref.name): r for r in stack.references if isinstance(r, VolumeClaim) and not r.owner
    }
    for workload, pods in pod_sets_of(stack):
        if workload.ref.kind != "Deployment" or least_pods(pods) != 1:
            continue
        rolling = rolling_update(workload.strategy, 1)
        if rolling is not None and rolling.unavailable == 0:
            for name in dict.fromkeys(pods.claims()):
                claim = claims.get((workload.ref.namespace, name))
                if claim is not None and (_is_for_one_pod(claim) or _takes_devices(pods)):
                    yield from _waits(workload, pods, claim)


def _is_for_one_pod(claim: VolumeClaim) -> bool:
    return "ReadWriteOncePod" in (value_of(claim.access_modes) or ())


def _takes_devices(pods: PodSet) -> bool:
    """Whether the pods hold GPUs: the second one needs as many, which the node of the first seldom has free."""
    return gpus_of(pods.containers) != ABSENT


def _waits(workload: Workload, pods: PodSet, claim: VolumeClaim) -> Iterator[Finding]:
    modes = claim.access_modes
    if not isinstance(modes, Known) or not modes.value or _SHAREABLE & set(modes.value):
        return
    single = _is_for_one_pod(claim)
    outcome = "the new pod stays Pending" if single else "a new pod on another node waits in ContainerCreating"
    strategy = workload.strategy
    yield Finding(
        f"a rollout of Deployment {workload.ref.name} starts the new pod while the old one holds claim "
        f"{claim.ref.name} ({listed(modes.value)}): {outcome}, and the old one is not removed before it is ready",
        at=strategy.max_surge if strategy.max_unavailable == ABSENT else strategy.max_unavailable,
        otherwise=workload.origin or pods.origin,
        remedy="Set strategy: {type: Recreate}.",
        evidence=(
            evidence("accessModes", listed(modes.value), source=str(modes.origin)),
            evidence("maxUnavailable", 0, source="of 1 replica, rounded down"),
        ),
        related=((modes, "may be mounted by one at a time"),),
        severity=Severity.WARNING if single else None,
    )


RULE = Rule(
    severity=Severity.INFO,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A Deployment of one replica lets no pod be missing by default. With a ReadWriteOnce volume the "
    "rollout ends only if the new pod lands on the same node as the old one, which has to have as many GPUs again "
    "free; with ReadWriteOncePod it never ends. Pods without GPUs mostly do land there, and are not judged.",
    remedy="Let the rollout end the old pod first.",
    sources=("Kubernetes: access modes of persistent volumes; 25 % of one replica is 0 that may be missing",),
    bad=(
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
        metadata:
          name: embed  # fires
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  resources: {limits: {nvidia.com/gpu: 1}}
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
                  resources: {limits: {nvidia.com/gpu: 1}}
                  volumeMounts: [{name: weights, mountPath: /models}]
              volumes:
                - {name: weights, persistentVolumeClaim: {claimName: weights}}
        """,
    ),
    check=check,
)
