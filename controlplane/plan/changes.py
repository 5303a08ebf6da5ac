"""The plan as a value: which objects change, which fields, why, and what must still hold when it is applied.

`plan.differ` makes it, `cli/views` prints it, `plan.planfile` stores it, the rollout consumes it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.diagnostics import KeyPath
from controlplane.emit.bundle import EmittedObject, Manifest
from controlplane.stack.facts import Origin
from controlplane.stack.references import ObjectRef


class Action(enum.StrEnum):
    """What a plan does to one object."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    UNCHANGED = "unchanged"
    CANNOT_COMPARE = "cannot-compare"


class Reason(enum.StrEnum):
    """Why the action was chosen: decided with the action, never guessed when printing."""

    ABSENT = "absent"
    FIELDS_DIFFER = "fields-differ"
    NOT_OURS_YET = "not-ours-yet"
    IMMUTABLE_FIELD = "immutable-field"
    NOT_IN_POLICY = "not-in-policy"
    SAME = "same"
    REFUSED = "refused"
    OFFLINE = "offline"
    NAMESPACE_PENDING = "namespace-pending"


class FieldAction(enum.StrEnum):
    """What happens to one field."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    ADOPTED = "adopted"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that we own and that will differ. `path` uses list indices of `after` (of `before` for removals).

    `label` is the path as people read it, with merge keys: `spec.containers[name=vllm].image`.
    `owners` are the managers of the live field. `before` and `after` are for display: `plan.redaction` has been
    over them. `after` of a removal is the default that takes the field's place, None where there is none. An
    adopted field keeps its value and becomes ours.
    """

    path: KeyPath
    label: str
    action: FieldAction
    before: Any = None
    after: Any = None
    owners: tuple[str, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class ForeignField:
    """A live field that somebody else owns and that we leave alone."""

    label: str
    manager: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that we set and another manager owns with another value: applying would need force."""

    label: str
    manager: str
    message: str


@dataclass(frozen=True, slots=True)
class Overruled:
    """A field that we set and that the API server's answer does not carry as we set it.

    A mutating webhook, an admission plug-in or a rule of the API server did that. Field managers do not record
    who: changes made on admission are counted as the request's own. Values are redacted.
    """

    path: KeyPath
    label: str
    wanted: Any
    becomes: Any
    message: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Precondition:
    """What must still hold of the live object when the plan is applied.

    `uid` is None when the object must not exist yet. `owned_digest` covers the fields that we own or set, so that
    status and foreign writes do not make a plan stale; `fields` is the same field by field, so that the changed
    one can be named.
    """

    uid: str | None
    owned_digest: str
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The API server's answer when a dry run was refused."""

    status: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Observed:
    """One object as seen through the API server.

    `live` is None when it does not exist. `predicted` is what a forced server-side apply dry run would make of it,
    None when that was refused (`refusal`) or the namespace does not exist yet. `conflicts` are what an unforced
    dry run would have refused.
    """

    ref: ObjectRef
    live: Manifest | None
    predicted: Manifest | None
    conflicts: tuple[Conflict, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one object. `desired` is None for a deletion.

    `side_effects` are fields that are not ours and that the API server or a webhook would change with the write.
    """

    ref: ObjectRef
    action: Action
    reason: Reason
    desired: EmittedObject | None
    precondition: Precondition
    fields: tuple[FieldChange, ...] = ()
    foreign: tuple[ForeignField, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    consequences: tuple[str, ...] = ()
    refusal: Refusal | None = None
    service: str = ""
    overruled: tuple[Overruled, ...] = ()
    side_effects: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A whole plan, in apply order.

    `settings` are the rollout settings of each service as plain values: a saved plan is applied without its policies.
    `context` is the kubeconfig context that it was made with.
    """

    changes: tuple[Change, ...]
    cluster_uid: str = ""
    offline: bool = False
    notes: tuple[str, ...] = ()
    source_digests: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    context: str = ""

    def of_service(self, service: str) -> tuple[Change, ...]:
        """The changes of one service (`namespace/name`)."""
        return tuple(c for c in self.changes if c.service == service)

    def effective(self) -> tuple[Change, ...]:
        """The changes that would write something or cannot be judged."""
        return tuple(c for c in self.changes if c.action is not Action.UNCHANGED)

    def count(self, action: Action) -> int:
        """How many objects get this action."""
        return sum(c.action is action for c in self.changes)
