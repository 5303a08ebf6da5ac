"""A simulated cluster behind the ports: a test double, in memory or in a file that survives a killed worker.

It has revisions, live objects and a health for each layer of a revision, and writes down every write. It says
nothing about Kubernetes; what a real API server makes of a rollout is tested in `test_on_a_cluster`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from controlplane.workflows.messages import (
    DriftReport,
    FieldDrift,
    LayerReport,
    LayerState,
    ObjectKey,
    ObjectOutcome,
    PlannedObject,
    RevisionRef,
    RolloutRequest,
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

HEALTHY = "healthy"
NEVER = "never"
"""A layer that stays as it is until its time is up."""
LATE = "late"
"""A layer that nobody sees become healthy in time, and that is healthy by then."""


def key_of(name: str) -> ObjectKey:
    """The key of a simulated object."""
    return ObjectKey("v1", "ConfigMap", "llm", name)


def revision_of(number: int) -> RevisionRef:
    """A simulated revision."""
    return RevisionRef(number, f"digest-of-{number}")


@dataclass
class World:
    """The state of the simulated cluster. `writes` lists (object, value) in order; a deletion has the value None."""

    revisions: dict[int, dict[str, Any]] = field(default_factory=dict)
    live: dict[str, str] = field(default_factory=dict)
    writes: list[tuple[str, str | None]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    outage: int = 0
    """How many more times the API server does not answer an apply."""
    refuses_checks: str = ""
    """What the API server says to whoever wants to compare, if it does not let them."""

    def add_revision(self, number: int, groups: Mapping[str, Mapping[str, str]], **health: str) -> None:
        """A stored revision: values of objects by group, and the health that each layer will have (else healthy)."""
        self.revisions[number] = {"groups": {g: dict(o) for g, o in groups.items()}, "health": health, "mark": ""}

    def objects(self, revision: int) -> dict[str, str]:
        """All objects of a revision."""
        groups = self.revisions[revision]["groups"]
        return {name: value for group in groups.values() for name, value in group.items()}

    def plan(self, revision: int) -> tuple[PlannedObject, ...]:
        """A plan of this revision against live as it is now."""
        wanted = [self._planned(name) for name in self.objects(revision)]
        return tuple(wanted)

    def _planned(self, name: str) -> PlannedObject:
        return PlannedObject(key_of(name), f"uid-{name}" if name in self.live else "", self.live.get(name, ""))

    def writes_of(self, name: str) -> list[str | None]:
        """Everything that was written to one object."""
        return [value for written, value in self.writes if written == name]


class SimulatedCluster(ClusterPorts):
    """The ports over a `World`; with `folder`, the world lives in a file there and activities can be held up.

    While `folder/hold-NAME-before` (or `-after`) exists, the activity NAME stops there, leaving `held-NAME-before`.
    """

    def __init__(self, world: World | None = None, folder: Path | None = None) -> None:
        self._folder = folder
        self._memory = world or World()

    @property
    def world(self) -> World:
        """The world as it is now."""
        return load(self._folder) if self._folder else self._memory

    def save(self, world: World) -> None:
        """Keep a changed world."""
        if self._folder:
            store(self._folder, world)

    async def _enter(self, name: str) -> World:
        await self._held(f"{name}-before")
        world = self.world
        world.calls.append(name)
        self.save(world)
        return world

    async def _leave(self, name: str) -> None:
        await self._held(f"{name}-after")

    async def _held(self, point: str) -> None:
        while self._folder and (self._folder / f"hold-{point}").exists():
            (self._folder / f"held-{point}").touch()
            activity.heartbeat()
            await asyncio.sleep(0.02)

    @activity.defn
    async def verify_plan(self, request: RolloutRequest) -> VerifiedPlan:
        """Stale when a planned object is not as it was."""
        world = await self._enter("verify_plan")
        for planned in request.planned or ():
            _check(world, planned, None)
        await self._leave("verify_plan")
        return VerifiedPlan(tuple(world.revisions[request.revision.number]["groups"]))

    @activity.defn
    async def last_good(self, query: RevisionQuery) -> StoredRevision:
        """The newest one marked good."""
        world = await self._enter("last_good")
        good = [n for n, r in world.revisions.items() if r["mark"] == "good" and n != query.besides.number]
        newest = max((n for n, r in world.revisions.items() if r["mark"] == "good"), default=0)
        again = newest == query.besides.number
        if not good:
            return StoredRevision(asked_is_newest=again)
        return StoredRevision(revision_of(good[-1]), tuple(world.revisions[good[-1]]["groups"]), again)

    @activity.defn
    async def apply_group(self, order: GroupOrder) -> ObjectOutcomes:
        """Write what differs."""
        world = await self._enter("apply_group")
        if world.outage:
            world.outage -= 1
            raise ApplicationError("the API server does not answer", type="Unreachable")
        if refusal := world.revisions[order.revision.number]["health"].get("apply"):
            raise ApplicationError(refusal, type="Forbidden", non_retryable=True)
        planned = {p.key: p for p in order.planned or ()}
        wanted = world.revisions[order.revision.number]["groups"].get(order.group, {})
        outcomes = [self._apply(world, n, v, planned.get(key_of(n))) for n, v in wanted.items()]
        await self._leave("apply_group")
        return ObjectOutcomes(tuple(outcomes))

    def _apply(self, world: World, name: str, value: str, planned: PlannedObject | None) -> ObjectOutcome:
        before = world.live.get(name)
        if before == value:
            return ObjectOutcome(key_of(name), "unchanged")
        if planned is not None:
            _check(world, planned, value)
        world.live[name] = value
        world.writes.append((name, value))
        self.save(world)
        return ObjectOutcome(key_of(name), "created" if before is None else "updated")

    @activity.defn
    async def delete_planned(self, order: DeletionOrder) -> ObjectOutcomes:
        """Delete what is there."""
        world = await self._enter("delete_planned")
        return self._delete(world, [p.key.name for p in order.planned])

    def _delete(self, world: World, names: list[str]) -> ObjectOutcomes:
        gone = [name for name in names if world.live.pop(name, None) is not None]
        world.writes.extend((name, None) for name in gone)
        self.save(world)
        return ObjectOutcomes(tuple(ObjectOutcome(key_of(name), "deleted") for name in gone))

    @activity.defn
    async def await_layer(self, query: LayerQuery) -> LayerReport:
        """As the revision's health says; `never` waits until it is cancelled."""
        await self._enter("await_layer")
        await self._held(f"{query.layer.value}-before")
        while (report := self._report(query, late=LayerState.WAITING)).state is LayerState.WAITING:
            activity.heartbeat(report)
            await asyncio.sleep(0.02)
        return report

    @activity.defn
    async def look_at_layer(self, query: LayerQuery) -> LayerReport:
        """The same, once."""
        await self._enter("look_at_layer")
        return self._report(query, late=LayerState.HEALTHY)

    def _report(self, query: LayerQuery, *, late: LayerState) -> LayerReport:
        health = self.world.revisions[query.revision.number]["health"].get(query.layer.value, HEALTHY)
        if health == HEALTHY:
            return LayerReport(query.layer, LayerState.HEALTHY, 1, 1)
        if health == LATE:
            return LayerReport(query.layer, late, 1, 1)
        if health == NEVER:
            return LayerReport(query.layer, LayerState.WAITING, 0, 1, "still starting")
        return LayerReport(query.layer, LayerState.FAILED, 0, 1, health)

    @activity.defn
    async def mark_revision(self, order: MarkOrder) -> None:
        """Keep the mark."""
        world = await self._enter("mark_revision")
        world.revisions[order.revision.number]["mark"] = order.mark.value
        self.save(world)
        await self._leave("mark_revision")

    @activity.defn
    async def remove_created(self, order: RemovalOrder) -> ObjectOutcomes:
        """Only what was created, and the kept revision lacks."""
        world = await self._enter("remove_created")
        kept = world.objects(order.kept.number)
        outcome = self._delete(world, [k.name for k in order.created if k.name not in kept])
        await self._leave("remove_created")
        return outcome

    @activity.defn
    async def check_drift(self, check: DriftCheckInput) -> DriftReport:  # noqa: ARG002  there is one service here
        """Objects whose value is not that of the last good revision."""
        world = await self._enter("check_drift")
        if world.refuses_checks:
            raise ApplicationError(world.refuses_checks, type="Forbidden", non_retryable=True)
        good = [n for n, r in world.revisions.items() if r["mark"] == "good"]
        if not good:
            return DriftReport(RevisionRef())
        differing = [n for n, v in world.objects(good[-1]).items() if world.live.get(n) != v]
        fields = tuple(FieldDrift(key_of(n), "data.value", "changed", ("kubectl-edit",)) for n in differing)
        return DriftReport(revision_of(good[-1]), fields, len(fields))

    @activity.defn
    async def heal(self, order: HealOrder) -> ObjectOutcomes:
        """Put back the objects of the report."""
        world = await self._enter("heal")
        wanted = world.objects(order.report.revision.number)
        outcomes = [self._apply(world, k.name, wanted[k.name], None) for k in order.report.objects]
        await self._leave("heal")
        return ObjectOutcomes(tuple(outcomes))


def _check(world: World, planned: PlannedObject, desired: str | None) -> None:
    live = world.live.get(planned.key.name)
    if live != (planned.owned_digest or None) and (desired is None or live != desired):
        raise ApplicationError(
            f"the plan is stale: {planned.key} changed since", type="StalePlan", non_retryable=True
        )


def load(folder: Path) -> World:
    """The world in a folder."""
    data = json.loads((folder / "world.json").read_text())
    data["revisions"] = {int(number): revision for number, revision in data["revisions"].items()}
    data["writes"] = [tuple(w) for w in data["writes"]]
    return World(**data)


def store(folder: Path, world: World) -> None:
    """Write the world at once or not at all: the writer may be killed at any moment."""
    partial = folder / "world.json.partial"
    partial.write_text(json.dumps(vars(world)))
    partial.rename(folder / "world.json")
