"""The health of a Deployment with its ReplicaSets and pods: admitted, scheduled, started, and as many as wanted.

Only the newest revision's pods are judged. A state that heals by waiting is progress until its patience is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from controlplane.emit.bundle import Manifest
from controlplane.plan.object_health import (
    HealthLayer,
    HealthStatus,
    ObjectHealth,
    Related,
    Verdict,
    condition,
    degraded,
    generation_verdict,
    progressing,
)
from controlplane.plan.pod_health import (
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

_REVISION = "deployment.kubernetes.io/revision"


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


def deployment_health(
    ref: ObjectRef, live: Manifest, related: Related, *, now: datetime, patience: Patience
) -> ObjectHealth:
    """The health of a Deployment: the first of these that has something to say."""
    rollout = _rollout(live, related)
    verdict = (
        generation_verdict(live, required=True)
        or _admission_verdict(rollout, now, patience)
        or _pods_verdict(rollout, now, patience)
        or _deadline_verdict(rollout)
        or _capacity_verdict(rollout)
    )
    on_simulated = simulated_nodes(related.nodes or ())
    simulated = sum((pod.get("spec") or {}).get("nodeName") in on_simulated for pod in rollout.current)
    ready = sum(map(is_ready, rollout.current))
    return ObjectHealth(
        ref,
        verdict.status,
        HealthLayer.MACHINES,
        verdict.reason,
        verdict.message,
        ready=ready,
        wanted=rollout.wanted,
        simulated=simulated,
    )


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


def _admission_verdict(rollout: _Rollout, now: datetime, patience: Patience) -> Verdict | None:
    """Pods that were refused when they were created: quota, admission webhooks, a missing service account."""
    failure = condition(rollout.live, "ReplicaFailure")
    if failure.get("status") != "True":
        return None
    waited = seconds_since(failure.get("lastTransitionTime"), now)
    message = (
        f"{len(rollout.current)} of {rollout.wanted} pods are admitted, refused for {waited:.0f} s of the "
        f"{patience.admission:.0f} s allowed: {shortened(str(failure.get('message')))}"
    )
    verdict = degraded if waited >= patience.admission else progressing
    return verdict(str(failure.get("reason") or "ReplicaFailure"), message)


def _pods_verdict(rollout: _Rollout, now: datetime, patience: Patience) -> Verdict | None:
    living = [pod for pod in rollout.current if not is_finished(pod)]
    troubles = _troubles(rollout, living, now, patience)
    if not troubles:
        return _ended_verdict(rollout, now, patience)
    worst = next((trouble for trouble in troubles if trouble.failed), troubles[0])
    verdict = degraded if worst.failed else progressing
    return verdict(worst.reason, _trouble_message(rollout, troubles, worst))


def _ended_verdict(rollout: _Rollout, now: datetime, patience: Patience) -> Verdict | None:
    """Pods that ended and are replaced: trouble while pods are missing, failure when it happens again and again."""
    ready = sum(map(is_ready, rollout.current))
    ended = _troubles(rollout, [pod for pod in rollout.current if is_finished(pod)], now, patience)
    if not ended or ready >= rollout.wanted:
        return None
    verdict = degraded if len(ended) >= patience.restarts and not ready else progressing
    return verdict(ended[-1].reason, _trouble_message(rollout, ended, ended[-1]))


def _trouble_message(rollout: _Rollout, troubles: Sequence[PodTrouble], shown: PodTrouble) -> str:
    return f"{len(troubles)} pods do not run, {rollout.wanted} are wanted; {shown.pod}: {shown.message}"


def _troubles(rollout: _Rollout, pods: Sequence[Manifest], now: datetime, patience: Patience) -> list[PodTrouble]:
    """The troubles of pods, in the order of their names."""
    found = (
        pod_trouble(pod, rollout.nodes, now=now, patience=patience, leaving=_making_room(rollout))
        for pod in sorted(pods, key=lambda pod: str(pod["metadata"]["name"]))
    )
    return [trouble for trouble in found if trouble is not None]


def _making_room(rollout: _Rollout) -> int:
    """How many older pods are still going to make room.

    Those that drain; and while a new pod starts, those that stay until it is ready. Otherwise the rollout is stuck:
    the old pods wait for the new ones, and the new ones for the GPUs of the old.
    """
    if any(_is_starting(pod) for pod in rollout.current):
        return len(rollout.older)
    return sum(map(is_leaving, rollout.older))


def _is_starting(pod: Manifest) -> bool:
    return bool((pod.get("spec") or {}).get("nodeName")) and not is_ready(pod) and not is_finished(pod)


def _deadline_verdict(rollout: _Rollout) -> Verdict | None:
    progressing = condition(rollout.live, "Progressing")
    if progressing.get("reason") != "ProgressDeadlineExceeded":
        return None
    seconds = (rollout.live.get("spec") or {}).get("progressDeadlineSeconds", 600)
    return degraded(
        "ProgressDeadlineExceeded",
        f"{rollout.count('availableReplicas')} of {rollout.wanted} pods are available and nothing has moved for "
        f"{seconds} s (progressDeadlineSeconds)",
    )


def _capacity_verdict(rollout: _Rollout) -> Verdict:
    """The Available condition is not capacity: all wanted pods, all of this revision, and no other."""
    wanted = rollout.wanted
    updated, available = rollout.count("updatedReplicas"), rollout.count("availableReplicas")
    older = max(len(rollout.older), rollout.count("replicas") - updated)
    if updated < wanted:
        return progressing("NotUpdated", f"{updated} of {wanted} pods are of this revision")
    if available < wanted:
        return progressing("NotAvailable", f"{available} of {wanted} pods are available")
    if older > 0 or rollout.count("replicas") > wanted:
        return progressing(
            "OlderPodsLeft", f"{available} of {wanted} pods are available; {older} others have not left yet"
        )
    if (rollout.live.get("spec") or {}).get("paused"):
        return progressing("Paused", f"{available} of {wanted} pods are available, but its rollout is paused")
    return Verdict(HealthStatus.HEALTHY, "Available", f"{available} of {wanted} pods are available")
