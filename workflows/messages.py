"""What travels through Temporal: one input and one result type for each message.

Digests, names and small state only; manifests stay in the cluster (ControllerRevisions) and secrets stay where they
are referenced. Every type is a frozen dataclass that the default JSON converter carries; fields are only ever added,
with a default, so that histories recorded by an older release still replay.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Layer(enum.StrEnum):
    """The layers whose health a rollout awaits, in this order."""

    MACHINES = "machines"
    TASKS = "tasks"
    MEMORY = "memory"


class Phase(enum.StrEnum):
    """Where a rollout is."""

    VERIFY = "verify"
    APPLY = "apply"
    HEALTH = "health"
    FINISH = "finish"
    RETURN = "return"
    DONE = "done"


class OnFailure(enum.StrEnum):
    """What a rollout does when a gate fails: go back to the last good revision, or leave everything as it is."""

    RETURN = "return"
    STOP = "stop"


class DriftMode(enum.StrEnum):
    """What a drift check does about what it finds."""

    OFF = "off"
    WARN = "warn"
    ENFORCE = "enforce"


class Result(enum.StrEnum):
    """How a rollout ended."""

    OK = "ok"
    RETURNED = "returned"
    FAILED = "failed"
    CANCELLED = "cancelled"


class LayerState(enum.StrEnum):
    """What is known of one layer."""

    PENDING = "pending"
    WAITING = "waiting"
    HEALTHY = "healthy"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    NOT_APPLICABLE = "not-applicable"


class Mark(enum.StrEnum):
    """What a rollout writes on a revision in the cluster when it ends."""

    GOOD = "good"
    FAILED = "failed"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True)
class ClusterRef:
    """A cluster as the worker reaches it.

    `name` appears in workflow ids. `context` and `kubeconfig` (a path on the worker's machine) are empty for the
    worker's own configuration.
    """

    name: str
    context: str = ""
    kubeconfig: str = ""


@dataclass(frozen=True, slots=True)
class ServiceRef:
    """A ModelService."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, order=True)
class ObjectKey:
    """One Kubernetes object; `namespace` is empty for cluster-scoped kinds."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}" if self.namespace else f"{self.kind}/{self.name}"


@dataclass(frozen=True, slots=True)
class PlannedObject:
    """What the plan saw of one object; the rollout writes it only while this still holds.

    `uid` is empty when the object did not exist. `owned_digest` covers the fields that we own or set, `fields` the
    same field by field, in the short form of `binding`. `force`: the plan shows whose ownership is taken. `replace`:
    it is deleted and made again, since a field cannot be changed. `delete`: the plan removes it.
    """

    key: ObjectKey
    uid: str
    owned_digest: str
    fields: str = ""
    force: bool = False
    replace: bool = False
    delete: bool = False


@dataclass(frozen=True, slots=True)
class RevisionRef:
    """A revision of a service as it is stored in the cluster; number 0 is none."""

    number: int = 0
    digest: str = ""

    def __str__(self) -> str:
        return f"revision {self.number}" if self.number else "no revision"


NO_REVISION = RevisionRef()
"""Where there is none."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that each layer may take to become healthy, and that the API server may be out of reach.

    `room_s` is how long a pod may wait for a node that an autoscaler brings; 0 where the pool does not grow.
    """

    machines_s: float = 900.0
    tasks_s: float = 900.0
    memory_s: float = 3600.0
    api_s: float = 600.0
    room_s: float = 0.0

    def of(self, layer: Layer) -> float:
        """The time-out of a layer in seconds."""
        return {Layer.MACHINES: self.machines_s, Layer.TASKS: self.tasks_s, Layer.MEMORY: self.memory_s}[layer]


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """How a service is watched. A heal is spent from a budget of `heals` in each window of `window_s` seconds."""

    mode: DriftMode = DriftMode.WARN
    interval_s: float = 300.0
    heals: int = 3
    window_s: float = 3600.0


@dataclass(frozen=True, slots=True)
class RolloutRequest:
    """Bring a service to a revision that is stored in the cluster.

    `request_id` is made by the client once for each wish, so that a repeated delivery is not a second rollout.
    `plan_digest` names the plan that was agreed to. `planned` has an entry for every object of the plan; when it is
    None (a rollback without a plan) objects are written as the revision has them.
    """

    request_id: str
    cluster: ClusterRef
    service: ServiceRef
    revision: RevisionRef
    plan_digest: str
    planned: tuple[PlannedObject, ...] | None
    author: str
    reason: str = ""
    timeouts: Timeouts = field(default_factory=Timeouts)
    on_failure: OnFailure = OnFailure.RETURN
    drift: DriftSettings = field(default_factory=DriftSettings)


@dataclass(frozen=True, slots=True)
class RolloutTicket:
    """The answer to a request: the workflow that rolls it out. `joined` when it was in flight already."""

    workflow_id: str
    run_id: str
    joined: bool = False


@dataclass(frozen=True, slots=True)
class LayerReport:
    """What one layer looks like.

    `ready` of `wanted` are counted in the layer's own unit; `detail` says what is missing.
    """

    layer: Layer
    state: LayerState
    ready: int = 0
    wanted: int = 0
    detail: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectOutcome:
    """What happened to one object: `action` is created, updated, replaced, unchanged, deleted or kept."""

    key: ObjectKey
    action: str


@dataclass(frozen=True, slots=True)
class RolloutProgress:
    """A rollout as it stands. `layers` are those of the return once `phase` is return.

    `started_at` in seconds since the epoch. `trouble` says why the step in hand is tried again, or that nobody works
    on it; whoever follows a rollout learns it from Temporal, the rollout itself does not know.
    """

    request_id: str
    revision: RevisionRef
    phase: Phase
    started_at: float
    step: str = ""
    steps_done: int = 0
    steps_total: int = 0
    objects: tuple[ObjectOutcome, ...] = ()
    layers: tuple[LayerReport, ...] = ()
    failure: str = ""
    returning_to: RevisionRef | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class RolloutOutcome:
    """How a rollout ended, and where it stopped.

    `stopped_at` is the layer or phase that failed. `returned_to` is the revision that serves again. `return_failure`
    is set when going back failed too, or there was nothing to go back to: then the objects are as they were left.
    `written` counts the objects that were reported as written: a worker killed before its report is not counted.
    `notes` are what went less well without stopping the rollout.
    """

    result: Result
    revision: RevisionRef
    stopped_at: str = ""
    reason: str = ""
    returned_to: RevisionRef | None = None
    return_failure: str = ""
    written: int = 0
    notes: tuple[str, ...] = ()
    started_at: float = 0.0
    finished_at: float = 0.0


@dataclass(frozen=True, slots=True)
class StopRequest:
    """A person ends the rollout in flight; what was applied is returned as after a failure."""

    actor: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StopAnswer:
    """The rollout that was told to stop."""

    workflow_id: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One finished rollout of a service. Times in seconds since the epoch."""

    revision: RevisionRef
    plan_digest: str
    author: str
    reason: str
    outcome: RolloutOutcome
    workflow_id: str


@dataclass(frozen=True, slots=True)
class FieldDrift:
    """One field that we own and that differs; `owners` are the managers of the live field.

    `path` is empty for an object that is gone. Values are left out: they can be long, and secret.
    """

    key: ObjectKey
    path: str
    action: str
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DriftReport:
    """What a check found of a revision.

    Objects are listed whole until `LISTED_FIELDS` are reached; `total` counts all fields. `unclear` are objects that
    could not be compared, with the reason.
    """

    revision: RevisionRef
    fields: tuple[FieldDrift, ...] = ()
    total: int = 0
    unclear: tuple[str, ...] = ()

    @property
    def objects(self) -> tuple[ObjectKey, ...]:
        """The objects with drift, each once, in order."""
        return tuple(dict.fromkeys(f.key for f in self.fields))


@dataclass(frozen=True, slots=True)
class DriftSummary:
    """The last drift that was reported to a service's entity. `handled` says what was done about it."""

    at: float
    revision: RevisionRef
    total: int
    fields: tuple[FieldDrift, ...] = ()
    handled: str = ""


@dataclass(frozen=True, slots=True)
class HealRequest:
    """Put back the fields of a drift report, and no others."""

    request_id: str
    report: DriftReport
    actor: str = "drift check"


@dataclass(frozen=True, slots=True)
class HealAnswer:
    """What came of a heal. `refusal` is set when nothing was written, and says why."""

    healed: tuple[ObjectOutcome, ...] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class InFlight:
    """Who holds the service. `since` in seconds since the epoch."""

    request: RolloutRequest
    workflow_id: str
    since: float
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class Handled:
    """A request that was answered in an earlier run of the entity, where the server's own deduplication has ended."""

    request_id: str
    ticket: RolloutTicket


@dataclass(frozen=True, slots=True)
class ServiceState:
    """Everything that a service's entity remembers; it is carried whole from run to run.

    `drift_reports` counts every report that arrived. `heal_times` (seconds since the epoch) are those that still
    count against the budget. `runs` counts how often the entity continued as new.
    """

    cluster: ClusterRef
    service: ServiceRef
    revision: RevisionRef = NO_REVISION
    drift: DriftSettings = field(default_factory=DriftSettings)
    in_flight: InFlight | None = None
    history: tuple[HistoryEntry, ...] = ()
    handled: tuple[Handled, ...] = ()
    last_drift: DriftSummary | None = None
    drift_reports: int = 0
    heals: int = 0
    heal_times: tuple[float, ...] = ()
    runs: int = 0
