"""What a server-side apply of ours would change in one object, field by field. Pure.

The API server's own answer to a forced dry run (`predicted`) is compared with what is live, so that defaults and
other managers' fields cancel out. What then differs is ours when we set it or own it; anything else that differs is
a side effect of the write. Status and drift are derived from the same result, so that they can never disagree with
the difference that is shown (argo-cd#21434).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import EmittedObject, Manifest
from controlplane.plan.addresses import MISSING, Address, ItemKey, label, locate, value_at
from controlplane.plan.changes import FieldAction, FieldChange, ForeignField, Overruled
from controlplane.plan.declared import DeclaredField, declared_fields, unlike
from controlplane.plan.differences import BOOKKEEPING, Difference, differences
from controlplane.plan.field_ownership import (
    ManagerEntry,
    all_nodes,
    leaves,
    manager_entries,
    owned,
    owners_of,
)
from controlplane.plan.redaction import REDACTED_AFTER, REDACTED_BEFORE, redact_at
from controlplane.stack.facts import Origin

_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class ObjectChanges:
    """What an apply would do to one object: to fields of ours, and besides."""

    fields: tuple[FieldChange, ...]
    side_effects: tuple[FieldChange, ...] = ()


def object_changes(live: Manifest, predicted: Manifest, desired: EmittedObject) -> ObjectChanges:
    """Compare live with the prediction and tell our fields from side effects; both in order of the fields."""
    entries = manager_entries(live)
    nodes = (*all_nodes(entries), *all_nodes(manager_entries(predicted)))
    ours: list[FieldChange] = []
    besides: list[FieldChange] = []
    for difference in differences(live, predicted, nodes):
        wanted = _wants(desired.manifest, difference)
        target = ours if wanted or owned(entries, difference.address) else besides
        target.append(_field_change(difference, live, predicted, desired, entries, wanted=wanted))
    return ObjectChanges(tuple(ours), tuple(besides))


def field_changes(live: Manifest, predicted: Manifest, desired: EmittedObject) -> tuple[FieldChange, ...]:
    """The fields that we own or set and that an apply would change; empty exactly when nothing of ours differs."""
    return object_changes(live, predicted, desired).fields


def declared_changes(live: Manifest, desired: EmittedObject) -> tuple[FieldChange, ...]:
    """What we set that is not so in live, for an object whose prediction the API server refused.

    Without a prediction, defaults and removals cannot be told.
    """
    entries = manager_entries(live)
    return tuple(
        _change(
            Difference(each.address, each.path, each.found, each.wanted),
            FieldAction.ADDED if each.found is MISSING else FieldAction.CHANGED,
            (live, desired.manifest),
            owners_of(entries, each.address),
            origin_below(desired, each.path),
        )
        for each in unlike(desired.manifest, declared_in(desired.manifest, live))
    )


def adopted_fields(live: Manifest, desired: EmittedObject) -> tuple[FieldChange, ...]:
    """The fields that an apply would make ours, when nothing of the object was applied by us before."""
    entries = manager_entries(live)
    if any(entry.ours for entry in entries):
        return ()
    return tuple(
        _change(
            Difference(each.address, each.path, each.wanted, each.wanted),
            FieldAction.ADOPTED,
            (live, desired.manifest),
            owners_of(entries, each.address),
            origin_below(desired, each.path),
        )
        for each in declared_in(desired.manifest, live)
        if each.found is not MISSING
    )


def overruled_fields(
    predicted: Manifest, desired: EmittedObject, declared: Iterable[DeclaredField] | None = None
) -> tuple[Overruled, ...]:
    """The fields that we set and that the API server's answer has otherwise, or not at all.

    `declared` are the fields that we set as the answer has them, when they are known already.
    """
    if declared is None:
        declared = declared_in(desired.manifest, predicted)
    return tuple(_overruled(each, desired, predicted) for each in unlike(desired.manifest, declared))


def declared_in(desired: Manifest, state: Manifest) -> list[DeclaredField]:
    """The fields that we set, as a state of the object in the cluster has them."""
    return declared_fields(desired, state, all_nodes(manager_entries(state)))


def foreign_fields(live: Manifest, desired: Manifest) -> tuple[ForeignField, ...]:
    """Live fields that somebody else owns and we neither own nor set, sorted by label and manager."""
    entries = manager_entries(live)

    def ours(address: Address) -> bool:
        return locate(desired, address) is not None or owned(entries, address)

    found = {
        (label(address), entry.manager): address
        for entry in entries
        if not entry.ours
        for leaf, _ in leaves(entry.fields, live)
        if _counts_as_foreign(leaf) and not ours(leaf)
        for address in (_foreign_item(leaf, ours),)
    }
    return tuple(
        ForeignField(text, manager, _shown(live, address)) for (text, manager), address in sorted(found.items())
    )


def kept_fields(live: Manifest, predicted: Manifest, desired: Manifest) -> tuple[tuple[str, str], ...]:
    """Fields that left the policy and stay, because others own them too: label and managers, sorted.

    So it goes after a move from client-side apply (kubernetes/kubernetes#99003).
    """
    entries = manager_entries(live)
    others = tuple(entry for entry in entries if not entry.ours)
    if not others:
        return ()
    kept = {
        label(address): ", ".join(owners_of(others, address))
        for entry in entries
        if entry.ours
        for address, _ in leaves(entry.fields, live)
        if locate(desired, address) is None and locate(predicted, address) is not None
    }
    return tuple((text, managers) for text, managers in sorted(kept.items()) if managers)


def _foreign_item(leaf: Address, ours: Callable[[Address], bool]) -> Address:
    """The whole item that a foreign leaf is part of, where nothing of the item is ours: an injected sidecar."""
    items = (leaf[: index + 1] for index, step in enumerate(leaf) if isinstance(step, ItemKey))
    return next((item for item in items if not ours(item)), leaf)


def origin_below(desired: EmittedObject, path: KeyPath) -> Origin | None:
    """The origin of a field, or of the first leaf beneath it."""
    found = desired.origin_of(path)
    if found is not None:
        return found
    below = (origin for at, origin in desired.provenance.items() if at[: len(path)] == path)
    return next(below, None)


def _wants(desired: Manifest, difference: Difference) -> bool:
    """Whether we set the field, or the whole that it is part of."""
    address = difference.address if difference.whole is None else difference.whole
    return value_at(desired, address) not in (MISSING, None)


def _field_change(
    difference: Difference,
    live: Manifest,
    predicted: Manifest,
    desired: EmittedObject,
    entries: tuple[ManagerEntry, ...],
    *,
    wanted: bool,
) -> FieldChange:
    action = _action(difference, left_out=not wanted and owned(entries, difference.address))
    at = locate(desired.manifest, difference.address)
    origin = None if at is None or action is FieldAction.REMOVED else origin_below(desired, at[0])
    return _change(difference, action, (live, predicted), owners_of(entries, difference.address), origin)


def _action(difference: Difference, *, left_out: bool) -> FieldAction:
    """A field of ours that is wanted no more is removed, even where a default takes its place."""
    if difference.before is MISSING:
        return FieldAction.ADDED
    return FieldAction.REMOVED if difference.after is MISSING or left_out else FieldAction.CHANGED


def _change(
    difference: Difference,
    action: FieldAction,
    sides: tuple[Manifest, Manifest],
    owners: tuple[str, ...],
    origin: Origin | None,
) -> FieldChange:
    before = _shown_value(sides[0], difference.address, difference.before)
    after = _shown_value(sides[1], difference.address, difference.after)
    if before == after and action is FieldAction.CHANGED:
        # What differs is hidden; a change must not look empty.
        before, after = REDACTED_BEFORE, REDACTED_AFTER
    return FieldChange(difference.path, label(difference.address), action, before, after, owners, origin)


def _overruled(each: DeclaredField, desired: EmittedObject, predicted: Manifest) -> Overruled:
    text = label(each.address)
    wanted = _shown_value(desired.manifest, each.address, each.wanted)
    becomes = _shown_value(predicted, each.address, each.found)
    answer = (
        "the API server leaves it out" if each.found is MISSING else f"the API server answers {_in_words(becomes)}"
    )
    message = f"{text} is set to {_in_words(wanted)} and {answer}: a webhook or an admission rule changes it."
    return Overruled(each.path, text, wanted, becomes, message, origin_below(desired, each.path))


def _in_words(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def _shown_value(manifest: Manifest, address: Address, value: Any) -> Any:
    if value is MISSING:
        return None
    found = locate(manifest, address)
    return redact_at(manifest, found[0] if found else (), value)


def _shown(live: Manifest, address: Address) -> Any:
    return _shown_value(live, address, value_at(live, address))


def _counts_as_foreign(address: Address) -> bool:
    return address[:1] != ("status",) and not (
        address[:1] == ("metadata",) and address[1:2] and address[1] in BOOKKEEPING
    )
