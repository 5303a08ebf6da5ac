"""What a refused dry run means: a field that can never change, a namespace that comes first, or a plain no."""

from __future__ import annotations

import re

from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Refusal
from controlplane.plan.redaction import redact_text

_IMMUTABLE = re.compile(
    r"immutable|may not be (?:changed|modified)|can(?:not| not) be (?:changed|modified|updated)"
    r"|updates to \w+ spec for fields other than .* are forbidden",
    re.IGNORECASE,
)


def is_immutable_field(refusal: Refusal) -> bool:
    """Whether the API server refused because a field can never change.

    There is no reason code for it, only the words of validation, CEL rules and webhooks. False positives: a webhook
    that uses these words about something else.
    """
    return refusal.status in (409, 422) and bool(_IMMUTABLE.search(refusal.message))


def is_invalid(refusal: Refusal | None) -> bool:
    """Whether the API server refused what the object would be, and not the request."""
    return refusal is not None and refusal.status == 422


def is_missing_namespace(refusal: Refusal, namespace: str) -> bool:
    """Whether the object's namespace does not exist."""
    return refusal.status == 404 and f'namespaces "{namespace}" not found' in refusal.message


def shown(refusal: Refusal, *objects: Manifest | None) -> Refusal:
    """The refusal with the values of secrets taken out of its message."""
    return Refusal(refusal.status, refusal.reason, redact_text(refusal.message, *objects))


def terminating(live: Manifest | None) -> Refusal | None:
    """Why an object that is being deleted is neither compared nor written; None for any other."""
    since = None if live is None else live["metadata"].get("deletionTimestamp")
    if since is None:
        return None
    text = (
        f"It is being deleted since {since}; whatever is written to it now goes with it. Plan again once it is gone."
    )
    return Refusal(409, "Terminating", text)
