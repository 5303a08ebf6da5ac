"""`controlplane drift [NAMESPACE/NAME...]`: what is live against what was rolled out, field by field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import cluster_options, format_option
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
    from controlplane.cli.target import Target
    from controlplane.plan.drift import DriftReport


@click.command(short_help="Compare what is live with what was applied.")
@click.argument("services", nargs=-1, metavar="[NAMESPACE/NAME]...")
@cluster_options
@format_option("text", "json")
def command(
    services: tuple[str, ...], sandbox: str | None, kubeconfig: str | None, context: str | None, format_: str
) -> Exit:
    """Compare live objects with the revision that was last found good. Writes nothing; heals nothing.

    Defaults and other managers' fields are not drift, nor is what a rollout in flight has written so far.

    Exit 0 none, 1 drift, 2 no service, 3 cannot tell: something cannot be compared, a rollout is in flight, or a
    service has no revision that was found good.
    """
    from controlplane.cli.service_status import in_flight, remembered
    from controlplane.cli.services import services_of
    from controlplane.cli.target import Choice, connect
    from controlplane.cli.views import drift_json, drift_text

    target = connect(Choice(sandbox, kubeconfig, context))
    names = services_of(target, services)
    reports = {name: report for name in names if (report := _report(target, name)) is not None}
    if not reports:
        click.echo(f"no service in {target.context} has a revision that was found good")
        return Exit.NOTHING_TO_READ
    drifted = [name for name, report in reports.items() if report.drifted]
    # Temporal is asked only where there is something to explain: most of the time there is not.
    states, _ = remembered(target, drifted) if drifted else ({}, ())
    flights = {name: flight for name in drifted if (flight := in_flight(states.get(name)))}
    unjudged = [name for name in names if name not in reports]
    if format_ == "json":
        document = drift_json.document(reports, flights, unjudged)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False, default=str))
    else:
        click.echo(drift_text.render(reports, colour=wants_colour(), flights=flights, unjudged=unjudged))
    if len(drifted) > len(flights):
        return Exit.NEGATIVE
    return Exit.CANNOT_TELL if flights or unjudged or any(r.unclear for r in reports.values()) else Exit.OK


def _report(target: Target, service: str) -> DriftReport | None:
    from controlplane.adapters.kubernetes import RevisionStore
    from controlplane.plan.drift import drift

    store = RevisionStore(target.cluster)
    header = store.newest_good(service)
    if header is None:
        return None
    objects = store.load_digest(service, header.digest).objects()
    return drift(objects, target.cluster.observe([o.manifest for o in objects]))
