"""`controlplane plan PATH...`: what would change, whose it is, and what it costs. Writes nothing to the cluster."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import cluster_options, format_option, output_option, paths
from controlplane.cli.output import write_output
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
    from controlplane.cli.target import Choice
    from controlplane.plan.changes import ChangeSet


@click.command(short_help="Show what would change, why, and what it costs.")
@paths
@cluster_options
@click.option("--offline", is_flag=True, help="Without a cluster: everything is new; fit is judged on the Fleet.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 when something would change.")
@click.option("--show-foreign", is_flag=True, help="Show fields that others own and that stay as they are.")
@format_option("text", "json")
@output_option("a plan file for `apply`")
def command(
    paths: tuple[str, ...],
    sandbox: str | None,
    kubeconfig: str | None,
    context: str | None,
    offline: bool,
    detailed_exitcode: bool,
    show_foreign: bool,
    format_: str,
    output: str | None,
) -> Exit:
    """Compare policies with a cluster by server-side apply dry run, field by field.

    Exit 0 done, 1 the policies have errors, 4 the cluster refused; with --detailed-exitcode 2 when something would
    change.
    """
    from controlplane.cli.agreed import Agreed
    from controlplane.cli.compilation import compiled
    from controlplane.cli.planning import fleet_context, plan_against
    from controlplane.cli.target import Choice, connect
    from controlplane.cli.views import plan_json, plan_text
    from controlplane.plan.offline import plan_offline

    choice = Choice(sandbox, kubeconfig, context)
    if offline and choice != Choice():
        raise VerbEnd(Exit.USAGE, "--offline asks no cluster, and another option names one", "Leave one of them out.")
    result = compiled(paths)
    due: Mapping[str, str] = {}
    if offline:
        changes = plan_offline(
            result.bundle, result.stack.inventory, result.stack.workloads, source_digests=result.whole.digests()
        )
    else:
        target = connect(choice, fleet_context(result.whole.policies))
        changes = plan_against(target, result).changes
        due = Agreed(changes, target).services()
        changes = replace(changes, notes=(*changes.notes, *_without_changes(changes, due)))
        _say_where(target.context, simulated=target.simulated)
    if format_ == "json":
        click.echo(plan_json.render(changes))
    else:
        click.echo(plan_text.render(changes, colour=wants_colour(), show_foreign=show_foreign))
    if output:
        _write(changes, output, choice)
    return _code(changes, due, detailed=detailed_exitcode)


def _say_where(context: str, *, simulated: bool) -> None:
    click.echo(f"cluster {context}{' (sandbox: machines and pods are simulated)' if simulated else ''}", err=True)


def _without_changes(changes: ChangeSet, due: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each reason to roll out services whose objects stay as they are."""
    changing = {c.service for c in changes.effective()}
    by_reason: dict[str, list[str]] = {}
    for name, why in due.items():
        if name not in changing:
            by_reason.setdefault(why, []).append(name)
    return tuple(f"apply rolls {_some(names)} out: {why}." for why, names in by_reason.items())


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _write(changes: ChangeSet, output: str, choice: Choice) -> None:
    from controlplane.plan.planfile import write_plan

    write_output(output, write_plan(changes))
    words = ["controlplane", "apply", output, *choice.words()]
    click.echo(f"wrote the plan to {output}; carry it out with: {shlex.join(words)}", err=True)


def _code(changes: ChangeSet, due: Mapping[str, str], *, detailed: bool) -> Exit:
    from controlplane.plan.changes import Action

    if changes.count(Action.CANNOT_COMPARE):
        return Exit.REFUSED
    return Exit.CHANGES if detailed and (changes.effective() or due) else Exit.OK
