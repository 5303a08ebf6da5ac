"""`controlplane lint PATH...`: every finding in manifests and policies, in one run."""

from __future__ import annotations

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import format_option, paths
from controlplane.cli.terminal import wants_colour


@click.command(short_help="Check manifests and policies: all findings, with exact positions.")
@paths
@format_option("text", "json")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="Least severity that makes the exit code 1.",
)
@click.option("--fleet", metavar="FILE", default="", help="A Fleet: the machines that the manifests run on.")
@click.option("--stdin-filename", metavar="NAME", default="", help="What to call standard input in findings.")
@click.option("--allow-empty", is_flag=True, help="Exit 0 where there is nothing that lint judges.")
def command(
    paths: tuple[str, ...], format_: str, fail_on: str, fleet: str, stdin_filename: str, allow_empty: bool
) -> Exit:
    """Check manifests and policies against what Kubernetes, Ray and vLLM will make of them.

    PATH is a file, a folder, a pattern, or - for standard input. Exit 0 clean, 1 findings, 2 nothing to read.
    """
    from controlplane.cli.lint.run import Request, lint
    from controlplane.cli.views import findings_json, findings_text

    report = lint(Request(paths, stdin_filename, fleet=fleet))
    if format_ == "json":
        click.echo(findings_json.render_report(report))
    else:
        click.echo(findings_text.render_report(report, colour=wants_colour()))
    order = ["error", "warning", "info"]
    failing = order[: order.index(fail_on) + 1]
    if any(f.severity.value in failing for f in report.findings):
        return Exit.NEGATIVE
    if not report.judged and not allow_empty:
        raise VerbEnd(Exit.NOTHING_TO_READ, f"nothing to judge in {', '.join(paths)}")
    return Exit.OK
