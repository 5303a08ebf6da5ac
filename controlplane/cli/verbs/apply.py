"""`controlplane apply PATH...|PLAN`: plan, ask, roll out through Temporal, follow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import cluster_options, paths, yes
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
    from controlplane.cli.agreed import Agreed
    from controlplane.plan.changes import ChangeSet


@click.command(short_help="Plan, ask, roll out through Temporal, follow.")
@paths
@cluster_options
@yes
@click.option("--force-conflicts", is_flag=True, help="Take fields that the plan shows as held by other managers.")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the history.")
@click.option("--no-wait", is_flag=True, help="Start the rollout and do not follow it.")
def command(
    paths: tuple[str, ...],
    sandbox: str | None,
    kubeconfig: str | None,
    context: str | None,
    yes: bool,
    force_conflicts: bool,
    reason: str,
    no_wait: bool,
) -> Exit:
    """Show the plan, ask, roll every service out, and follow until it is healthy or has returned by itself.

    PATH are policies, or one plan file written by `plan -o`. Temporal is the one at TEMPORAL_ADDRESS, else the local
    service, which is started and keeps running. Ctrl-C ends the following, not the rollout.

    Exit 0 rolled out or nothing to do, 1 failed (and returned, if there was something to return to), 4 refused.
    """
    from controlplane.cli.agreed import from_plan_file, from_policies, is_plan_file
    from controlplane.cli.target import Choice

    choice = Choice(sandbox, kubeconfig, context)
    plan_file = len(paths) == 1 and is_plan_file(Path(paths[0]))
    ready = from_plan_file(Path(paths[0]), choice) if plan_file else from_policies(paths, choice)
    _show(ready)
    _refuse_what_cannot_be(ready.changes, force=force_conflicts)
    services = ready.services()
    if not services:
        click.echo("Nothing to do.")
        return Exit.OK
    for service, why in services.items():
        click.echo(f"{service} will be rolled out: {why}.")
    if not (yes or plan_file):
        _ask(ready)
    return _carry_out(ready, services, reason, force=force_conflicts, wait=not no_wait)


def _show(ready: Agreed) -> None:
    from controlplane.cli.views import plan_text

    target = ready.target
    click.echo(f"cluster {target.context}{' (sandbox: machines and pods are simulated)' if target.simulated else ''}")
    click.echo(plan_text.render(ready.changes, colour=wants_colour()))


def _refuse_what_cannot_be(changes: ChangeSet, *, force: bool) -> None:
    from controlplane.plan.changes import Action

    unclear = [c for c in changes.changes if c.action is Action.CANNOT_COMPARE]
    if unclear:
        listed = ", ".join(str(c.ref) for c in unclear)
        raise VerbEnd(Exit.REFUSED, f"the API server refuses {listed}; nothing was applied", "See the plan above.")
    held = [c for c in changes.effective() if c.conflicts]
    if held and not force:
        taken = "; ".join(f"{c.ref}: {k.label} held by {k.manager}" for c in held for k in c.conflicts)
        raise VerbEnd(
            Exit.REFUSED,
            f"other managers hold fields that the policies set ({taken}); nothing was applied",
            "Take them with --force-conflicts, or leave them out of the policies.",
        )


def _ask(ready: Agreed) -> None:
    answer = click.prompt(
        f"Apply this to {ready.target.context}? Only 'yes' is accepted", default="", show_default=False
    )
    if answer != "yes":
        raise VerbEnd(Exit.NEGATIVE, "nothing was applied")


def _carry_out(ready: Agreed, services: Mapping[str, str], reason: str, *, force: bool, wait: bool) -> Exit:
    from controlplane.cli.following import hand_over, roll_out
    from controlplane.cli.requests import agreement
    from controlplane.cli.views import rollout_text
    from controlplane.workflows.messages import Result

    requests = ready.requests(services, agreement(reason, force=force))
    if not wait:
        hand_over(requests)
        return Exit.OK
    try:
        outcomes = roll_out(requests, colour=wants_colour())
    except KeyboardInterrupt:
        click.echo("\nStopped following; the rollout goes on. See `controlplane status`.", err=True)
        return Exit.INTERRUPTED
    click.echo(rollout_text.summary(outcomes, colour=wants_colour()))
    return Exit.OK if all(o.result is Result.OK for _, o in outcomes) else Exit.NEGATIVE
