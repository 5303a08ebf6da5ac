"""`ClusterPorts` over the Kubernetes adapter: what really happens when a workflow asks.

Here, and only here, the tree of `adapters.errors` becomes Temporal failures: whether to try again is known by the
class. Messages pass the redactor, since they travel into histories.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from temporalio import activity
from temporalio.exceptions import ApplicationError

from controlplane.adapters.errors import AdapterError, Stale, Throttled
from controlplane.adapters.kubernetes import Cluster, RevisionStore
from controlplane.emit.bundle import Manifest
from controlplane.plan.drift import drift
from controlplane.plan.order import Stage, stage
from controlplane.plan.plan import ref_of
from controlplane.plan.pod_health import DEFAULT_PATIENCE, Patience
from controlplane.plan.redaction import redact_text
from controlplane.plan.revision import Outcome, Revision, newest_good
from controlplane.workflows import cluster_writes as writes
from controlplane.workflows.binding import ref_of as reference
from controlplane.workflows.cluster_health import look
from controlplane.workflows.messages import (
    NO_REVISION,
    ClusterRef,
    DriftReport,
    FieldDrift,
    Layer,
    LayerReport,
    LayerState,
    Mark,
    RevisionRef,
    RolloutRequest,
    ServiceRef,
)
from controlplane.workflows.ports import (
    ClusterPorts,
    DeletionOrder,
    DriftCheckInput,
    GroupOrder,
    HealOrder,
    LayerQuery,
    MarkOrder,
    ObjectOutcomes,
    RemovalOrder,
    RevisionQuery,
    StoredRevision,
    VerifiedPlan,
)

Answer = TypeVar("Answer")

LISTED_FIELDS = 100
"""Fields that a drift report lists: 100 of 300 bytes stay far below the 256 KB at which Temporal warns."""

_NOTHING_TO_COMPARE = "no good revision of {service} is in the cluster: was its namespace deleted? Apply it again"

_BEAT_S = 2.0
_POLL_S = 1.0
_LONGEST_POLL_S = 5.0
_CONFIRM_S = 15.0
"""A failure must be seen this long: after a long drain the scheduler backs off up to 10 s though there is room."""


class ClusterActivities(ClusterPorts):
    """A connection is opened for each activity: credentials and addresses may change while a worker lives.

    `poll_s` and `confirm_s` are seconds between looks at a layer, and for which it must look failed; `patience` is
    that with single pods.
    """

    def __init__(
        self, *, poll_s: float = _POLL_S, confirm_s: float = _CONFIRM_S, patience: Patience = DEFAULT_PATIENCE
    ) -> None:
        self._poll_s = poll_s
        self._patience = patience
        self._confirm_s = confirm_s

    def _with(self, query: LayerQuery) -> Patience:
        """Where an autoscaler brings nodes, nothing is said of a pod without room before they could have come."""
        usual = self._patience
        return replace(
            usual, no_room=max(usual.no_room, query.room_s), never_fits=max(usual.never_fits, query.room_s)
        )

    @activity.defn
    async def verify_plan(self, request: RolloutRequest) -> VerifiedPlan:
        """Whether the stored revision and the live objects are those of the plan."""
        async with _at_work():
            return await _in_thread(lambda: _verify(request))

    @activity.defn
    async def last_good(self, query: RevisionQuery) -> StoredRevision:
        """The newest revision of the service that is marked good."""
        async with _at_work():
            return await _in_thread(lambda: _last_good(query))

    @activity.defn
    async def apply_group(self, order: GroupOrder) -> ObjectOutcomes:
        """Write the objects of one group that differ from live."""
        async with _at_work():
            return await _in_thread(lambda: _apply_group(order))

    @activity.defn
    async def delete_planned(self, order: DeletionOrder) -> ObjectOutcomes:
        """Delete the objects that the plan deletes."""

        def delete() -> ObjectOutcomes:
            with _connected(order.cluster) as cluster:
                return ObjectOutcomes(writes.delete_planned(cluster, order.planned))

        async with _at_work():
            return await _in_thread(delete)

    @activity.defn
    async def await_layer(self, query: LayerQuery) -> LayerReport:
        """Poll until the layer is healthy or has looked failed for long enough."""
        failing_since: float | None = None
        clock = asyncio.get_running_loop().time
        began = clock()
        async with _at_work() as pulse, _revision_of(query) as (cluster, manifests):
            while True:
                report = await _in_thread(lambda: _look(cluster, manifests, query.layer, self._with(query)))
                failing_since = (failing_since or clock()) if report.state is LayerState.FAILED else None
                confirmed = failing_since is not None and clock() - failing_since >= self._confirm_s
                if confirmed or report.state in (LayerState.HEALTHY, LayerState.NOT_APPLICABLE):
                    return report
                pulse.tell(replace(report, state=LayerState.WAITING))
                # Often at first, when things move; a model that loads for an hour is not asked every second.
                await asyncio.sleep(min(self._poll_s + (clock() - began) / 20, max(self._poll_s, _LONGEST_POLL_S)))

    @activity.defn
    async def look_at_layer(self, query: LayerQuery) -> LayerReport:
        """The layer as it is now, once."""
        async with _at_work(), _revision_of(query) as (cluster, manifests):
            return await _in_thread(lambda: _look(cluster, manifests, query.layer, self._with(query)))

    @activity.defn
    async def mark_revision(self, order: MarkOrder) -> None:
        """Write the mark; after a good one, old revisions are dropped."""
        async with _at_work():
            await _in_thread(lambda: _mark(order))

    @activity.defn
    async def remove_created(self, order: RemovalOrder) -> ObjectOutcomes:
        """Remove what only the failed revision has."""
        async with _at_work():
            return await _in_thread(lambda: _remove_created(order))

    @activity.defn
    async def check_drift(self, check: DriftCheckInput) -> DriftReport:
        """Compare the last good revision with live, in exactly the fields that we own."""
        async with _at_work():
            return await _in_thread(lambda: _check_drift(check))

    @activity.defn
    async def heal(self, order: HealOrder) -> ObjectOutcomes:
        """Write back the reported fields, taking them by force."""

        def heal() -> ObjectOutcomes:
            with _connected(order.cluster) as cluster:
                objects = writes.as_objects(_load(cluster, order.service, order.report.revision).manifests)
                return ObjectOutcomes(writes.heal_objects(cluster, objects, order.report))

        async with _at_work():
            return await _in_thread(heal)


def _verify(request: RolloutRequest) -> VerifiedPlan:
    with _connected(request.cluster) as cluster:
        revision = _load(cluster, request.service, request.revision)
        if request.planned is not None:
            planned = {p.key: p for p in request.planned}
            writes.verify_objects(cluster, writes.as_objects(revision.manifests), planned)
            for deletion in (p for p in request.planned if p.delete):
                _check_deletion(cluster.get(reference(deletion.key)), deletion.uid, str(deletion.key))
        return VerifiedPlan(_groups(revision.manifests))


def _check_deletion(live: Manifest | None, uid: str, name: str) -> None:
    if live is not None and live["metadata"]["uid"] != uid:
        found = live["metadata"]["uid"]
        raise writes.StalePlan(
            f"The plan is stale: it deletes {name} with uid {uid}; that name now has uid {found}. Plan again."
        )


def _last_good(query: RevisionQuery) -> StoredRevision:
    with _connected(query.cluster) as cluster:
        store = RevisionStore(cluster)
        headers = store.headers(str(query.service))
        newest, header = newest_good(headers), newest_good(headers, other_than=query.besides.number)
        again = newest is not None and newest.number == query.besides.number
        if header is None:
            return StoredRevision(asked_is_newest=again)
        manifests = store.load_digest(str(query.service), header.digest).manifests
        return StoredRevision(RevisionRef(header.number, header.digest), _groups(manifests), again)


def _apply_group(order: GroupOrder) -> ObjectOutcomes:
    with _connected(order.cluster) as cluster:
        manifests = _load(cluster, order.service, order.revision).manifests
        group = [m for m in manifests if stage(ref_of(m)).value == order.group]
        planned = None if order.planned is None else {p.key: p for p in order.planned}
        permission = writes.Permission(planned, order.replaceable)
        return ObjectOutcomes(writes.apply_objects(cluster, writes.as_objects(group), permission))


@asynccontextmanager
async def _revision_of(query: LayerQuery) -> AsyncIterator[tuple[Cluster, tuple[Manifest, ...]]]:
    """One connection and the revision's manifests, for as many looks as it takes."""
    cluster = await _in_thread(lambda: _connect(query.cluster))
    try:
        yield cluster, await _in_thread(lambda: _load(cluster, query.service, query.revision).manifests)
    finally:
        cluster.close()


def _look(cluster: Cluster, manifests: Sequence[Manifest], layer: Layer, patience: Patience) -> LayerReport:
    report = look(cluster, manifests, layer, datetime.now(UTC), patience)
    return replace(report, detail=redact_text(report.detail))


_OUTCOMES = {Mark.GOOD: Outcome.GOOD, Mark.FAILED: Outcome.FAILED, Mark.RETURNED: Outcome.RETURNED}


def _mark(order: MarkOrder) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with _connected(order.cluster) as cluster:
        store = RevisionStore(cluster)
        store.mark(str(order.service), order.revision.number, _OUTCOMES[order.mark], at=now)
        if order.mark is Mark.GOOD:
            store.prune(str(order.service), keep=(order.revision.number,))


def _remove_created(order: RemovalOrder) -> ObjectOutcomes:
    with _connected(order.cluster) as cluster:
        failed = _load(cluster, order.service, order.failed).manifests
        kept = _load(cluster, order.service, order.kept).manifests
        return ObjectOutcomes(writes.remove_created(cluster, failed, kept, order.created))


def _check_drift(check: DriftCheckInput) -> DriftReport:
    with _connected(check.cluster) as cluster:
        store = RevisionStore(cluster)
        header = store.newest_good(str(check.service))
        if header is None:
            return DriftReport(NO_REVISION, unclear=(_NOTHING_TO_COMPARE.format(service=check.service),))
        objects = writes.as_objects(store.load_digest(str(check.service), header.digest).manifests)
        found = drift(objects, cluster.observe([o.manifest for o in objects]))
        listed = [writes.drifted_fields(each) for each in found.drifted]
        unclear = (f"{u.ref}: {u.refusal.message if u.refusal else 'it cannot be compared'}" for u in found.unclear)
        return DriftReport(
            RevisionRef(header.number, header.digest),
            _listed(listed),
            sum(len(fields) for fields in listed),
            tuple(redact_text(text) for text in unclear),
        )


def _listed(by_object: Sequence[tuple[FieldDrift, ...]]) -> tuple[FieldDrift, ...]:
    """Whole objects, until the list is long enough."""
    fields: list[FieldDrift] = []
    for each in by_object:
        if len(fields) < LISTED_FIELDS:
            fields.extend(each)
    return tuple(fields)


def _load(cluster: Cluster, service: ServiceRef, revision: RevisionRef) -> Revision:
    return RevisionStore(cluster).load_digest(str(service), revision.digest)


def _groups(manifests: Sequence[Manifest]) -> tuple[str, ...]:
    present = {stage(ref_of(m)) for m in manifests}
    return tuple(s.value for s in Stage if s in present)


@contextmanager
def _connected(ref: ClusterRef) -> Iterator[Cluster]:
    cluster = _connect(ref)
    try:
        yield cluster
    finally:
        cluster.close()


def _connect(ref: ClusterRef) -> Cluster:
    return Cluster.connect(Path(ref.kubeconfig) if ref.kubeconfig else None, ref.context or None)


@dataclass
class _Pulse:
    """What the next heartbeats say."""

    report: LayerReport | None = None

    def tell(self, report: LayerReport) -> None:
        """Say this now, and until told otherwise."""
        self.report = report
        self.beat()

    def beat(self) -> None:
        """One heartbeat."""
        activity.heartbeat(*([] if self.report is None else [self.report]))


@asynccontextmanager
async def _at_work() -> AsyncIterator[_Pulse]:
    """Heartbeats while the block runs; a refusal of the world ends it as a failure that knows if retrying helps."""
    pulse = _Pulse()
    beating = asyncio.create_task(_beat(pulse))
    try:
        yield pulse
    except AdapterError as error:
        # Not chained: Temporal would carry the cause into the history too, past the redactor.
        raise _failure(error) from None
    finally:
        beating.cancel()


async def _beat(pulse: _Pulse) -> None:
    while True:
        pulse.beat()
        await asyncio.sleep(_BEAT_S)


def _failure(error: AdapterError) -> ApplicationError:
    text = f"{error.message.rstrip('.')}. {error.remedy}".strip()
    pause = error.retry_after if isinstance(error, Throttled) else None
    # A stale write was already planned again in the activity; the next attempt looks at everything anew.
    again = error.retryable or isinstance(error, Stale)
    return ApplicationError(
        redact_text(text),
        type=type(error).__name__,
        non_retryable=not again,
        next_retry_delay=timedelta(seconds=pause) if pause else None,
    )


async def _in_thread(work: Callable[[], Answer]) -> Answer:
    """Run blocking work. A cancellation waits until it is done: no write goes on behind a cancelled activity."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
