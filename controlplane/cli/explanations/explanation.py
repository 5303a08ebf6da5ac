"""What `explain` says about an id that is not a rule's file."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Explanation:
    """`title` states the fault, `why` what follows from it, `remedy` what to do; each ends in a full stop."""

    title: str
    severity: Severity
    why: str
    remedy: str
