"""`controlplane lint PATH...`: every finding in the policies, in one run."""

from __future__ import annotations

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import format_option, paths
from controlplane.cli.terminal import wants_colour


@click.command(short_help="Check policies: all findings, with exact positions.")
@paths
@format_option("text", "json")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="Least severity that makes the exit code 1.",
)
def command(paths: tuple[str, ...], format_: str, fail_on: str) -> Exit:
    """Check policies: schema, references, overrides, and whether what they ask for can run on the Fleet.

    PATH is a file, a folder, or - for standard input. Exit 0 clean, 1 findings, 2 nothing to read.
    """
    from controlplane.cli.compilation import compile_paths
    from controlplane.cli.views import findings_json, findings_text

    result = compile_paths(paths)
    if not _any_policy(result.policies) and not result.findings:
        raise VerbEnd(
            Exit.NOTHING_TO_READ,
            f"no policy in {', '.join(paths)}",
            "Policies have apiVersion controlplane.dev/v1alpha1.",
        )
    if format_ == "json":
        click.echo(findings_json.render(result.findings, _not_judged(result.policies.foreign)))
    else:
        click.echo(findings_text.render(result.findings, result.texts(), colour=wants_colour()))
    order = ["error", "warning", "info"]
    failing = order[: order.index(fail_on) + 1]
    return Exit.NEGATIVE if any(f.severity.value in failing for f in result.findings) else Exit.OK


def _any_policy(policies: object) -> bool:
    names = ("fleets", "machines", "tasks", "memories", "rollouts", "services", "broken")
    return any(getattr(policies, name) for name in names)


def _not_judged(foreign: int) -> list[dict[str, object]]:
    return [{"documents": foreign, "why": "not a controlplane.dev policy"}] if foreign else []
