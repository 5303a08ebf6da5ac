"""What the API server answered, and which of `adapters.errors` a refusal is.

Pure: tables from status, reason and causes to exceptions. Messages quote the server's own Status message and nothing
else, and of a Secret only the names of the faulty fields: a server quotes values when it explains what is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controlplane.adapters.errors import (
    AdapterError,
    FieldConflict,
    Forbidden,
    NotFound,
    Refused,
    ServerFault,
    Stale,
    Throttled,
)
from controlplane.diagnostics import render_path
from controlplane.plan.changes import Conflict, Refusal

_CONFLICT = re.compile(r'conflict with "(?P<manager>(?:[^"\\]|\\.)*)"')
# How a server-side apply answers fields that the schema does not know, wrong types and doubled list keys: with 500,
# as if the server had failed (Kubernetes 1.36).
_FAULTS_OF_THE_OBJECT = ("failed to create typed patch object", "failed to convert new object")
_FREE_KEYS = (".metadata.labels.", ".metadata.annotations.")
_MESSAGE_LIMIT = 2000


class AlreadyExists(Stale):
    """An object of that name is there already."""


class Expired(Stale):
    """410: the place where a paged listing was to go on is no longer kept."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. `asked` says what was asked, for messages: `apply of Deployment/llm/chat`."""

    asked: str
    status: int
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    secret: bool = False

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def value(self) -> Any:
        """The JSON value of a good answer; raises the matching `AdapterError` of any other."""
        if not self.ok:
            raise failure(self)
        try:
            return json.loads(self.data)
        except ValueError as error:
            raise ServerFault(f"{self.asked}: the answer is not JSON") from error

    def state(self) -> Mapping[str, Any]:
        """The Status object of a refusal, empty when something else answered (a proxy, a load balancer)."""
        try:
            value = json.loads(self.data)
        except ValueError:
            return {}
        return value if isinstance(value, dict) and value.get("kind") == "Status" else {}


def failure(answer: Answer) -> AdapterError:
    """The exception that a refusing answer is."""
    state = answer.state()
    reason = str(state.get("reason") or "")
    message = f"{answer.asked}: {_answered(answer.status, reason)}: {explanation(answer)}"
    if answer.status == 409:
        return _conflict(answer, reason, message)
    if answer.status == 422 and any(cause.get("field") == "metadata.uid" for cause in causes(state)):
        return Stale(message, remedy="Another object has the name now: read it and plan again.")
    if answer.status == 429:
        return Throttled(message, retry_after=retry_after(answer), remedy="Wait and try again.")
    if answer.status == 500 and str(state.get("message")).startswith(_FAULTS_OF_THE_OBJECT):
        return Refused(message, remedy="Change the object as the message says.")
    if answer.status >= 500:
        return ServerFault(message, remedy="Look at the API server and its webhooks, then try again.")
    known = _BY_STATUS.get(answer.status)
    if known is None:
        return Refused(message, remedy="Change the object as the message says.")
    kind, remedy = known
    return kind(message, remedy=remedy)


_BY_STATUS: Mapping[int, tuple[type[AdapterError], str]] = {
    401: (Forbidden, "The credentials are not accepted: log in again, or choose another context."),
    403: (Forbidden, "Ask for the permission named, or for the quota or admission policy to be changed."),
    404: (NotFound, "Check the name, the namespace and the context."),
    410: (Expired, "Read it again from the beginning."),
}


def _conflict(answer: Answer, reason: str, message: str) -> AdapterError:
    if reason == "AlreadyExists":
        return AlreadyExists(message, remedy="Read it and decide again.")
    conflicts = field_conflicts(answer)
    if not conflicts:
        return Stale(message, remedy="Read the object again and plan again.")
    owners = "; ".join(f"{manager}: {path}" for manager, path in conflicts)
    return FieldConflict(
        f"{answer.asked}: other managers own {len(conflicts)} of the fields to set ({owners})",
        conflicts=conflicts,
        remedy="Leave those fields to their owner, or take them over explicitly.",
    )


def _answered(status: int, reason: str) -> str:
    return f"the API server answered {status} {reason}".rstrip()


def explanation(answer: Answer) -> str:
    """The server's message in a form that may be shown; for Secrets only which fields are wrong."""
    state = answer.state()
    if not state:
        kind = answer.headers.get("content-type", "").partition(";")[0] or "nothing"
        return f"not the API server's own answer ({kind}); is there a proxy between?"
    if answer.secret:
        fields = ", ".join(sorted({str(cause.get("field")) for cause in causes(state) if cause.get("field")}))
        return (
            f"the server's explanation is withheld because it may quote the Secret (fields: {fields or 'not named'})"
        )
    message = str(state.get("message") or "no explanation given")
    return message if len(message) <= _MESSAGE_LIMIT else message[:_MESSAGE_LIMIT] + "…"


def refusal(answer: Answer) -> Refusal:
    """A refused dry run as the plan keeps it."""
    return Refusal(answer.status, str(answer.state().get("reason") or ""), explanation(answer))


def causes(state: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return (state.get("details") or {}).get("causes") or ()


def field_conflicts(answer: Answer) -> tuple[tuple[str, str], ...]:
    """`(manager, path)` of each conflict, as the API server wrote them."""
    return tuple(
        (_manager(str(cause.get("message"))), str(cause.get("field")))
        for cause in causes(answer.state())
        if cause.get("reason") == "FieldManagerConflict"
    )


def conflicts(answer: Answer) -> tuple[Conflict, ...]:
    """The conflicts of an unforced apply as the plan keeps them."""
    return tuple(
        Conflict(label(str(cause.get("field"))), _manager(str(cause.get("message"))), str(cause.get("message")))
        for cause in causes(answer.state())
        if cause.get("reason") == "FieldManagerConflict"
    )


def _manager(message: str) -> str:
    """The manager in `conflict with "kubectl-edit" using apps/v1`; the name is a quoted Go string."""
    found = _CONFLICT.search(message)
    if found is None:
        return message
    return found["manager"].replace('\\"', '"').replace("\\\\", "\\")


def label(path: str) -> str:
    """A path of the API server (`.spec.containers[name="vllm"].image`) as this program writes it."""
    for prefix in _FREE_KEYS:
        if path.startswith(prefix):
            return render_path((*prefix.strip(".").split("."), path.removeprefix(prefix)))
    return re.sub(r'="((?:[^"\\]|\\.)*)"', r"=\1", path.removeprefix("."))


def retry_after(answer: Answer) -> float | None:
    """Seconds to wait, when the server said: the Retry-After header, else the Status details."""
    told = answer.headers.get("retry-after") or (answer.state().get("details") or {}).get("retryAfterSeconds")
    try:
        return float(told) if told is not None else None
    except (TypeError, ValueError):
        return None


def names_missing_namespace(answer: Answer) -> bool:
    """Whether a 404 is about the namespace and not about the object."""
    details = answer.state().get("details") or {}
    return answer.status == 404 and details.get("kind") == "namespaces"
