"""Drift for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.cli.views.findings_json import FORMAT_VERSION
from controlplane.cli.views.plan_json import field_json
from controlplane.plan.drift import DriftReport, ObjectDrift


def document(
    reports: Mapping[str, DriftReport], flights: Mapping[str, str], unjudged: Sequence[str] = ()
) -> dict[str, Any]:
    """`{"format_version", "services": {name: {"drifted", "in_flight", "objects": [...]}}}`, values redacted.

    `flights` says of a service which rollout is in flight: what differs may be its work. `unjudged`
    services have no revision that was found good.
    """
    return {
        "format_version": FORMAT_VERSION,
        "services": {
            name: {
                "drifted": len(report.drifted),
                "in_flight": flights.get(name, ""),
                "objects": [_object(o) for o in report.objects],
            }
            for name, report in reports.items()
        },
        "without_good_revision": list(unjudged),
    }


def _object(drift: ObjectDrift) -> dict[str, Any]:
    return {
        "object": str(drift.ref),
        "state": drift.state.value,
        "fields": [field_json(f) for f in drift.fields],
        "refusal": None if drift.refusal is None else drift.refusal.message,
    }
