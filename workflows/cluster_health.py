"""The health of a revision, layer by layer, from what stands in the cluster. Called by `activities`.

Machines: pods are admitted, scheduled and started. Tasks: Ray's objects say that they run. Memory: the wanted
engines are ready and answer. A container that starts and ends again has been given its machine: it is memory's
failure. Ready is not capacity, so every layer counts what it wants.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from controlplane.adapters.kubernetes import Cluster
from controlplane.emit.bundle import Manifest
from controlplane.plan.engine_health import assess_engines
from controlplane.plan.health import HealthStatus, ObjectHealth, Related, assess
from controlplane.plan.plan import ref_of
from controlplane.plan.pod_health import Patience, is_leaving
from controlplane.workflows.messages import Layer, LayerReport, LayerState

_SERVED_NAME = "--served-model-name"
_RAY_GROUP = "ray.io"
_WORKLOADS = ("Deployment", "StatefulSet")
_STARTED_AND_ENDED = ("CrashLoopBackOff", "Restarted")
_STARTING = ("NotAvailable", "OlderPodsLeft", "ProgressDeadlineExceeded")
"""What a Deployment says while all its new pods may run already and their engines load."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """One object of the revision: what is live, what stands around it, and its health."""

    live: Manifest | None
    around: Related
    health: ObjectHealth

    @property
    def is_workload(self) -> bool:
        return self.health.ref.kind in _WORKLOADS


def look(
    cluster: Cluster, manifests: Sequence[Manifest], layer: Layer, now: datetime, patience: Patience
) -> LayerReport:
    """The layer as it is now; raises `AdapterError` when the cluster cannot be asked."""
    return _LOOKS[layer](cluster, manifests, now, patience)


def _machines(cluster: Cluster, manifests: Sequence[Manifest], now: datetime, patience: Patience) -> LayerReport:
    seen = [_see(cluster, m, now, patience) for m in manifests if ref_of(m).group != _RAY_GROUP]
    workloads = [s for s in seen if s.is_workload]
    ready = sum(_running(s.around) if s.is_workload else 0 for s in seen)
    wanted = sum(s.health.wanted for s in workloads)
    unsettled = [s.health for s in seen if not _has_its_machine(s)]
    return _report(Layer.MACHINES, unsettled, [s.health for s in seen], min(ready, wanted), wanted)


def _tasks(cluster: Cluster, manifests: Sequence[Manifest], now: datetime, patience: Patience) -> LayerReport:
    ray = [_see(cluster, m, now, patience).health for m in manifests if ref_of(m).group == _RAY_GROUP]
    if not ray:
        return LayerReport(Layer.TASKS, LayerState.NOT_APPLICABLE, detail="nothing in this revision runs on Ray")
    unsettled = [h for h in ray if not _settled(h)]
    return _report(Layer.TASKS, unsettled, ray, len(ray) - len(unsettled), len(ray))


def _memory(cluster: Cluster, manifests: Sequence[Manifest], now: datetime, patience: Patience) -> LayerReport:
    workloads = [_see(cluster, m, now, patience) for m in manifests if ref_of(m).kind in _WORKLOADS]
    if not workloads:
        return LayerReport(Layer.MEMORY, LayerState.NOT_APPLICABLE, detail="no engine of this revision to ask")
    healths = [_engine_health(cluster, each) for each in workloads]
    unsettled = [h for h in healths if not _settled(h)]
    ready = sum(min(h.ready + h.simulated, h.wanted) if h.healthy else h.ready for h in healths)
    return _report(Layer.MEMORY, unsettled, healths, ready, sum(h.wanted for h in healths))


_Look = Callable[[Cluster, Sequence[Manifest], datetime, Patience], LayerReport]
_LOOKS: dict[Layer, _Look] = {Layer.MACHINES: _machines, Layer.TASKS: _tasks, Layer.MEMORY: _memory}


def _see(cluster: Cluster, manifest: Manifest, now: datetime, patience: Patience) -> _Seen:
    ref = ref_of(manifest)
    live = cluster.get(ref)
    around = cluster.related(live) if live is not None and ref.kind in _WORKLOADS else Related()
    return _Seen(live, around, assess(ref, live, around, now=now, patience=patience))


def _settled(health: ObjectHealth) -> bool:
    """Healthy, or of a kind that does not tell."""
    return health.healthy or health.status is HealthStatus.UNKNOWN


def _has_its_machine(seen: _Seen) -> bool:
    if _settled(seen.health):
        return True
    if not seen.is_workload:
        return False
    if seen.health.reason in _STARTED_AND_ENDED:
        return True
    return seen.health.reason in _STARTING and _running(seen.around) >= seen.health.wanted


def _running(around: Related) -> int:
    """Pods of the newest ReplicaSet (of all, where there are no ReplicaSets) whose containers run."""
    newest = max(around.replica_sets, key=_revision, default=None)
    pods = [p for p in around.pods if newest is None or _owned_by(p, newest["metadata"]["uid"])]
    return sum((p.get("status") or {}).get("phase") == "Running" and not is_leaving(p) for p in pods)


def _revision(replica_set: Manifest) -> int:
    annotations = replica_set["metadata"].get("annotations") or {}
    return int(annotations.get("deployment.kubernetes.io/revision", 0))


def _owned_by(pod: Manifest, uid: str) -> bool:
    return any(owner["uid"] == uid for owner in pod["metadata"].get("ownerReferences") or ())


def _engine_health(cluster: Cluster, seen: _Seen) -> ObjectHealth:
    """Engines are asked once their pods are ready; until then the pods say what is missing."""
    if not seen.health.healthy:
        return seen.health
    answers = cluster.ask_engines(seen.around)
    model = served_name(seen.live) if seen.live else None
    return assess_engines(seen.health.ref, answers, wanted=seen.health.wanted, model=model)


def served_name(workload: Manifest) -> str | None:
    """The model name that the engine was told to serve (`--served-model-name`, the first of several), if it was."""
    pod = ((workload.get("spec") or {}).get("template") or {}).get("spec") or {}
    words = [
        word for c in pod.get("containers") or () for word in (*(c.get("command") or ()), *(c.get("args") or ()))
    ]
    for word, following in itertools.pairwise([*words, ""]):
        if word == _SERVED_NAME:
            return following or None
        if word.startswith(f"{_SERVED_NAME}="):
            return str(word.partition("=")[2]) or None
    return None


def _report(
    layer: Layer, unsettled: Sequence[ObjectHealth], healths: Sequence[ObjectHealth], ready: int, wanted: int
) -> LayerReport:
    failed = [h for h in unsettled if h.failed]
    warnings = tuple(w for h in healths for w in h.warnings)
    if not unsettled:
        return LayerReport(layer, LayerState.HEALTHY, ready, wanted, _simulated(layer, healths), warnings)
    worst = (failed or unsettled)[0]
    state = LayerState.FAILED if failed else LayerState.WAITING
    return LayerReport(layer, state, ready, wanted, f"{worst.ref}: {worst.reason}: {worst.message}", warnings)


def _simulated(layer: Layer, healths: Sequence[ObjectHealth]) -> str:
    """How much of what looks healthy is not real."""
    count = sum(h.simulated for h in healths)
    if not count:
        return ""
    pods = f"{count} {'pods are' if count > 1 else 'pod is'} simulated"
    return f"{pods}, no engine was asked" if layer is Layer.MEMORY else f"{pods}, no container runs"
