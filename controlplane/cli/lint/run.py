"""One run of lint: files are found and read, policies and manifests judged, and the report put together."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from controlplane import __version__
from controlplane.cli.lint.discovery import STANDARD_INPUT, find
from controlplane.cli.lint.file_reading import LARGEST_FILE_BYTES, FileReading, read_file, unread
from controlplane.cli.lint.judging import Court, Machines, Verdict, merged
from controlplane.cli.lint.layout import Layout
from controlplane.cli.lint.report import LintReport
from controlplane.diagnostics import Diagnostic
from controlplane.rules import catalogue
from controlplane.stack.read import reads


@dataclass(frozen=True, slots=True)
class Request:
    """What a run was asked for. `assume` are versions by component, `fleet` a file that describes the machines."""

    paths: tuple[str, ...]
    stdin_filename: str = ""
    assume: Mapping[str, str] = field(default_factory=dict)
    fleet: str = ""


def lint(request: Request) -> LintReport:
    """Judge everything the paths name. Raises `VerbEnd` for paths that do not exist."""
    found = find(request.paths)
    readings = read_files(found.files, request.stdin_filename)
    rules = catalogue()
    court = Court(rules, request.assume, _machines(request.fleet))
    verdict = merged([Verdict(not_judged=found.not_judged), *_verdicts(readings, court)])
    return LintReport(
        findings=verdict.findings,
        not_judged=verdict.not_judged,
        texts={reading.file: reading.text for reading in readings},
        tool_version=__version__,
        rules=rules,
        undecided=verdict.undecided,
        files=len(readings),
        judged=sum(len(reading.policies) + len(reading.manifests) for reading in readings),
    )


def _machines(fleet: str) -> Machines | None:
    if not fleet:
        return None
    from controlplane.cli.lint.policies import machines_of_fleet

    return machines_of_fleet(fleet)


def _verdicts(readings: Sequence[FileReading], court: Court) -> Iterable[Verdict]:
    """The policies first: a Fleet among them says what machines the manifests will find."""
    ours = [reading for reading in readings if reading.policies]
    if ours:
        from controlplane.cli.lint.policies import judge_policies

        documents = [document for reading in ours for document in reading.policies]
        told = [finding for reading in ours for finding in reading.findings]
        judged = judge_policies(documents, told, court)
        court = replace(court, machines=court.machines or judged.machines)
        yield judged.verdict
    for reading in readings:
        findings: tuple[Diagnostic, ...] = () if reading.policies else reading.findings
        yield Verdict(findings, reading.not_judged)
    yield court.documents(document for reading in readings for document in reading.manifests)


def read_files(names: Sequence[str], stdin_filename: str = "") -> list[FileReading]:
    """Read files in their order; what cannot be read is said, unless nothing else was asked for."""
    layout = Layout()
    layout.learn(names)
    return [_read(name, layout, stdin_filename) for name in names]


def _read(name: str, layout: Layout, stdin_filename: str) -> FileReading:
    if name == STANDARD_INPUT:
        return read_file(stdin_filename or "<stdin>", sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1), reads)
    try:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        return unread(name, f"the file cannot be read: {error.strerror}")
    reason = _part(name, data, layout)
    return read_file(name, data, reads) if reason is None else unread(name, reason, data.decode(errors="replace"))


def _part(name: str, data: bytes, layout: Layout) -> str | None:
    """Why a file is no manifest by itself, whatever it looks like."""
    folder = layout.kustomization_of(name)
    if folder is not None:
        return f"a part of a kustomization: lint the output of `kustomize build {folder}`"
    if b"{{" in data and (chart := layout.chart_of(name)) is not None:
        return f"a template of a Helm chart: lint the output of `helm template {chart}`"
    return None
