"""Whether a plan still fits the cluster: what it was bound to, and what changed since.

A plan is bound, for each live object, to its uid and to the fields that we own or set. Status, and what other
managers write to their own fields, never makes it stale.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from controlplane.emit.bundle import Manifest
from controlplane.plan.addresses import MISSING, Address, identity, label, value_at
from controlplane.plan.changes import Precondition
from controlplane.plan.declared import DeclaredField
from controlplane.plan.differ import declared_in
from controlplane.plan.equality import canonical_text
from controlplane.plan.field_ownership import ManagerEntry, Nodes, all_nodes, descend_all, leaves, manager_entries
from controlplane.stack.references import ObjectRef

_DIGEST_CHARACTERS = 16


class StaleKind(enum.StrEnum):
    """What happened to the object since it was planned."""

    CREATED = "created"
    DELETED = "deleted"
    REPLACED = "replaced"
    FIELD_CHANGED = "field-changed"


@dataclass(frozen=True, slots=True)
class Staleness:
    """Why a plan does not fit any more. Values are told by their digests, since they may be secret."""

    ref: ObjectRef
    kind: StaleKind
    message: str
    label: str = ""
    manager: str = ""
    time: str = ""
    before_digest: str = ""
    after_digest: str = ""


class _Bound(NamedTuple):
    """A field that a plan is bound to: where it is, and a digest of its value."""

    address: Address
    digest: str


def precondition(
    desired: Manifest, live: Manifest | None, declared: Sequence[DeclaredField] | None = None
) -> Precondition:
    """What must still hold of an object when a plan for it is applied.

    `declared` are the fields that we set as live has them, when they are known already.
    """
    if live is None:
        return Precondition(None, _digest("absent"))
    if declared is None:
        declared = declared_in(desired, live)
    fields = tuple((name, bound.digest) for name, bound in sorted(_bound_fields(declared, live).items()))
    return Precondition(live["metadata"].get("uid"), _digest(json.dumps(fields)), fields)


def stale(ref: ObjectRef, planned: Precondition, desired: Manifest, live_now: Manifest | None) -> Staleness | None:
    """What changed of an object since the plan, or None while the plan still holds."""
    if live_now is None:
        return None if planned.uid is None else _gone(ref)
    if planned.uid is None:
        return _appeared(ref, live_now)
    if live_now["metadata"].get("uid") != planned.uid:
        return _replaced(ref, planned, live_now)
    if precondition(desired, live_now).owned_digest == planned.owned_digest:
        return None
    return _changed(ref, planned, desired, live_now)


def _bound_fields(declared: Sequence[DeclaredField], live: Manifest) -> dict[str, _Bound]:
    """The fields that we set and those that we own, down to the leaves, as live has them."""
    entries = manager_entries(live)
    nodes = all_nodes(entries)
    bound: dict[str, _Bound] = {}
    for address, value in _bound_values(declared, live, entries):
        name = identity(address)
        if name not in bound:
            digest = "" if value is MISSING else _value_digest(_bound_value(value, nodes, address), name, address)
            bound[name] = _Bound(address, digest)
    return bound


def _bound_values(
    declared: Sequence[DeclaredField], live: Manifest, entries: tuple[ManagerEntry, ...]
) -> Iterator[tuple[Address, object]]:
    wholes: dict[Address, None] = {}
    for field in declared:
        yield field.address, field.found
        if field.whole is not None:
            wholes[field.whole] = None
    yield from ((whole, value_at(live, whole)) for whole in wholes)
    for entry in entries:
        if entry.ours:
            yield from leaves(entry.fields, live)


def _bound_value(value: object, nodes: Nodes, address: Address) -> object:
    """Of a map that we set empty (`emptyDir: {}`) and others fill, only that it is there."""
    return {} if value and isinstance(value, dict) and any(descend_all(nodes, address)) else value


def _value_digest(value: object, name: str, address: Address) -> str:
    """Equal values of different fields have different digests, so that one cannot be looked up by another."""
    return _digest(f"{name}\0{canonical_text(address[-2:], value)}")[:_DIGEST_CHARACTERS]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _gone(ref: ObjectRef) -> Staleness:
    return Staleness(ref, StaleKind.DELETED, f"The plan is stale: {ref} was deleted since. Plan again.")


def _appeared(ref: ObjectRef, live: Manifest) -> Staleness:
    metadata = live["metadata"]
    manager, time = _last_writer(manager_entries(live))
    text = f"The plan is stale: it creates {ref}, which exists since {metadata.get('creationTimestamp', 'then')}"
    return Staleness(ref, StaleKind.CREATED, f"{text}{_by(manager)}. Plan again.", manager=manager, time=time)


def _replaced(ref: ObjectRef, planned: Precondition, live: Manifest) -> Staleness:
    uid = live["metadata"].get("uid", "")
    text = f"The plan is stale: {ref} was deleted and made again since (uid {planned.uid}, now {uid}). Plan again."
    return Staleness(ref, StaleKind.REPLACED, text)


def _changed(ref: ObjectRef, planned: Precondition, desired: Manifest, live: Manifest) -> Staleness:
    now = _bound_fields(declared_in(desired, live), live)
    then = dict(planned.fields)
    name = _first_changed(then, {key: bound.digest for key, bound in now.items()})
    entries = manager_entries(live)
    bound = now.get(name)
    manager, time = _writer(entries, bound.address) if bound else _last_writer(entries)
    text = label(bound.address) if bound else name
    before, after = then.get(name, ""), bound.digest if bound else ""
    message = (
        f"The plan is stale: {text} of {ref} was changed{_by(manager)}{f' at {time}' if time else ''} "
        f"(digest {before or 'none'}, now {after or 'none'}). Plan again."
    )
    return Staleness(ref, StaleKind.FIELD_CHANGED, message, text, manager, time, before, after)


def _first_changed(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """A field whose value changed, before one that only appeared or went; the item before the list around it."""
    differing = sorted(name for name in then.keys() | now.keys() if then.get(name, "") != now.get(name, ""))
    both = [name for name in differing if then.get(name) and now.get(name)]
    chosen = both or differing
    return next((n for n in chosen if not any(o != n and o.startswith(n) for o in chosen)), "")


def _writer(entries: tuple[ManagerEntry, ...], address: Address) -> tuple[str, str]:
    """Who holds the field now, others before us, and when they last wrote. Nobody holds a field that is gone."""
    holders = [entry for entry in entries if entry.owns(address)]
    return _last_writer(tuple(e for e in holders if not e.ours) or tuple(holders) or entries)


def _last_writer(entries: tuple[ManagerEntry, ...]) -> tuple[str, str]:
    latest = max(entries, key=lambda entry: entry.time, default=None)
    return ("", "") if latest is None else (latest.manager, latest.time)


def _by(manager: str) -> str:
    return f" by {manager}" if manager else ""
