"""How live objects differ from the revision that was rolled out: exactly the fields of ours. Pure.

Made by the same differ as a plan, so that what is called drift and what a plan would show can never disagree.
Defaults, other managers' fields and fields that admission overrules are not drift.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.emit.bundle import EmittedObject
from controlplane.plan.changes import FieldChange, Observed, Overruled, Refusal
from controlplane.plan.differ import declared_changes, field_changes, overruled_fields
from controlplane.plan.order import in_apply_order
from controlplane.plan.refusals import is_invalid, shown, terminating
from controlplane.stack.references import ObjectRef


class DriftState(enum.StrEnum):
    """What became of one object."""

    SAME = "same"
    DRIFTED = "drifted"
    MISSING = "missing"
    CANNOT_COMPARE = "cannot-compare"


@dataclass(frozen=True, slots=True)
class ObjectDrift:
    """One object. `fields` are as in a plan: `before` is what is live, `after` what healing makes of it."""

    ref: ObjectRef
    state: DriftState
    fields: tuple[FieldChange, ...] = ()
    refusal: Refusal | None = None
    overruled: tuple[Overruled, ...] = ()


@dataclass(frozen=True, slots=True)
class DriftReport:
    """All objects of a revision, in apply order."""

    objects: tuple[ObjectDrift, ...]

    @property
    def drifted(self) -> tuple[ObjectDrift, ...]:
        """The objects that differ or are gone."""
        return tuple(each for each in self.objects if each.state in (DriftState.DRIFTED, DriftState.MISSING))

    @property
    def unclear(self) -> tuple[ObjectDrift, ...]:
        """The objects that could not be compared: neither drift nor the absence of it."""
        return tuple(each for each in self.objects if each.state is DriftState.CANNOT_COMPARE)


def drift(revision_objects: Sequence[EmittedObject], observations: Sequence[Observed]) -> DriftReport:
    """Compare a revision with what was observed of each of its objects.

    Raises KeyError when an object was not observed.
    """
    seen = {observed.ref: observed for observed in observations}
    return DriftReport(tuple(_object(each, seen[each.ref]) for each in in_apply_order(revision_objects)))


def _object(desired: EmittedObject, observed: Observed) -> ObjectDrift:
    live, predicted = observed.live, observed.predicted
    if live is None:
        return ObjectDrift(desired.ref, DriftState.MISSING, refusal=observed.refusal)
    if (leaving := terminating(live)) is not None:
        return ObjectDrift(desired.ref, DriftState.CANNOT_COMPARE, refusal=leaving)
    if predicted is None:
        return _refused(desired, observed)
    fields = field_changes(live, predicted, desired)
    state = DriftState.DRIFTED if fields else DriftState.SAME
    return ObjectDrift(desired.ref, state, fields, overruled=overruled_fields(predicted, desired))


def _refused(desired: EmittedObject, observed: Observed) -> ObjectDrift:
    """An object that was valid when it was rolled out and is not now was made so by edits, and those are drift.

    An apply cannot heal it: an immutable field differs, or what somebody added is not allowed beside what is ours.
    Any other refusal (a webhook that is down, a right that is missing) tells nothing.
    """
    live, refusal = observed.live, observed.refusal
    told = None if refusal is None else shown(refusal, desired.manifest, live)
    fields = declared_changes(live, desired) if live is not None and is_invalid(refusal) else ()
    state = DriftState.DRIFTED if fields else DriftState.CANNOT_COMPARE
    return ObjectDrift(desired.ref, state, fields, told)
