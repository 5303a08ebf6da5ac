"""Drift for people: each field with what is live, what was applied, and who holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.cli.terminal import paint, printable
from controlplane.cli.views.plan_text import shown_value
from controlplane.plan.changes import FieldChange
from controlplane.plan.drift import DriftReport, DriftState, ObjectDrift


def render(
    reports: Mapping[str, DriftReport], *, colour: bool, flights: Mapping[str, str], unjudged: Sequence[str] = ()
) -> str:
    """One block a service. `flights` says of a service which rollout is in flight: what differs may be its work.

    `unjudged` services have no revision that was found good.
    """
    blocks = [
        _service(name, report, colour=colour) + _flight(flights.get(name, "")) for name, report in reports.items()
    ]
    missing = [f"{name}: no revision was ever found good, so there is nothing to compare with" for name in unjudged]
    return "\n".join([*blocks, *missing])


def _flight(flight: str) -> str:
    return f"\n  note: rolling out {printable(flight)}; what it has written so far is no drift" if flight else ""


def _service(name: str, report: DriftReport, *, colour: bool) -> str:
    if not report.drifted and not report.unclear:
        return f"{name}: no drift in {len(report.objects)} objects"
    head = f"{name}: {len(report.drifted)} of {len(report.objects)} objects drifted"
    lines = [paint(head, "yellow" if report.drifted else "magenta", colour=colour)]
    lines += [line for each in (*report.drifted, *report.unclear) for line in _object(each)]
    return "\n".join(lines)


def _object(drift: ObjectDrift) -> list[str]:
    if drift.state is DriftState.MISSING:
        return [f"  {printable(str(drift.ref))} is gone"]
    if drift.state is DriftState.CANNOT_COMPARE:
        why = drift.refusal.message if drift.refusal else "the API server does not say why"
        return [f"  {printable(str(drift.ref))} cannot be compared: {printable(why)}"]
    lines = [f"  {printable(str(drift.ref))}", *(_field(f) for f in drift.fields)]
    if drift.refusal is not None:
        lines.append(f"    an apply cannot heal this: {printable(drift.refusal.message)}")
    return lines


def _field(field: FieldChange) -> str:
    holders = f"   [{printable(', '.join(field.owners))}]" if field.owners else ""
    return (
        f"    {printable(field.label)}: is {shown_value(field.label, field.before)}, "
        f"was applied as {shown_value(field.label, field.after)}{holders}"
    )
