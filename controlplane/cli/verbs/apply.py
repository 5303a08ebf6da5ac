"""`controlplane apply PATH...|PLAN`: plan, ask, roll out through Temporal, follow."""

from __future__ import annotations

from pathlib import Path

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import cluster_options, paths, yes


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
    from controlplane.cli.carrying_out import carry_out
    from controlplane.cli.target import Choice

    choice = Choice(sandbox, kubeconfig, context)
    plan_file = any(is_plan_file(Path(path)) for path in paths)
    if plan_file and len(paths) > 1:
        raise VerbEnd(Exit.USAGE, f"{len(paths)} paths, and a plan file among them", "Give the plan file alone.")
    ready = from_plan_file(Path(paths[0]), choice) if plan_file else from_policies(paths, choice)
    return carry_out(ready, ask=not (yes or plan_file), reason=reason, force=force_conflicts, wait=not no_wait)
