"""What a verdict on an object's health is, and the two things that every kind's verdict looks at."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.emit.bundle import Manifest
from controlplane.stack.references import ObjectRef


class HealthStatus(enum.StrEnum):
    """`DEGRADED` does not heal by waiting; `UNKNOWN` cannot be told from the object."""

    HEALTHY = "Healthy"
    PROGRESSING = "Progressing"
    MISSING = "Missing"
    DEGRADED = "Degraded"
    UNKNOWN = "Unknown"


class HealthLayer(enum.StrEnum):
    """Who has to act next: Kubernetes (machines), Ray (tasks) or vLLM (memory)."""

    MACHINES = "machines"
    TASKS = "tasks"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Related:
    """What stands around a workload. `nodes` None means that we may not read them."""

    replica_sets: tuple[Manifest, ...] = ()
    pods: tuple[Manifest, ...] = ()
    nodes: tuple[Manifest, ...] | None = None


NOTHING_AROUND = Related()


@dataclass(frozen=True, slots=True)
class ObjectHealth:
    """The health of one object. `reason` is a word for machines, `message` the fact with both numbers for people.

    `ready` of `wanted` are pods; `simulated` counts the pods that run nothing, on simulated nodes. `warnings` are
    worth telling and stop nothing.
    """

    ref: ObjectRef
    status: HealthStatus
    layer: HealthLayer
    reason: str
    message: str
    ready: int = 0
    wanted: int = 0
    simulated: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        return self.status is HealthStatus.HEALTHY

    @property
    def failed(self) -> bool:
        """Whether waiting longer cannot help."""
        return self.status is HealthStatus.DEGRADED


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a kind's rule says, before it is known of which object."""

    status: HealthStatus
    reason: str
    message: str


def progressing(reason: str, message: str) -> Verdict:
    return Verdict(HealthStatus.PROGRESSING, reason, message)


def degraded(reason: str, message: str) -> Verdict:
    return Verdict(HealthStatus.DEGRADED, reason, message)


def generation_verdict(live: Manifest, *, required: bool = False) -> Verdict | None:
    """Progressing while the object's controller has not seen its newest generation; else None.

    `required`: a kind whose controller always reports, so that without a report it has not looked yet.
    """
    generation = live["metadata"].get("generation")
    observed = (live.get("status") or {}).get("observedGeneration")
    if generation is None or observed == generation or (observed is None and not required):
        return None
    return progressing("NotObserved", f"its controller has seen generation {observed or 0}; this is {generation}")


def condition(live: Manifest, kind: str) -> Mapping[str, Any]:
    """The condition of this type, empty when the object does not report it."""
    conditions = (live.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == kind), {})
