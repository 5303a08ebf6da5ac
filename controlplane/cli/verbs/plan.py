"""`controlplane plan PATH...`: what would change, whose it is, and what it costs. Writes nothing to the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit
from controlplane.cli.options import cluster_options, format_option, output_option, paths
from controlplane.cli.output import write_output
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
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
    from controlplane.cli.compilation import compiled
    from controlplane.cli.planning import fleet_context, plan_against
    from controlplane.cli.target import Choice, connect
    from controlplane.cli.views import plan_json, plan_text
    from controlplane.plan.offline import plan_offline

    result = compiled(paths)
    if offline:
        changes = plan_offline(result.bundle, result.stack.inventory, source_digests=result.whole.digests())
    else:
        target = connect(Choice(sandbox, kubeconfig, context), fleet_context(result.whole.policies))
        changes = plan_against(target, result).changes
        _say_where(target.context, simulated=target.simulated)
    if format_ == "json":
        click.echo(plan_json.render(changes))
    else:
        click.echo(plan_text.render(changes, colour=wants_colour(), show_foreign=show_foreign))
    if output:
        _write(changes, output)
    return _code(changes, detailed=detailed_exitcode)


def _say_where(context: str, *, simulated: bool) -> None:
    click.echo(f"cluster {context}{' (sandbox: machines and pods are simulated)' if simulated else ''}", err=True)


def _write(changes: ChangeSet, output: str) -> None:
    from controlplane.plan.planfile import write_plan

    write_output(output, write_plan(changes))
    click.echo(f"wrote the plan to {output}; carry it out with: controlplane apply {output}", err=True)


def _code(changes: ChangeSet, *, detailed: bool) -> Exit:
    from controlplane.plan.changes import Action

    if changes.count(Action.CANNOT_COMPARE):
        return Exit.REFUSED
    return Exit.CHANGES if detailed and changes.effective() else Exit.OK
