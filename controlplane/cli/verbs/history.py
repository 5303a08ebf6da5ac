"""`controlplane history NAMESPACE/NAME`: every revision that is kept, and every rollout that is remembered."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import cluster_options, format_option
from controlplane.cli.service_status import remembered, utc
from controlplane.cli.terminal import printable

if TYPE_CHECKING:
    from controlplane.plan.revision import RevisionHeader
    from controlplane.workflows.messages import HistoryEntry


@click.command(short_help="List a service's revisions: who, what, why.")
@click.argument("service", metavar="NAMESPACE/NAME")
@cluster_options
@format_option("text", "json")
def command(service: str, sandbox: str | None, kubeconfig: str | None, context: str | None, format_: str) -> Exit:
    """List the revisions that the cluster keeps and how their rollouts ended, oldest first."""
    from controlplane.adapters.kubernetes import RevisionStore
    from controlplane.cli.services import services_of
    from controlplane.cli.target import Choice, connect

    target = connect(Choice(sandbox, kubeconfig, context))
    [name] = services_of(target, (service,))
    headers = RevisionStore(target.cluster).headers(name)
    states, notes = remembered(target, [name])
    rollouts = states[name].history if name in states else ()
    if format_ == "json":
        document = {
            "format_version": "1.0",
            "service": name,
            "revisions": [asdict(h) for h in headers],
            "rollouts": [asdict(r) for r in rollouts],
            "notes": notes,
        }
        click.echo(json.dumps(document, indent=2, default=str))
    else:
        click.echo("\n".join([_text(name, headers, rollouts), *(f"note: {note}" for note in notes)]))
    return Exit.OK


def _text(service: str, headers: tuple[RevisionHeader, ...], rollouts: tuple[HistoryEntry, ...]) -> str:
    lines = [f"{service}: {len(headers)} revisions are kept"]
    for header in headers:
        why = f": {printable(header.reason)}" if header.reason else ""
        lines.append(
            f"  revision {header.number}  {header.outcome.value:<8} {header.created_at}  {header.digest[:12]}  "
            f"{printable(header.author)}{why}"
        )
    lines += ["rollouts, oldest first:"] if rollouts else []
    lines += [line for entry in rollouts for line in _rollout(entry)]
    return "\n".join(lines)


def _rollout(entry: HistoryEntry) -> list[str]:
    outcome = entry.outcome
    why = f": {printable(entry.reason)}" if entry.reason else ""
    took = f"{outcome.written} objects written in {outcome.finished_at - outcome.started_at:.0f} s"
    ended = f"{entry.revision}  {outcome.result.value}  {took}"
    lines = [f"  {utc(outcome.started_at)}  {ended}, by {printable(entry.author)}{why}"]
    if outcome.reason:
        lines.append(f"      stopped at {printable(outcome.stopped_at)}: {printable(outcome.reason)}")
    if outcome.returned_to is not None:
        lines.append(f"      returned to {outcome.returned_to}")
    if outcome.return_failure:
        lines.append(f"      {printable(outcome.return_failure)}")
    return lines
