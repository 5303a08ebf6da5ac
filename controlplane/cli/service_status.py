"""One service as it is now: revisions and health from the cluster, rollouts and drift from its entity."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from controlplane.frozen import frozen

if TYPE_CHECKING:
    from controlplane.cli.target import Target
    from controlplane.workflows.messages import LayerReport, ServiceState


@frozen
class ServiceStatus:
    """A service. `revision` is the one last found good, 0 for none; `layers` are judged on its manifests."""

    service: str
    revision: int
    digest: str
    good_since: str
    healthy: bool
    layers: tuple[LayerReport, ...]
    in_flight: str
    drift: str
    drift_mode: str
    simulated: bool


def look_at(target: Target, service: str, state: ServiceState | None) -> ServiceStatus:
    """Judge one service from the objects of its good revision, or of its newest where none was ever good."""
    from controlplane.adapters.kubernetes import RevisionStore

    store = RevisionStore(target.cluster)
    good = store.newest_good(service)
    header = good or store.headers(service)[-1]
    layers = _layers(target, store.load_digest(service, header.digest).manifests)
    return ServiceStatus(
        service=service,
        revision=good.number if good else 0,
        digest=header.digest,
        good_since=good.outcome_at if good else "",
        healthy=good is not None and all(_passes(layer) for layer in layers),
        layers=layers,
        in_flight=in_flight(state),
        drift=_drift(state),
        drift_mode=state.drift.mode.value if state else "",
        simulated=target.simulated,
    )


def _layers(target: Target, manifests: tuple[dict[str, object], ...]) -> tuple[LayerReport, ...]:
    from controlplane.plan.pod_health import DEFAULT_PATIENCE
    from controlplane.workflows.cluster_health import look
    from controlplane.workflows.messages import Layer

    now = datetime.now(UTC)
    return tuple(look(target.cluster, manifests, layer, now, DEFAULT_PATIENCE) for layer in Layer)


def _passes(report: LayerReport) -> bool:
    from controlplane.workflows.messages import LayerState

    return report.state in (LayerState.HEALTHY, LayerState.NOT_APPLICABLE)


def remembered(target: Target, names: Sequence[str]) -> tuple[Mapping[str, ServiceState], tuple[str, ...]]:
    """What the entities remember of the services, and a sentence where that cannot be known.

    The cluster alone tells much, so a Temporal that is away does not end a verb that only looks.
    """
    from controlplane.adapters.errors import Unreachable
    from controlplane.cli.temporal import sleeping_service

    if note := sleeping_service():
        return {}, (note,)
    try:
        return asyncio.run(_states(target, names)), ()
    except Unreachable as error:
        return {}, (f"rollouts and drift checks cannot be shown: {error.message}",)


async def _states(target: Target, names: Sequence[str]) -> dict[str, ServiceState]:
    """Nothing where no Temporal ever ran."""
    from controlplane.cli.requests import cluster_ref, service_ref
    from controlplane.cli.temporal import running_client
    from controlplane.workflows.client import service_state

    client = await running_client()
    if client is None:
        return {}
    asked = {name: await service_state(client, cluster_ref(target), service_ref(name)) for name in names}
    return {name: state for name, state in asked.items() if state is not None}


def utc(seconds: float) -> str:
    """Seconds since the epoch as people read them."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def in_flight(state: ServiceState | None) -> str:
    """The rollout that holds the service: of what, by whom, since when; empty when there is none."""
    if state is None or state.in_flight is None:
        return ""
    flight = state.in_flight
    return f"{flight.request.revision} by {flight.request.author} since {utc(flight.since)}"


def _drift(state: ServiceState | None) -> str:
    if state is None or state.last_drift is None:
        return ""
    last = state.last_drift
    at = utc(last.at)
    if not last.total:
        return f"none at {at}" if last.handled == "nothing to do" else f"cannot tell at {at}: {last.handled}"
    fields = ", ".join(f"{f.key} {f.path}" for f in last.fields[:3])
    return f"{last.total} fields at {at} ({fields}); {last.handled or 'reported'}"
