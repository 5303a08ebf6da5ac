"""Is an object as it should be? Answered from objects alone, like kstatus; time comes in as an argument.

In: a live object, what stands around it (`Related`), the time and how patient to be. Out: `ObjectHealth`, with the
layer in which it stands or falls. The rollout waits for `HEALTHY` and returns on `failed`; status views print it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from controlplane.emit.bundle import Manifest
from controlplane.plan.pod_health import (
    DEFAULT_PATIENCE,
    Patience,
    PodTrouble,
    is_finished,
    is_leaving,
    is_ready,
    pod_trouble,
    seconds_since,
    shortened,
    simulated_nodes,
)
from controlplane.stack.references import ObjectRef

__all__ = ["HealthLayer", "HealthStatus", "ObjectHealth", "Patience", "Related", "assess"]

_REVISION = "deployment.kubernetes.io/revision"


class HealthStatus(enum.StrEnum):
    """`DEGRADED` does not heal by waiting; `UNKNOWN` cannot be told from the object."""

    HEALTHY = "Healthy"
    PROGRESSING = "Progressing"
    MISSING = "Missing"
    DEGRADED = "Degraded"
    UNKNOWN = "Unknown"


class HealthLayer(enum.StrEnum):
    """Who has to act next: Kubernetes (machines), Ray (tasks) or vLLM (memory)."""

    MACHINES = "machines"
    TASKS = "tasks"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Related:
    """What stands around a workload. `nodes` None means that we may not read them."""

    replica_sets: tuple[Manifest, ...] = ()
    pods: tuple[Manifest, ...] = ()
    nodes: tuple[Manifest, ...] | None = None


NOTHING_AROUND = Related()


@dataclass(frozen=True, slots=True)
class ObjectHealth:
    """The health of one object. `reason` is a word for machines, `message` the fact with both numbers for people.

    `ready` of `wanted` are pods; `simulated` counts the pods that run nothing, on simulated nodes. `warnings` are
    worth telling and stop nothing.
    """

    ref: ObjectRef
    status: HealthStatus
    layer: HealthLayer
    reason: str
    message: str
    ready: int = 0
    wanted: int = 0
    simulated: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        return self.status is HealthStatus.HEALTHY

    @property
    def failed(self) -> bool:
        """Whether waiting longer cannot help."""
        return self.status is HealthStatus.DEGRADED


@dataclass(frozen=True, slots=True)
class _Verdict:
    status: HealthStatus
    reason: str
    message: str


def assess(
    ref: ObjectRef,
    live: Manifest | None,
    related: Related = NOTHING_AROUND,
    *,
    now: datetime,
    patience: Patience = DEFAULT_PATIENCE,
) -> ObjectHealth:
    """The health of an object in the machines layer. `related` matters for Deployments only."""
    if live is None:
        return _health(ref, _Verdict(HealthStatus.MISSING, "NotFound", f"{ref} does not exist"))
    if live["metadata"].get("deletionTimestamp"):
        return _health(ref, _progressing("Terminating", f"{ref} is being deleted"))
    if (ref.group, ref.kind) == ("apps", "Deployment"):
        return _deployment_health(ref, live, related, now=now, patience=patience)
    return _health(ref, _BY_KIND.get((ref.group, ref.kind), _conditions_verdict)(live))


def _health(ref: ObjectRef, verdict: _Verdict, ready: int = 0, wanted: int = 0, simulated: int = 0) -> ObjectHealth:
    return ObjectHealth(
        ref, verdict.status, HealthLayer.MACHINES, verdict.reason, verdict.message, ready, wanted, simulated
    )


def _progressing(reason: str, message: str) -> _Verdict:
    return _Verdict(HealthStatus.PROGRESSING, reason, message)


def _degraded(reason: str, message: str) -> _Verdict:
    return _Verdict(HealthStatus.DEGRADED, reason, message)


@dataclass(frozen=True, slots=True)
class _Rollout:
    """A Deployment and its pods, told apart by revision. `older` pods may be leaving; ended ones are left out."""

    live: Manifest
    wanted: int
    current: tuple[Manifest, ...]
    older: tuple[Manifest, ...]
    nodes: tuple[Manifest, ...] | None

    @property
    def status(self) -> Mapping[str, Any]:
        return self.live.get("status") or {}

    def count(self, name: str) -> int:
        return int(self.status.get(name) or 0)


def _deployment_health(
    ref: ObjectRef, live: Manifest, related: Related, *, now: datetime, patience: Patience
) -> ObjectHealth:
    rollout = _rollout(live, related)
    verdict = (
        _generation_verdict(live, required=True)
        or _admission_verdict(rollout, now, patience)
        or _pods_verdict(rollout, now, patience)
        or _deadline_verdict(rollout)
        or _capacity_verdict(rollout)
    )
    on_simulated = simulated_nodes(related.nodes or ())
    simulated = sum((pod.get("spec") or {}).get("nodeName") in on_simulated for pod in rollout.current)
    ready = sum(map(is_ready, rollout.current))
    return _health(ref, verdict, ready, rollout.wanted, simulated)


def _rollout(live: Manifest, related: Related) -> _Rollout:
    newest = max(related.replica_sets, key=_revision, default=None)
    uid = newest["metadata"]["uid"] if newest else None
    current = tuple(pod for pod in related.pods if _owner(pod) == uid and not is_leaving(pod))
    older = tuple(pod for pod in related.pods if (_owner(pod) != uid or is_leaving(pod)) and not is_finished(pod))
    wanted = (live.get("spec") or {}).get("replicas")
    return _Rollout(live, 1 if wanted is None else int(wanted), current, older, related.nodes)


def _revision(replica_set: Manifest) -> int:
    return int((replica_set["metadata"].get("annotations") or {}).get(_REVISION, 0))


def _owner(pod: Manifest) -> str | None:
    owners = pod["metadata"].get("ownerReferences") or ()
    return next((owner["uid"] for owner in owners if owner.get("controller")), None)


def _generation_verdict(live: Manifest, *, required: bool = False) -> _Verdict | None:
    """`required`: a kind whose controller always reports; without a report it has not looked yet."""
    generation = live["metadata"].get("generation")
    observed = (live.get("status") or {}).get("observedGeneration")
    if generation is None or observed == generation or (observed is None and not required):
        return None
    return _progressing("NotObserved", f"its controller has seen generation {observed or 0}; this is {generation}")


def _admission_verdict(rollout: _Rollout, now: datetime, patience: Patience) -> _Verdict | None:
    """Pods that were refused when they were created: quota, admission webhooks, a missing service account."""
    failure = _condition(rollout.live, "ReplicaFailure")
    if failure.get("status") != "True":
        return None
    waited = seconds_since(failure.get("lastTransitionTime"), now)
    message = (
        f"{len(rollout.current)} of {rollout.wanted} pods are admitted, refused for {waited:.0f} s of the "
        f"{patience.admission:.0f} s allowed: {shortened(str(failure.get('message')))}"
    )
    verdict = _degraded if waited >= patience.admission else _progressing
    return verdict(str(failure.get("reason") or "ReplicaFailure"), message)


def _pods_verdict(rollout: _Rollout, now: datetime, patience: Patience) -> _Verdict | None:
    living = [pod for pod in rollout.current if not is_finished(pod)]
    troubles = _troubles(rollout, living, now, patience)
    if not troubles:
        return _ended_verdict(rollout, now, patience)
    worst = next((trouble for trouble in troubles if trouble.failed), troubles[0])
    verdict = _degraded if worst.failed else _progressing
    return verdict(worst.reason, _trouble_message(rollout, troubles, worst))


def _ended_verdict(rollout: _Rollout, now: datetime, patience: Patience) -> _Verdict | None:
    """Pods that ended and are replaced: trouble while pods are missing, failure when it happens again and again."""
    ready = sum(map(is_ready, rollout.current))
    ended = _troubles(rollout, [pod for pod in rollout.current if is_finished(pod)], now, patience)
    if not ended or ready >= rollout.wanted:
        return None
    verdict = _degraded if len(ended) >= patience.restarts and not ready else _progressing
    return verdict(ended[-1].reason, _trouble_message(rollout, ended, ended[-1]))


def _trouble_message(rollout: _Rollout, troubles: Sequence[PodTrouble], shown: PodTrouble) -> str:
    return f"{len(troubles)} pods do not run, {rollout.wanted} are wanted; {shown.pod}: {shown.message}"


def _troubles(rollout: _Rollout, pods: Sequence[Manifest], now: datetime, patience: Patience) -> list[PodTrouble]:
    """The troubles of pods, in the order of their names."""
    found = (
        pod_trouble(pod, rollout.nodes, now=now, patience=patience, leaving=len(rollout.older))
        for pod in sorted(pods, key=lambda pod: str(pod["metadata"]["name"]))
    )
    return [trouble for trouble in found if trouble is not None]


def _deadline_verdict(rollout: _Rollout) -> _Verdict | None:
    progressing = _condition(rollout.live, "Progressing")
    if progressing.get("reason") != "ProgressDeadlineExceeded":
        return None
    seconds = (rollout.live.get("spec") or {}).get("progressDeadlineSeconds", 600)
    return _degraded(
        "ProgressDeadlineExceeded",
        f"{rollout.count('availableReplicas')} of {rollout.wanted} pods are available and nothing has moved for "
        f"{seconds} s (progressDeadlineSeconds)",
    )


def _capacity_verdict(rollout: _Rollout) -> _Verdict:
    """The Available condition is not capacity: all wanted pods, all of this revision, and no other."""
    wanted = rollout.wanted
    updated, available = rollout.count("updatedReplicas"), rollout.count("availableReplicas")
    older = max(len(rollout.older), rollout.count("replicas") - updated)
    if updated < wanted:
        return _progressing("NotUpdated", f"{updated} of {wanted} pods are of this revision")
    if available < wanted:
        return _progressing("NotAvailable", f"{available} of {wanted} pods are available")
    if older > 0 or rollout.count("replicas") > wanted:
        return _progressing(
            "OlderPodsLeft", f"{available} of {wanted} pods are available; {older} older ones have not left yet"
        )
    if (rollout.live.get("spec") or {}).get("paused"):
        return _progressing("Paused", f"{available} of {wanted} pods are available, but its rollout is paused")
    return _Verdict(HealthStatus.HEALTHY, "Available", f"{available} of {wanted} pods are available")


def _condition(live: Manifest, kind: str) -> Mapping[str, Any]:
    conditions = (live.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == kind), {})


def _present_verdict(live: Manifest) -> _Verdict:
    return _Verdict(HealthStatus.HEALTHY, "Present", f"{live['kind']} exists")


def _claim_verdict(live: Manifest) -> _Verdict:
    phase = (live.get("status") or {}).get("phase") or "Pending"
    if phase == "Bound":
        return _Verdict(HealthStatus.HEALTHY, "Bound", "the claim is bound to a volume")
    if phase == "Lost":
        return _degraded("Lost", "the volume of the claim is lost")
    return _progressing("Pending", f"the claim is {phase}, not Bound; some storage classes wait for the first pod")


def _budget_verdict(live: Manifest) -> _Verdict:
    return _generation_verdict(live) or _present_verdict(live)


def _conditions_verdict(live: Manifest) -> _Verdict:
    """A kind that we have no rule for: its generation and the conditions that controllers agree on."""
    behind = _generation_verdict(live)
    if behind is not None:
        return behind
    stalled = _condition(live, "Stalled")
    if stalled.get("status") == "True":
        return _degraded(str(stalled.get("reason") or "Stalled"), shortened(str(stalled.get("message") or "stalled")))
    reconciling = _condition(live, "Reconciling")
    if reconciling.get("status") == "True":
        return _progressing("Reconciling", shortened(str(reconciling.get("message") or "still reconciling")))
    return _ready_verdict(live)


def _ready_verdict(live: Manifest) -> _Verdict:
    for kind in ("Ready", "Available", "Established"):
        condition = _condition(live, kind)
        if condition:
            message = shortened(str(condition.get("message") or f"condition {kind} is {condition.get('status')}"))
            reason = str(condition.get("reason") or kind)
            ready = condition.get("status") == "True"
            return _Verdict(HealthStatus.HEALTHY if ready else HealthStatus.PROGRESSING, reason, message)
    return _Verdict(
        HealthStatus.UNKNOWN, "NoCondition", f"{live['kind']} exists; it reports no condition to tell its health by"
    )


# Their controllers, where there are any, report nothing that an apply would have to wait for.
_PRESENT_IS_HEALTHY = (
    ("", "ConfigMap"),
    ("", "Namespace"),
    ("", "ResourceQuota"),
    ("", "Secret"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apps", "ControllerRevision"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
    ("scheduling.k8s.io", "PriorityClass"),
)

_BY_KIND: Mapping[tuple[str, str], Callable[[Manifest], _Verdict]] = {
    **dict.fromkeys(_PRESENT_IS_HEALTHY, _present_verdict),
    ("", "PersistentVolumeClaim"): _claim_verdict,
    ("policy", "PodDisruptionBudget"): _budget_verdict,
}
