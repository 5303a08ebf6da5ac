"""A plan's preconditions in a form that is small enough to travel, and back.

A precondition names each field that we own or set, which is some hundred bytes a field. What travels is a digest of
the name and the digest of the value; the names come back from the live object that is compared with it.
"""

from __future__ import annotations

import hashlib

from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Action, Change, Precondition
from controlplane.plan.staleness import precondition
from controlplane.stack.references import ObjectRef
from controlplane.workflows.messages import ObjectKey, PlannedObject

_NAME_CHARACTERS = 10


def bind(change: Change, *, force: bool = False) -> PlannedObject:
    """One change of a plan as a rollout is bound to it. `force`: the plan showed whose ownership is taken."""
    before = change.precondition
    return PlannedObject(
        key=key_of(change.ref),
        uid=before.uid or "",
        owned_digest=before.owned_digest,
        fields=" ".join(f"{_short(name)}:{digest}" for name, digest in before.fields),
        force=force,
        replace=change.action is Action.REPLACE,
        delete=change.action is Action.DELETE,
    )


def precondition_of(planned: PlannedObject, desired: Manifest, live: Manifest | None) -> Precondition:
    """The precondition that `bind` shortened; a field that live has no more keeps the digest of its name."""
    now = dict(precondition(desired, live).fields) if live is not None else {}
    names = {_short(name): name for name in now}
    pairs = (entry.partition(":") for entry in planned.fields.split())
    fields = tuple((names.get(short, short), digest) for short, _, digest in pairs)
    return Precondition(planned.uid or None, planned.owned_digest, fields)


def key_of(ref: ObjectRef) -> ObjectKey:
    """A reference as it travels."""
    return ObjectKey(ref.api_version, ref.kind, ref.namespace, ref.name)


def ref_of(key: ObjectKey) -> ObjectRef:
    """A reference that travelled."""
    return ObjectRef(key.api_version, key.kind, key.namespace, key.name)


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:_NAME_CHARACTERS]
