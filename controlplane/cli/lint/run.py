"""One run of lint: files are found and read, policies and manifests judged, and the report put together."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from controlplane import __version__
from controlplane.cli import suppressions
from controlplane.cli.lint.discovery import find
from controlplane.cli.lint.file_reading import FileReading
from controlplane.cli.lint.files import read_files
from controlplane.cli.lint.judging import Court, Machines, Verdict, merged
from controlplane.cli.lint.report import LintReport, NotJudged, SuppressedFinding
from controlplane.cli.lint.settings import Settings
from controlplane.diagnostics import Span
from controlplane.rules import CataloguedRule, catalogue


@dataclass(frozen=True, slots=True)
class Request:
    """What a run was asked for. `today` decides which comments have run out."""

    paths: tuple[str, ...]
    today: date
    settings: Settings = field(default_factory=Settings)
    stdin_filename: str = ""
    show_unknown: bool = False


def lint(request: Request) -> LintReport:
    """Judge everything the paths name. Raises `VerbEnd` for paths that do not exist."""
    # Nothing here makes cycles, and a collector would look again and again at all that was read.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _lint(request)
    finally:
        if collects:
            gc.enable()


def _lint(request: Request) -> LintReport:
    found = find(request.paths)
    settings = request.settings
    excluded = [name for name in found.files if settings.excludes(name)]
    readings = read_files([name for name in found.files if name not in excluded], request.stdin_filename)
    rules = _selected(settings)
    court = Court(rules, settings.assume, _machines(settings.fleet))
    verdict, excepted = _judged(readings, court, request)
    left_out = _left_out(excluded, request, nothing_else=not readings)
    verdict = merged([Verdict(not_judged=(*found.not_judged, *left_out)), verdict])
    texts = {reading.file: reading.text for reading in readings}
    report = LintReport(
        findings=tuple(
            f for f in settings.selection.applied(verdict.findings) if settings.takes(f.rule, f.span.file)
        ),
        suppressed=excepted,
        not_judged=verdict.not_judged,
        texts=texts,
        tool_version=__version__,
        rules=rules,
        undecided=verdict.undecided if request.show_unknown else (),
        files=len(readings),
        judged=sum(len(reading.policies) + len(reading.manifests) for reading in readings),
    )
    return _with_secret_lines(_without_accepted(report, request), readings)


def _left_out(excluded: Sequence[str], request: Request, *, nothing_else: bool) -> Iterator[NotJudged]:
    """Files that the settings exclude, told where somebody named them or nothing else was found."""
    by = Path(request.settings.file).name
    for name in excluded:
        if nothing_else or name in request.paths:
            yield NotJudged(Span(name, 1, 1, 1, 1), f"excluded by {by}")


def _with_secret_lines(report: LintReport, readings: Sequence[FileReading]) -> LintReport:
    from controlplane.cli.lint.secret_places import lines_of, secret_places

    told = {finding.span.file for finding in report.findings}
    found = {r.file: lines_of(secret_places((*r.policies, *r.manifests))) for r in readings if r.file in told}
    return replace(report, secret_lines={name: lines for name, lines in found.items() if lines})


def crashed(error: Exception) -> LintReport:
    """What there is to tell where a bug of ours ended the run."""
    from controlplane.cli.bug_report import described

    return LintReport(tool_version=__version__, crashed=described(error))


def _selected(settings: Settings) -> tuple[CataloguedRule, ...]:
    takes = settings.selection.takes
    return tuple(entry for entry in catalogue() if takes(entry.id, preview=entry.is_preview))


def _without_accepted(report: LintReport, request: Request) -> LintReport:
    """The report without what comments in the files accept, and with what is wrong with those comments."""
    ran = {entry.id for entry in report.rules}
    known = {entry.id for entry in catalogue()}
    takes = request.settings.selection.takes
    sorted_out = suppressions.apply(
        report.findings,
        report.texts,
        request.today,
        lambda rule: rule in ran if rule in known else takes(rule),
    )
    own = request.settings.selection.applied(sorted_out.own)
    findings = tuple(sorted([*sorted_out.findings, *own]))
    return replace(report, findings=findings, suppressed=(*report.suppressed, *sorted_out.suppressed))


def _machines(fleet: str) -> Machines | None:
    if not fleet:
        return None
    from controlplane.cli.lint.policies import machines_of_fleet

    return machines_of_fleet(fleet)


def _judged(
    readings: Sequence[FileReading], court: Court, request: Request
) -> tuple[Verdict, tuple[SuppressedFinding, ...]]:
    """The policies first: a Fleet among them says what machines the manifests will find."""
    ours = [reading for reading in readings if reading.policies]
    said = [Verdict(() if reading.policies else reading.findings, reading.not_judged) for reading in readings]
    manifests = [document for reading in readings for document in reading.manifests]
    if not ours:
        return merged([*said, court.documents(manifests)]), ()
    from controlplane.cli.lint.policies import Given, guarded, judge_policies

    documents = [document for reading in ours for document in reading.policies]
    # Single files may be part of a folder, as a hook gives them: what they refer to may be beside them.
    given = Given(any(Path(path).is_dir() for path in request.paths), request.settings.fleet)
    judged = judge_policies(documents, [f for reading in ours for f in reading.findings], court, given)
    on_machines = replace(court, machines=court.machines or judged.machines)
    verdict = merged(
        [*said, judged.verdict, on_machines.documents(manifests, keep_stacks=bool(judged.policies.guardrails))]
    )
    held, excepted = guarded(judged.policies, verdict.stacks)
    return merged([verdict, held]), excepted
