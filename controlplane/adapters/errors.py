"""When the world refuses: one tree of exceptions for everything outside this program.

    AdapterError
    ├── Unreachable        nobody answers (retryable)
    ├── Throttled          429, or the server says to come back (retryable)
    ├── ServerFault        5xx (retryable)
    ├── Stale              409: the object changed since it was read (plan again, then retry)
    ├── FieldConflict      409: another field manager owns what we would set
    ├── Forbidden          401, 403
    ├── NotFound           404
    ├── Refused            400, 422 and admission: the object itself is not acceptable
    └── Misconfigured      our own side: no such context, unreadable kubeconfig, missing extra

The library's own error is always chained. `retryable` is known by the class, so that a workflow decides in one
place. Messages state what was asked, of whom, and what it answered; never a request body, which can hold secrets.
"""

from __future__ import annotations


class AdapterError(Exception):
    """Base of all. `remedy` is a sentence on what to do, or empty."""

    retryable = False

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class Unreachable(AdapterError):
    """Nobody answers at the address."""

    retryable = True


class Throttled(AdapterError):
    """The server asks us to slow down; `retry_after` in seconds when it said."""

    retryable = True

    def __init__(self, message: str, *, retry_after: float | None = None, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.retry_after = retry_after


class ServerFault(AdapterError):
    """The server failed (5xx)."""

    retryable = True


class Stale(AdapterError):
    """The object changed between reading and writing."""


class FieldConflict(AdapterError):
    """Other managers own fields that we would set: `(manager, path)` pairs as the API server wrote them."""

    def __init__(self, message: str, *, conflicts: tuple[tuple[str, str], ...] = (), remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.conflicts = conflicts


class Forbidden(AdapterError):
    """We may not do this."""


class NotFound(AdapterError):
    """There is no such object, or no such kind."""


class Refused(AdapterError):
    """The API server will not take the object as it is."""


class Misconfigured(AdapterError):
    """Our own side is not set up: a context, a file, an extra that is missing."""
