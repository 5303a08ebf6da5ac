"""A scalar that a reader refuses."""

from __future__ import annotations

from controlplane.frozen import frozen


@frozen
class Unreadable:
    """Why the reader refuses the scalar, as the second half of a sentence."""

    reason: str
