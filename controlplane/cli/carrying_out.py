"""Shows a plan, asks, and rolls it out: what `apply` and `rollback` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
    from controlplane.cli.agreed import Agreed
    from controlplane.plan.changes import ChangeSet


def carry_out(ready: Agreed, *, ask: bool, reason: str, force: bool, wait: bool) -> Exit:
    """Show the plan and carry it out; `ask` first, unless that was answered already.

    Raises `VerbEnd` with code 4 when the API server refuses an object or another manager holds a field of ours.
    """
    _show(ready)
    _refuse_what_cannot_be(ready.changes, force=force)
    services = ready.services()
    if not services:
        click.echo("Nothing to do.")
        return Exit.OK
    for service, why in services.items():
        click.echo(f"{service} will be rolled out: {why}.")
    if ask:
        _ask(ready)
    return _roll_out(ready, services, reason, force=force, wait=wait)


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
            "Take them with --force-conflicts, or let whoever manages them give them up.",
        )


def _ask(ready: Agreed) -> None:
    question = f"Apply this to {ready.target.context}? Only 'yes' is accepted"
    try:
        answer = click.prompt(question, default="", show_default=False)
    except click.Abort as closed:
        # End of input and Ctrl-C look alike here; either way nobody said yes.
        raise VerbEnd(Exit.NEGATIVE, "nothing was applied: nobody answered", "Give --yes where none can.") from closed
    if answer != "yes":
        raise VerbEnd(Exit.NEGATIVE, "nothing was applied")


def _roll_out(ready: Agreed, services: Mapping[str, str], reason: str, *, force: bool, wait: bool) -> Exit:
    from controlplane.cli.following import hand_over, roll_out
    from controlplane.cli.requests import agreement
    from controlplane.cli.views import rollout_text
    from controlplane.workflows.messages import Result

    agreed = agreement(reason, force=force)
    if not wait:
        hand_over(lambda: ready.requests(services, agreed))
        return Exit.OK
    try:
        outcomes = roll_out(lambda: ready.requests(services, agreed), colour=wants_colour())
    except KeyboardInterrupt:
        click.echo("\nStopped following; the rollout goes on. See `controlplane status`.", err=True)
        return Exit.INTERRUPTED
    click.echo(rollout_text.summary(outcomes, colour=wants_colour()))
    return Exit.OK if all(o.result is Result.OK for _, o in outcomes) else Exit.NEGATIVE
