"""Writing a revision's objects: each is compared first, and only what differs is written. Called by `activities`.

So that doing it twice is doing it once, and nothing is applied that was not in the plan: what a plan of now would
change is written while the live object is still what the agreed plan saw, and refused otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from controlplane.adapters.errors import AdapterError, Refused, ServerFault, Stale
from controlplane.adapters.kubernetes import Cluster
from controlplane.emit.bundle import Bundle, EmittedObject, Manifest
from controlplane.plan.changes import Action, Change
from controlplane.plan.drift import DriftState, ObjectDrift, drift
from controlplane.plan.field_ownership import manager_entries
from controlplane.plan.plan import plan, ref_of
from controlplane.plan.staleness import stale
from controlplane.workflows.binding import key_of, precondition_of
from controlplane.workflows.binding import ref_of as reference
from controlplane.workflows.messages import DriftReport, FieldDrift, ObjectKey, ObjectOutcome, PlannedObject

_LOOKS = 3
"""A write that is refused because the object moved under it is planned again at most this often in one activity."""
_GONE_WITHIN_S = 60.0
_POLL_S = 0.25

NEVER_REMOVED = ("Namespace", "PersistentVolumeClaim", "CustomResourceDefinition")
"""Kinds that a return leaves behind: what is in them is worth more than tidiness."""


class StalePlan(AdapterError):
    """A live object is not what the plan saw."""


@dataclass(frozen=True, slots=True)
class Permission:
    """What may be written. `planned` is None where no plan binds; `replaceable` may be deleted and made again."""

    planned: Mapping[ObjectKey, PlannedObject] | None = None
    replaceable: Collection[ObjectKey] = field(default_factory=tuple)

    def forced(self, key: ObjectKey) -> bool:
        """Whether the plan showed whose ownership is taken."""
        planned = (self.planned or {}).get(key)
        return planned is not None and planned.force

    def may_replace(self, key: ObjectKey) -> bool:
        """Whether the object may be deleted and made again."""
        planned = (self.planned or {}).get(key)
        return key in self.replaceable or (planned is not None and planned.replace)


def as_objects(manifests: Iterable[Manifest]) -> tuple[EmittedObject, ...]:
    """Stored manifests as the differ wants them; where each field came from is not stored."""
    return tuple(EmittedObject(ref_of(m), m, {}, "") for m in manifests)


def apply_objects(
    cluster: Cluster, objects: Sequence[EmittedObject], permission: Permission
) -> tuple[ObjectOutcome, ...]:
    """Write those objects that differ from live, in apply order.

    Raises:
        StalePlan: an object is not what the plan saw.
        AdapterError: the cluster refuses.
    """
    changes = plan(Bundle(tuple(objects)), cluster.observe([o.manifest for o in objects])).changes
    return tuple(_apply(cluster, change, permission) for change in changes)


def _apply(cluster: Cluster, change: Change, permission: Permission) -> ObjectOutcome:
    for look in range(_LOOKS):
        try:
            return _write(cluster, change, permission)
        except (Stale, StalePlan):
            # Another service's rollout may just have written an object that both share: then it is as wanted now.
            if look == _LOOKS - 1:
                raise
            change = _look_again(cluster, _desired(change))
    raise AssertionError("unreachable: the last look raises")


def _look_again(cluster: Cluster, desired: EmittedObject) -> Change:
    return plan(Bundle((desired,)), cluster.observe([desired.manifest])).changes[0]


def _write(cluster: Cluster, change: Change, permission: Permission) -> ObjectOutcome:
    key = key_of(change.ref)
    if change.action is Action.UNCHANGED:
        return ObjectOutcome(key, "unchanged")
    if change.action is Action.CANNOT_COMPARE:
        raise Refused(f"{change.ref}: {change.refusal.message if change.refusal else 'it cannot be compared'}")
    live = cluster.get(change.ref)
    check_planned(permission.planned, _desired(change), live, replaced=permission.may_replace(key))
    if change.action is Action.REPLACE:
        return _replace(cluster, change, live, permission)
    return _update(cluster, change, live, force=permission.forced(key))


def _desired(change: Change) -> EmittedObject:
    if change.desired is None:
        raise ValueError(f"{change.ref} is a deletion; a revision holds only what is wanted")
    return change.desired


def _update(cluster: Cluster, change: Change, live: Manifest | None, *, force: bool) -> ObjectOutcome:
    manifest = _desired(change).manifest
    if live is None:
        cluster.apply(manifest)
        return ObjectOutcome(key_of(change.ref), "created")
    metadata = live["metadata"]
    # Unforced, the server merges by owner, and status writes in between are no obstacle. Forced, it would overwrite
    # whatever came in between: then only the very object that was looked at may be written.
    version = metadata["resourceVersion"] if force else None
    cluster.apply(manifest, force=force, resource_version=version, uid=metadata["uid"])
    return ObjectOutcome(key_of(change.ref), "updated")


def _replace(cluster: Cluster, change: Change, live: Manifest | None, permission: Permission) -> ObjectOutcome:
    key = key_of(change.ref)
    if not permission.may_replace(key):
        reason = change.refusal.message if change.refusal else "a field cannot be changed"
        raise Refused(
            f"{change.ref} would have to be deleted and made again: {reason}",
            remedy="Plan and apply again: the plan will say that it is replaced.",
        )
    if live is not None:
        _delete(cluster, change, live)
    cluster.apply(_desired(change).manifest)
    return ObjectOutcome(key, "replaced")


def _delete(cluster: Cluster, change: Change, live: Manifest) -> None:
    cluster.delete(change.ref, live["metadata"]["uid"])
    deadline = time.monotonic() + _GONE_WITHIN_S
    while cluster.get(change.ref) is not None:
        if time.monotonic() > deadline:
            raise ServerFault(
                f"{change.ref} was deleted to be made again, and is still there after {_GONE_WITHIN_S:g} s",
                remedy="See which finalizer holds it.",
            )
        time.sleep(_POLL_S)


def verify_objects(
    cluster: Cluster, objects: Sequence[EmittedObject], planned: Mapping[ObjectKey, PlannedObject]
) -> None:
    """Raise `StalePlan` unless each object is what the plan saw, or is already what the plan wants."""
    for each in objects:
        try:
            check_planned(planned, each, cluster.get(each.ref))
        except StalePlan:
            known = key_of(each.ref) in planned
            if not known or _look_again(cluster, each).action is not Action.UNCHANGED:
                raise


def check_planned(
    planned: Mapping[ObjectKey, PlannedObject] | None,
    desired: EmittedObject,
    live: Manifest | None,
    *,
    replaced: bool = False,
) -> None:
    """Raise `StalePlan` unless the live object is what the plan saw. One that is replaced may be gone already."""
    if planned is None or (replaced and live is None):
        return
    entry = planned.get(key_of(desired.ref))
    if entry is None:
        raise StalePlan(f"{desired.ref} is part of the revision but not of the plan", remedy="Plan again.")
    found = stale(desired.ref, precondition_of(entry, desired.manifest, live), desired.manifest, live)
    if found is not None:
        raise StalePlan(found.message)


def delete_planned(cluster: Cluster, planned: Sequence[PlannedObject]) -> tuple[ObjectOutcome, ...]:
    """Delete exactly the objects that the plan saw; those that are gone already are done."""
    return tuple(ObjectOutcome(p.key, "deleted") for p in planned if cluster.delete(reference(p.key), p.uid or None))


def remove_created(
    cluster: Cluster, failed: Sequence[Manifest], kept: Sequence[Manifest], created: Collection[ObjectKey]
) -> tuple[ObjectOutcome, ...]:
    """Remove what was created for the failed revision, is ours, and is no part of the kept one."""
    still_wanted = {key_of(ref_of(m)) for m in kept}
    candidates = [key for key in (key_of(ref_of(m)) for m in failed) if key in created and key not in still_wanted]
    outcomes = (_remove(cluster, key) for key in reversed(candidates))
    return tuple(outcome for outcome in outcomes if outcome is not None)


def _remove(cluster: Cluster, key: ObjectKey) -> ObjectOutcome | None:
    live = cluster.get(reference(key))
    if live is None:
        return None
    if key.kind in NEVER_REMOVED or not any(entry.ours for entry in manager_entries(live)):
        return ObjectOutcome(key, "kept")
    cluster.delete(reference(key), live["metadata"]["uid"])
    return ObjectOutcome(key, "deleted")


def heal_objects(
    cluster: Cluster, objects: Sequence[EmittedObject], report: DriftReport
) -> tuple[ObjectOutcome, ...]:
    """Write back the reported fields of the reported objects by force.

    An object with other drift besides is left for the next report: nothing is forced that was not named. Raises
    `AdapterError` when the cluster refuses.
    """
    allowed: dict[ObjectKey, set[str]] = {}
    for each in report.fields:
        allowed.setdefault(each.key, set()).add(each.path)
    chosen = [o for o in objects if key_of(o.ref) in allowed]
    return tuple(_heal(cluster, each, allowed[key_of(each.ref)]) for each in chosen)


def _heal(cluster: Cluster, desired: EmittedObject, allowed: Collection[str]) -> ObjectOutcome:
    key = key_of(desired.ref)
    for look in range(_LOOKS):
        observed = cluster.observe([desired.manifest])[0]
        found = drift([desired], [observed]).objects[0]
        if not all(each.path in allowed for each in drifted_fields(found)):
            return ObjectOutcome(key, "kept")
        if found.state not in (DriftState.DRIFTED, DriftState.MISSING):
            return ObjectOutcome(key, "unchanged")
        if found.refusal is not None:
            raise Refused(f"{desired.ref} cannot be healed by an apply: {found.refusal.message}")
        live = observed.live
        try:
            _force(cluster, desired.manifest, live)
        except Stale:
            if look == _LOOKS - 1:
                raise
            continue
        return ObjectOutcome(key, "created" if live is None else "updated")
    raise AssertionError("unreachable: the last look raises")


def _force(cluster: Cluster, manifest: Manifest, live: Manifest | None) -> None:
    """Guarded by the version that was compared: a newer write refuses ours, and we compare again."""
    if live is None:
        cluster.apply(manifest)
        return
    metadata = live["metadata"]
    cluster.apply(manifest, force=True, resource_version=metadata["resourceVersion"], uid=metadata["uid"])


def drifted_fields(found: ObjectDrift) -> tuple[FieldDrift, ...]:
    """The fields of one object's drift; a missing object counts as one field without a path."""
    key = key_of(found.ref)
    if found.state is DriftState.MISSING:
        return (FieldDrift(key, "", "removed"),)
    if found.state is not DriftState.DRIFTED:
        return ()
    return tuple(FieldDrift(key, f.label, f.action.value, f.owners) for f in found.fields)
