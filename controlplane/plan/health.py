"""Is an object as it should be? Answered from objects alone, like kstatus; time comes in as an argument.

In: a live object, what stands around it (`Related`), the time and how patient to be. Out: `ObjectHealth`, with the
layer in which it stands or falls. The rollout waits for `HEALTHY` and returns on `failed`; status views print it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from controlplane.emit.bundle import Manifest
from controlplane.plan.deployment_health import deployment_health
from controlplane.plan.object_health import (
    NOTHING_AROUND,
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
from controlplane.plan.pod_health import DEFAULT_PATIENCE, Patience, shortened
from controlplane.stack.references import ObjectRef

__all__ = ["HealthLayer", "HealthStatus", "ObjectHealth", "Patience", "Related", "assess"]


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
        return _health(ref, Verdict(HealthStatus.MISSING, "NotFound", f"{ref} does not exist"))
    if live["metadata"].get("deletionTimestamp"):
        return _health(ref, progressing("Terminating", f"{ref} is being deleted"))
    if (ref.group, ref.kind) == ("apps", "Deployment"):
        return deployment_health(ref, live, related, now=now, patience=patience)
    return _health(ref, _BY_KIND.get((ref.group, ref.kind), _conditions_verdict)(live))


def _health(ref: ObjectRef, verdict: Verdict) -> ObjectHealth:
    return ObjectHealth(ref, verdict.status, HealthLayer.MACHINES, verdict.reason, verdict.message)


def _present_verdict(live: Manifest) -> Verdict:
    return Verdict(HealthStatus.HEALTHY, "Present", f"{live['kind']} exists")


def _claim_verdict(live: Manifest) -> Verdict:
    phase = (live.get("status") or {}).get("phase") or "Pending"
    if phase == "Bound":
        return Verdict(HealthStatus.HEALTHY, "Bound", "the claim is bound to a volume")
    if phase == "Lost":
        return degraded("Lost", "the volume of the claim is lost")
    return progressing("Pending", f"the claim is {phase}, not Bound; some storage classes wait for the first pod")


def _budget_verdict(live: Manifest) -> Verdict:
    return generation_verdict(live) or _present_verdict(live)


def _conditions_verdict(live: Manifest) -> Verdict:
    """A kind that we have no rule for: its generation and the conditions that controllers agree on."""
    behind = generation_verdict(live)
    if behind is not None:
        return behind
    stalled = condition(live, "Stalled")
    if stalled.get("status") == "True":
        return degraded(str(stalled.get("reason") or "Stalled"), shortened(str(stalled.get("message") or "stalled")))
    reconciling = condition(live, "Reconciling")
    if reconciling.get("status") == "True":
        return progressing("Reconciling", shortened(str(reconciling.get("message") or "still reconciling")))
    return _ready_verdict(live)


def _ready_verdict(live: Manifest) -> Verdict:
    for kind in ("Ready", "Available", "Established"):
        told = condition(live, kind)
        if told:
            message = shortened(str(told.get("message") or f"condition {kind} is {told.get('status')}"))
            reason = str(told.get("reason") or kind)
            ready = told.get("status") == "True"
            return Verdict(HealthStatus.HEALTHY if ready else HealthStatus.PROGRESSING, reason, message)
    return Verdict(
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

_BY_KIND: Mapping[tuple[str, str], Callable[[Manifest], Verdict]] = {
    **dict.fromkeys(_PRESENT_IS_HEALTHY, _present_verdict),
    ("", "PersistentVolumeClaim"): _claim_verdict,
    ("policy", "PodDisruptionBudget"): _budget_verdict,
}
