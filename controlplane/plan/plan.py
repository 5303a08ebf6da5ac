"""The plan: what is wanted and what the API server said about it -> a ChangeSet in apply order. Pure.

`adapters.kubernetes` observes, `cli` asks for a plan and shows it, the rollout carries it out. An object is only
ever updated when a field of ours differs; nothing is deleted unless a change says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from controlplane.emit.bundle import Bundle, EmittedObject, Manifest
from controlplane.plan.changes import Action, Change, ChangeSet, FieldChange, Observed, Reason, Refusal
from controlplane.plan.consequences import ObjectChange, consequences
from controlplane.plan.differ import (
    ObjectChanges,
    adopted_fields,
    declared_changes,
    declared_in,
    foreign_fields,
    kept_fields,
    object_changes,
    overruled_fields,
)
from controlplane.plan.field_ownership import manager_entries
from controlplane.plan.order import in_apply_order
from controlplane.plan.redaction import redact_text
from controlplane.plan.refusals import is_immutable_field, is_invalid, is_missing_namespace, shown, terminating
from controlplane.plan.staleness import precondition
from controlplane.stack.references import ObjectRef


@dataclass(frozen=True, slots=True)
class _Judgement:
    action: Action
    reason: Reason
    fields: tuple[FieldChange, ...] = ()
    side_effects: tuple[FieldChange, ...] = ()
    refusal: Refusal | None = None


def plan(
    bundle: Bundle,
    observations: Sequence[Observed],
    *,
    orphans: Sequence[Manifest] = (),
    cluster_uid: str = "",
    source_digests: Mapping[str, str] | None = None,
) -> ChangeSet:
    """Compare a bundle with what was observed of each of its objects.

    `orphans` are live objects with our labels; those that are not in the bundle are named in the notes and left
    alone. Raises KeyError when an object of the bundle was not observed.
    """
    seen = {observed.ref: observed for observed in observations}
    namespaces = {each.ref.name for each in bundle.objects if each.ref.kind == "Namespace"}
    changes = tuple(_change(desired, seen[desired.ref], namespaces) for desired in in_apply_order(bundle.objects))
    kept = (note for change in changes for note in _kept_notes(change, seen[change.ref]))
    notes = (*_overruled_notes(changes), *kept, *orphan_notes(bundle, orphans))
    return ChangeSet(changes, cluster_uid=cluster_uid, notes=notes, source_digests=dict(source_digests or {}))


def orphan_notes(bundle: Bundle, orphans: Sequence[Manifest]) -> tuple[str, ...]:
    """A sentence for each live object with our labels that the policies do not make any more."""
    wanted = {_without_version(each.ref) for each in bundle.objects}
    left = sorted({ref_of(each) for each in orphans if _without_version(ref_of(each)) not in wanted})
    return tuple(
        f"{ref} carries our labels and no policy makes it any more. It is left alone; delete it when nothing uses it."
        for ref in left
    )


def ref_of(manifest: Manifest) -> ObjectRef:
    """The reference of an object as the API server returned it."""
    metadata = manifest["metadata"]
    return ObjectRef(manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"])


def _without_version(ref: ObjectRef) -> tuple[str, str, str, str]:
    return (ref.group, ref.kind, ref.namespace, ref.name)


def _change(desired: EmittedObject, observed: Observed, namespaces: set[str]) -> Change:
    live, predicted = observed.live, observed.predicted
    judged = _judge(desired, observed, namespaces)
    after = predicted or desired.manifest
    told = ObjectChange(desired.ref.kind, judged.action, judged.fields, live, after)
    declared = declared_in(desired.manifest, live) if live else []
    as_predicted = declared if judged.reason is Reason.SAME else None
    return Change(
        ref=desired.ref,
        action=judged.action,
        reason=judged.reason,
        desired=desired,
        precondition=precondition(desired.manifest, live, declared),
        fields=judged.fields,
        foreign=foreign_fields(live, desired.manifest) if live else (),
        conflicts=tuple(replace(each, message=redact_text(each.message)) for each in observed.conflicts),
        consequences=consequences(told) if judged.action is not Action.CANNOT_COMPARE else (),
        refusal=judged.refusal,
        service=desired.service,
        overruled=overruled_fields(predicted, desired, as_predicted) if predicted else (),
        side_effects=judged.side_effects,
    )


def _judge(desired: EmittedObject, observed: Observed, namespaces: set[str]) -> _Judgement:
    if (leaving := terminating(observed.live)) is not None:
        return _Judgement(Action.CANNOT_COMPARE, Reason.REFUSED, refusal=leaving)
    if observed.predicted is None:
        return _judge_unpredicted(desired, observed, namespaces)
    if observed.live is None:
        return _Judgement(Action.CREATE, Reason.ABSENT)
    changes = object_changes(observed.live, observed.predicted, desired)
    return _judge_compared(changes, adopted_fields(observed.live, desired))


def _judge_compared(changes: ObjectChanges, adopted: tuple[FieldChange, ...]) -> _Judgement:
    if changes.fields:
        return _Judgement(Action.UPDATE, Reason.FIELDS_DIFFER, changes.fields, changes.side_effects)
    if adopted:
        return _Judgement(Action.UPDATE, Reason.NOT_OURS_YET, adopted, changes.side_effects)
    return _Judgement(Action.UNCHANGED, Reason.SAME)


def _judge_unpredicted(desired: EmittedObject, observed: Observed, namespaces: set[str]) -> _Judgement:
    refusal, live = observed.refusal, observed.live
    if live is None and (refusal is None or is_missing_namespace(refusal, desired.ref.namespace)):
        if desired.ref.namespace in namespaces:
            return _Judgement(Action.CREATE, Reason.NAMESPACE_PENDING)
        return _Judgement(Action.CANNOT_COMPARE, Reason.REFUSED, refusal=_no_namespace(desired.ref))
    if refusal is None:
        raise ValueError(f"{desired.ref} was observed without a prediction and without a refusal")
    told = shown(refusal, desired.manifest, live)
    if live is not None and is_immutable_field(refusal):
        if not any(entry.ours for entry in manager_entries(live)):
            return _Judgement(Action.CANNOT_COMPARE, Reason.REFUSED, refusal=_somebody_elses(told, live))
        return _Judgement(Action.REPLACE, Reason.IMMUTABLE_FIELD, declared_changes(live, desired), refusal=told)
    fields = declared_changes(live, desired) if live is not None and is_invalid(refusal) else ()
    return _Judgement(Action.CANNOT_COMPARE, Reason.REFUSED, fields, refusal=told)


def _no_namespace(ref: ObjectRef) -> Refusal:
    text = f"The namespace {ref.namespace} does not exist and no policy makes it. Create it, or let a policy make it."
    return Refusal(404, "NotFound", text)


def _somebody_elses(refusal: Refusal, live: Manifest) -> Refusal:
    """An object of our name that others made and that cannot become what we want: never ours to delete."""
    makers = ", ".join(sorted({entry.manager for entry in manager_entries(live)})) or "somebody else"
    text = (
        f"An object of this name exists, made by {makers} and never applied by us, and it cannot become what "
        f"the policy wants. Name the service otherwise, or delete that object yourself. ({refusal.message})"
    )
    return Refusal(refusal.status, refusal.reason, text)


def _kept_notes(change: Change, observed: Observed) -> tuple[str, ...]:
    if observed.live is None or observed.predicted is None or change.desired is None:
        return ()
    kept = kept_fields(observed.live, observed.predicted, change.desired.manifest)
    return tuple(
        f"{change.ref}: {text} left the policy and stays: {managers} owns it too." for text, managers in kept
    )


def _overruled_notes(changes: Sequence[Change]) -> tuple[str, ...]:
    return tuple(f"{change.ref}: {redact_text(each.message)}" for change in changes for each in change.overruled)
