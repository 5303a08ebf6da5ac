"""`controlplane rollback NAMESPACE/NAME`: bring a service back to an earlier revision, as a planned rollout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import cluster_options, yes

if TYPE_CHECKING:
    from controlplane.adapters.kubernetes import RevisionStore
    from controlplane.plan.revision import RevisionHeader


@click.command(short_help="Return a service to an earlier revision.")
@click.argument("service", metavar="NAMESPACE/NAME")
@click.option("--to", type=click.IntRange(1), metavar="N", help="Revision; default: the good one before the current.")
@cluster_options
@yes
@click.option("--force-conflicts", is_flag=True, help="Take fields that the plan shows as held by other managers.")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the history.")
def command(
    service: str,
    to: int | None,
    sandbox: str | None,
    kubeconfig: str | None,
    context: str | None,
    yes: bool,
    force_conflicts: bool,
    reason: str,
) -> Exit:
    """Plan an earlier revision's manifests against the cluster, show the plan, ask, and roll out.

    Your policies still say what they say: the next `apply` brings their revision in again.
    """
    from controlplane.adapters.kubernetes import RevisionStore
    from controlplane.cli.agreed import from_revision
    from controlplane.cli.carrying_out import carry_out
    from controlplane.cli.services import services_of
    from controlplane.cli.target import Choice, connect

    target = connect(Choice(sandbox, kubeconfig, context))
    [name] = services_of(target, (service,))
    header = _chosen(RevisionStore(target.cluster), name, to)
    click.echo(f"{name}: back to revision {header.number} of {header.created_at} by {header.author}")
    return carry_out(from_revision(target, header), ask=not yes, reason=reason, force=force_conflicts, wait=True)


def _chosen(store: RevisionStore, service: str, to: int | None) -> RevisionHeader:
    headers = store.headers(service)
    if to is not None:
        found = next((h for h in headers if h.number == to), None)
        if found is None:
            kept = ", ".join(str(h.number) for h in headers)
            raise VerbEnd(Exit.USAGE, f"{service} has no revision {to}", f"These are kept: {kept}.")
        return found
    current = store.newest_good(service)
    earlier = store.newest_good(service, other_than=current.number) if current else None
    if earlier is None:
        raise VerbEnd(
            Exit.CANNOT_TELL, f"{service} has no good revision before the current one", "Name one with --to."
        )
    return earlier
