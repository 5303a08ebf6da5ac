"""What lint does with its report: baseline, fixes, output, and the exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.lint.report import LintReport, NotJudged
from controlplane.cli.output import write_output
from controlplane.cli.terminal import wants_colour
from controlplane.diagnostics import Severity

if TYPE_CHECKING:
    from controlplane.cli.fixes import Fixed


def against_baseline(report: LintReport, path: str) -> LintReport:
    """The report with the findings of a baseline file set aside. Raises `VerbEnd` with 64 for one that is none."""
    from controlplane.cli import baseline

    try:
        known = baseline.load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise VerbEnd(
            Exit.USAGE, f"{path} cannot be read: {error.strerror}", "Make it with --write-baseline."
        ) from error
    except (UnicodeDecodeError, baseline.BaselineError) as error:
        raise VerbEnd(Exit.USAGE, f"{path}: {error}") from error
    compared = baseline.apply(report.findings, report.texts, known, _folder_of(path))
    if compared.gone:
        count = len(compared.gone)
        click.echo(
            f"controlplane: {count} of the baseline's findings are gone; write it anew: --write-baseline", err=True
        )
    return replace(report, findings=compared.new, suppressed=(*report.suppressed, *compared.known))


def write_baseline(report: LintReport, path: str) -> None:
    """Accept what is there now. Raises `VerbEnd` with 64 where the file cannot be written."""
    from controlplane.cli import baseline

    write_output(path, baseline.dump(report.findings, report.texts, _folder_of(path)))
    click.echo(f"{len(report.findings)} findings are in {path} now", err=True)


def _folder_of(path: str) -> Path:
    return Path(path).absolute().parent


def proposed(report: LintReport, *, unsafe: bool) -> Fixed:
    """The texts with the findings' edits made."""
    from controlplane.cli.fixes import fixed

    return fixed(report.texts, report.findings, unsafe)


def difference(report: LintReport, after: Mapping[str, str]) -> str:
    """The changes as a unified diff."""
    from controlplane.cli.fixes import difference as unified

    return unified(report.texts, after)


def write_fixes(report: LintReport, after: Mapping[str, str]) -> None:
    """Write the changed files. Raises `VerbEnd` where one cannot be written or has changed meanwhile."""
    from controlplane.cli import fixes

    for name, text in sorted(after.items()):
        try:
            fixes.write(name, report.texts[name], text)
        except fixes.ChangedMeanwhile as error:
            raise VerbEnd(Exit.REFUSED, f"{name} changed while it was linted", "Run lint again.") from error
        except OSError as error:
            raise VerbEnd(Exit.USAGE, f"{name} cannot be written: {error.strerror}") from error


def give_out(report: LintReport, format_: str, output_file: str) -> None:
    """Print the report, or write it to a file."""
    if format_ == "text":
        from controlplane.cli.views import findings_text

        text = findings_text.render_report(report, colour=not output_file and wants_colour())
    else:
        view = import_module(f"controlplane.cli.views.findings_{format_}")
        render: Callable[[LintReport], str] = view.render_report if format_ == "json" else view.render
        text = render(report)
    if output_file:
        write_output(output_file, text if text.endswith("\n") or not text else text + "\n")
    elif text:
        _print(text.removesuffix("\n"))


def _print(text: str) -> None:
    """Print the report. Raises `VerbEnd` with 64 where standard output takes nothing, such as on a full disk."""
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise VerbEnd(Exit.USAGE, f"standard output cannot be written: {error.strerror}") from error


def ends_with(report: LintReport, fail_on: str, *, allow_empty: bool) -> Exit:
    """The exit code. Raises `VerbEnd` with 2 where nothing was judged, saying why."""
    order = [level.value for level in Severity]
    failing = order[: order.index(fail_on) + 1]
    if any(finding.severity.value in failing for finding in report.findings):
        return Exit.NEGATIVE
    if not report.judged and not report.findings and not allow_empty:
        raise VerbEnd(Exit.NOTHING_TO_READ, "there is nothing that lint judges here", _why_nothing(report.not_judged))
    return Exit.OK


def _why_nothing(not_judged: tuple[NotJudged, ...]) -> str:
    if not not_judged:
        return "Name a file or a folder with manifests or policies, or say --allow-empty."
    first = not_judged[0]
    return f"{first.span}: {first.reason}. --allow-empty takes that for clean."
