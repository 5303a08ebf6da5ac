"""`controlplane lint PATH...`: every finding in manifests and policies, in one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.lint.config_file import FORMATS
from controlplane.cli.options import paths

if TYPE_CHECKING:
    from controlplane.cli.lint.report import LintReport
    from controlplane.cli.lint.run import Request

_LEVELS = ("error", "warning", "info")


def _several(name: str, metavar: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, metavar=metavar, multiple=True, help=text)


@click.command(
    short_help="Check manifests and policies: all findings, with exact positions.",
    context_settings={"auto_envvar_prefix": "CONTROLPLANE_LINT"},
)
@paths
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), envvar="CONTROLPLANE_LINT_FORMAT", help="How to print."
)
@click.option(
    "--output-file", metavar="FILE", default="", help="Write the report to FILE instead of standard output."
)
@_several("--select", "RULES", "Only these rules, by id or its beginning, such as vllm or ray/min; repeatable.")
@_several("--ignore", "RULES", "Not these rules; the longer of two prefixes decides.")
@_several("--assume", "COMPONENT=VERSION", "Versions where the input names none: vllm, ray, kubernetes, kuberay.")
@click.option("--fleet", metavar="FILE", help="A Fleet: the machines that the manifests run on.")
@click.option("--fail-on", type=click.Choice(_LEVELS), help="Least severity that makes the exit code 1.  [error]")
@click.option("--exit-zero", is_flag=True, help="Exit 0 although there are findings.")
@click.option("--baseline", metavar="FILE", help="Tell only what is not in this baseline.")
@click.option(
    "--write-baseline", metavar="FILE", default="", help="Write all findings to a baseline, and accept them."
)
@click.option("--fix", is_flag=True, help="Make the edits that are safe.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: those that need a decision too.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option(
    "--show-unknown", is_flag=True, help="Say what would have to be known for the rules that could not tell."
)
@click.option("--show-settings", is_flag=True, help="Print the settings of this run and end.")
@click.option("--stdin-filename", metavar="NAME", default="", help="What to call standard input in findings.")
@click.option("--allow-empty", is_flag=True, help="Exit 0 where there is nothing that lint judges.")
def command(paths: tuple[str, ...], **options: Any) -> Exit:
    """Check manifests and policies against what Kubernetes, Ray and vLLM will make of them.

    PATH is a file, a folder, a pattern, or - for standard input. Exit 0 clean, 1 findings, 2 nothing to read.
    """
    from datetime import UTC, datetime

    from controlplane.cli.lint import settings as of
    from controlplane.cli.lint.run import Request

    names = ("select", "ignore", "assume", "fail_on", "fleet", "baseline")
    flags = of.Flags(**{name: options[name] for name in names}, format=options["format_"])
    if options["fix"] and "-" in paths:
        raise VerbEnd(Exit.USAGE, "--fix cannot change standard input", "Use --diff, or name the file.")
    _agree(options)
    settings = of.settings_for(flags, paths)
    if options["show_settings"]:
        click.echo(of.shown(settings))
        return Exit.OK
    today = datetime.now(UTC).date()
    return _run(Request(paths, today, settings, options["stdin_filename"], options["show_unknown"]), options)


def _agree(options: dict[str, Any]) -> None:
    """Ends the run where a flag would silently count for nothing beside another."""
    for one, other in (("fix", "diff"), ("fix", "write_baseline"), ("diff", "write_baseline")):
        if options[one] and options[other]:
            flags = f"--{one} and --{other.replace('_', '-')}"
            raise VerbEnd(Exit.USAGE, f"{flags} are two things to do", "Say one of them, and then the other.")
    if options["unsafe_fixes"] and not (options["fix"] or options["diff"]):
        raise VerbEnd(Exit.USAGE, "--unsafe-fixes counts only with --fix or --diff", "Say one of them as well.")


def _run(request: Request, options: dict[str, Any]) -> Exit:
    from controlplane.cli.lint import ending

    report = _linted(request, options)
    if options["write_baseline"]:
        ending.write_baseline(report, options["write_baseline"])
        return Exit.OK
    if request.settings.baseline:
        report = ending.against_baseline(report, request.settings.baseline)
    if options["diff"]:
        return _diff(report, unsafe=options["unsafe_fixes"])
    if options["fix"]:
        report = _fix(report, request, options)
    ending.give_out(report, request.settings.format, options["output_file"])
    code = ending.ends_with(report, request.settings.fail_on, allow_empty=options["allow_empty"])
    return Exit.OK if options["exit_zero"] else code


def _linted(request: Request, options: dict[str, Any]) -> LintReport:
    """The report; a bug of ours makes one too, so that a reader of the format is not left with nothing."""
    from controlplane.cli.lint import ending
    from controlplane.cli.lint.run import crashed, lint

    try:
        return lint(request)
    except VerbEnd:
        raise
    except Exception as error:
        if request.settings.format != "text":
            ending.give_out(crashed(error), request.settings.format, options["output_file"])
        raise


def _diff(report: LintReport, *, unsafe: bool) -> Exit:
    from controlplane.cli.lint import ending
    from controlplane.cli.terminal import printable

    text = ending.difference(report, ending.proposed(report, unsafe=unsafe).texts)
    click.echo(printable(text), nl=False)
    return Exit.NEGATIVE if text else Exit.OK


def _fix(report: LintReport, request: Request, options: dict[str, Any]) -> LintReport:
    """Make the edits, and judge what is there then."""
    from controlplane.cli.lint import ending
    from controlplane.cli.lint.run import lint

    made = ending.proposed(report, unsafe=options["unsafe_fixes"])
    if not made.texts:
        return report
    ending.write_fixes(report, made.texts)
    click.echo(f"{len(made.applied)} fixed in {len(made.texts)} files", err=True)
    again = lint(request)
    baseline = request.settings.baseline
    return ending.against_baseline(again, baseline) if baseline else again
