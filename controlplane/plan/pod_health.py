"""What keeps one pod from running, from the pod and the nodes alone, and whether waiting can still heal it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from controlplane.emit.bundle import Manifest
from controlplane.plan.never_fits import why_never

SIMULATED_NODE = ("kwok.x-k8s.io/node", "fake")
"""The annotation of nodes that kwok simulates: their pods run nothing."""

_IMAGE_REASONS = frozenset({"ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable"})
_NEVER_REASONS = frozenset({"InvalidImageName", "ErrImageNeverPull"})
_CONFIGURATION_REASONS = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
_MESSAGE_LIMIT = 500


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a state that may heal is waited for before it counts as failed; all in seconds but `restarts`.

    `admission`: pods refused (quota, webhooks). `never_fits`: no node, were it empty, could take the pod; a node
    autoscaler needs this time. `no_room`: nodes could, but are full. `start`: image pulls that fail, Secrets and
    ConfigMaps that are missing. `restarts`: crashes of a container, or failed pods of one ReplicaSet.
    """

    admission: float = 60
    never_fits: float = 60
    no_room: float = 300
    start: float = 120
    restarts: int = 3


DEFAULT_PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class PodTrouble:
    """Why a pod does not run. `failed` says that waiting has been tried or cannot help."""

    pod: str
    reason: str
    message: str
    failed: bool


def pod_trouble(
    pod: Manifest, nodes: Sequence[Manifest] | None, *, now: datetime, patience: Patience, leaving: int = 0
) -> PodTrouble | None:
    """The trouble of a pod, None when it runs or simply starts. `nodes` None: they could not be asked.

    `leaving` counts pods that still go away and will make room: then a lack of room is not yet a failure.
    """
    if (pod.get("status") or {}).get("phase") == "Failed":
        return _ended(pod)
    unscheduled = _condition(pod, "PodScheduled")
    if unscheduled.get("status") == "False":
        return _unscheduled(pod, unscheduled, nodes, now=now, patience=patience, leaving=leaving)
    troubles = [
        trouble
        for status in _container_statuses(pod)
        if (trouble := _container_trouble(pod, status, now=now, patience=patience)) is not None
    ]
    return next((each for each in troubles if each.failed), troubles[0] if troubles else None)


def is_ready(pod: Manifest) -> bool:
    """Whether the pod takes requests: its Ready condition, while it is not being deleted."""
    return not is_leaving(pod) and _condition(pod, "Ready").get("status") == "True"


def is_leaving(pod: Manifest) -> bool:
    """Whether the pod is being deleted; until it is gone it holds its GPUs."""
    return bool(pod["metadata"].get("deletionTimestamp"))


def is_finished(pod: Manifest) -> bool:
    """Whether the pod has ended and holds nothing any more."""
    return (pod.get("status") or {}).get("phase") in {"Failed", "Succeeded"}


def simulated_nodes(nodes: Sequence[Manifest]) -> frozenset[str]:
    """The names of the nodes that are simulated."""
    key, value = SIMULATED_NODE
    return frozenset(
        node["metadata"]["name"] for node in nodes if (node["metadata"].get("annotations") or {}).get(key) == value
    )


def seconds_since(moment: str | None, now: datetime) -> float:
    """Seconds from a Kubernetes time until now; 0 when it is not told."""
    return max(0.0, (now - datetime.fromisoformat(moment)).total_seconds()) if moment else 0.0


def shortened(text: str) -> str:
    """A message of a component, cut where it grows long (image pull errors, scheduler messages)."""
    text = " ".join(text.split())
    return text if len(text) <= _MESSAGE_LIMIT else text[: _MESSAGE_LIMIT - 1] + "…"


def _condition(pod: Manifest, kind: str) -> Mapping[str, Any]:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == kind), {})


def _container_statuses(pod: Manifest) -> Iterator[Mapping[str, Any]]:
    status = pod.get("status") or {}
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _ended(pod: Manifest) -> PodTrouble:
    """A pod that the kubelet gave up on; its ReplicaSet makes another, so one alone is no failure."""
    status = pod["status"]
    reason = str(status.get("reason") or "PodFailed")
    message = shortened(str(status.get("message") or "no explanation given"))
    return PodTrouble(pod["metadata"]["name"], reason, f"the pod failed ({reason}): {message}", failed=False)


def _unscheduled(
    pod: Manifest,
    condition: Mapping[str, Any],
    nodes: Sequence[Manifest] | None,
    *,
    now: datetime,
    patience: Patience,
    leaving: int,
) -> PodTrouble:
    name, waited = pod["metadata"]["name"], seconds_since(condition.get("lastTransitionTime"), now)
    scheduler = shortened(str(condition.get("message") or "the scheduler gives no reason"))
    if condition.get("reason") == "SchedulingGated":
        return PodTrouble(name, "SchedulingGated", f"held back by a scheduling gate: {scheduler}", failed=False)
    never = None if nodes is None else why_never(pod, nodes)
    if never is not None:
        text = f"no node could ever take it: {never}; pending for {waited:.0f} s (scheduler: {scheduler})"
        return PodTrouble(name, "FitsNowhere", text, failed=waited >= patience.never_fits)
    if leaving:
        text = f"waiting for {leaving} older pods to leave; pending for {waited:.0f} s (scheduler: {scheduler})"
        return PodTrouble(name, "WaitingForRoom", text, failed=False)
    text = f"not scheduled for {waited:.0f} s of the {patience.no_room:.0f} s allowed (scheduler: {scheduler})"
    return PodTrouble(name, "Unschedulable", text, failed=waited >= patience.no_room)


def _container_trouble(
    pod: Manifest, status: Mapping[str, Any], *, now: datetime, patience: Patience
) -> PodTrouble | None:
    waiting = (status.get("state") or {}).get("waiting") or {}
    reason = str(waiting.get("reason") or "")
    name, container = pod["metadata"]["name"], status.get("name")
    said = shortened(str(waiting.get("message") or "no explanation given"))
    if reason in _NEVER_REASONS:
        return PodTrouble(name, reason, f"container {container}: {reason}: {said}", failed=True)
    if reason in _IMAGE_REASONS or reason in _CONFIGURATION_REASONS:
        waited = seconds_since(_scheduled_at(pod), now)
        text = f"container {container}: {reason} for {waited:.0f} s of the {patience.start:.0f} s allowed: {said}"
        return PodTrouble(name, reason, text, failed=waited >= patience.start)
    restarts = int(status.get("restartCount") or 0)
    if reason == "CrashLoopBackOff" or (restarts and not status.get("ready")):
        return _crashing(name, status, reason or "Restarted", restarts, patience)
    return None


def _crashing(pod: str, status: Mapping[str, Any], reason: str, restarts: int, patience: Patience) -> PodTrouble:
    """A container that crashed and is not ready: in back-off, or running again for a while."""
    last = (status.get("lastState") or {}).get("terminated") or (status.get("state") or {}).get("terminated") or {}
    cause = f" ({last['reason']})" if last.get("reason") else ""
    text = (
        f"container {status.get('name')}: ended with exit code {last.get('exitCode', 'unknown')}{cause}, "
        f"{restarts} restarts of the {patience.restarts} allowed"
    )
    failed = restarts >= patience.restarts and reason == "CrashLoopBackOff"
    return PodTrouble(pod, reason, text, failed)


def _scheduled_at(pod: Manifest) -> str | None:
    """Since when the kubelet could have started it: container states carry no time while they wait."""
    scheduled: str | None = _condition(pod, "PodScheduled").get("lastTransitionTime")
    started: str | None = (pod.get("status") or {}).get("startTime")
    created: str | None = pod["metadata"].get("creationTimestamp")
    return scheduled or started or created
