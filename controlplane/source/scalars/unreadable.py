"""A scalar that a reader refuses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why the reader refuses the scalar, as the second half of a sentence."""

    reason: str
