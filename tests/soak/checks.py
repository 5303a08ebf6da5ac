"""What must hold of every run of lint, whatever it was fed with."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from controlplane.cli import baseline
from controlplane.cli.exit import VerbEnd
from controlplane.cli.lint import ending
from controlplane.cli.lint.report import LintReport
from controlplane.cli.lint.run import Request, lint
from controlplane.cli.lint.settings import Flags, settings_for
from controlplane.cli.views import (
    findings_github,
    findings_gitlab,
    findings_json,
    findings_junit,
    findings_sarif,
    findings_text,
)
from controlplane.diagnostics import Span
from controlplane.source import split_lines
from tests.soak.surfaces import Input

SLOW_SECONDS = 1.0
"""For 20 KB of input; more input may take more."""
HANGS_SECONDS = 30
_ROUNDS = 6
"""Runs of --fix after which nothing may be left to change."""


class Hangs(BaseException):
    """An input took longer than any input may."""


def faults(given: Input, folder: Path, *, every_format: bool = True) -> Iterator[str]:
    """What is wrong with how lint takes an input; nothing where all is well. `folder` is emptied.

    Without `every_format` only text and JSON are rendered, for speed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in given.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    begun = time.perf_counter()
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            yield from _run(given, folder, every_format=every_format or bool(given.hidden))
        except VerbEnd as end:
            yield from _shown(given, "message", end.message + end.remedy)
    seconds = time.perf_counter() - begun
    allowed = SLOW_SECONDS * max(1.0, sum(map(len, given.files.values())) / 20_000) * 6
    if seconds > allowed:
        yield f"slow: {seconds:.1f} s"


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Ends what takes longer than anything may, with the place where it is."""

    def alarm(_number: int, _frame: Any) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, alarm)
    signal.alarm(HANGS_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _run(given: Input, folder: Path, *, every_format: bool) -> Iterator[str]:
    request = Request((str(folder),), date(2026, 11, 29), settings_for(Flags(), [str(folder)]), show_unknown=True)
    begun = time.perf_counter()
    report = lint(request)
    seconds = time.perf_counter() - begun
    if seconds > SLOW_SECONDS * max(1.0, sum(map(len, given.files.values())) / 20_000):
        yield f"slow lint: {seconds:.1f} s"
    if given.baseline:
        with contextlib.suppress(baseline.BaselineError):
            baseline.apply(report.findings, report.texts, baseline.load(given.baseline))
    yield from _places(report)
    yield from _formats(given, report, _VIEWS if every_format else dict(list(_VIEWS.items())[:2]))
    yield from _accepted(given, report)
    yield from _repaired(given, request, report)


def _places(report: LintReport) -> Iterator[str]:
    for finding in (*report.findings, *(entry.finding for entry in report.suppressed)):
        for span in (finding.span, *(r.span for r in finding.related)):
            lines = split_lines(report.texts[span.file].removeprefix("\ufeff")) if span.file in report.texts else None
            if lines is None or not _lies_in(span, lines):
                yield f"place of {finding.rule} is not in the file: {span}-{span.end_line}:{span.end_column}"
    for entry in report.not_judged:
        if not entry.span.file:
            yield "nothing is not judged"


def _lies_in(span: Span, lines: list[str]) -> bool:
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    last = max(len(lines), 1)
    return (1, 1) <= start <= end and span.end_line <= last + 1 and all(
        column <= len(lines[line - 1]) + 2 for line, column in (start, end) if 1 <= line <= len(lines)
    )  # fmt: skip


def _formats(given: Input, report: LintReport, views: Mapping[str, Callable[[LintReport], str]]) -> Iterator[str]:
    for name, render in views.items():
        text = render(report)
        yield from _shown(given, name, text)
        try:
            text.encode()
        except UnicodeEncodeError as error:
            yield f"{name} is no UTF-8: {error}"
        if not _VALID[name](text, report):
            yield f"{name} is not as it should be"


def _is_json(text: str, _report: LintReport) -> bool:
    json.loads(text)
    return True


def _is_junit(text: str, report: LintReport) -> bool:
    root = ElementTree.fromstring(text)  # noqa: S314 - our own output
    return len(list(root.iter("failure"))) <= len(report.findings)


def _is_github(text: str, report: LintReport) -> bool:
    commands = [line for line in text.split("\n") if line.lstrip().startswith(("::", "##["))]
    return len(commands) <= len(report.findings) + len(report.not_judged) + 1


def _is_text(text: str, _report: LintReport) -> bool:
    return not any((ord(c) < 32 and c not in "\n\t") or c in "\x7f\x9b" for c in text)


_VIEWS: Mapping[str, Callable[[LintReport], str]] = {
    "text": lambda report: findings_text.render_report(report, colour=False),
    "json": findings_json.render_report,
    "sarif": findings_sarif.render,
    "junit": findings_junit.render,
    "github": findings_github.render,
    "gitlab": findings_gitlab.render,
}
_VALID: Mapping[str, Callable[[str, LintReport], bool]] = {
    "text": _is_text,
    "json": _is_json,
    "sarif": _is_json,
    "junit": _is_junit,
    "github": _is_github,
    "gitlab": _is_json,
}


def _accepted(given: Input, report: LintReport) -> Iterator[str]:
    written = baseline.dump(report.findings, report.texts)
    yield from _shown(given, "baseline", written)
    compared = baseline.apply(report.findings, report.texts, baseline.load(written))
    if compared.new or compared.gone:
        yield f"the baseline does not know its own findings: {len(compared.new)}, {len(compared.gone)}"


def _repaired(given: Input, request: Request, report: LintReport) -> Iterator[str]:
    for _ in range(_ROUNDS):
        made = ending.proposed(report, unsafe=True)
        yield from _shown(given, "diff", ending.difference(report, made.texts))
        if not made.texts:
            return
        for name, text in made.texts.items():
            if Path(name).read_bytes() != report.texts[name].encode(errors="surrogatepass"):
                return
            Path(name).write_bytes(text.encode(errors="surrogatepass"))
        rules = ", ".join(sorted({f.rule for f in made.applied}))
        report = lint(request)
    yield f"fixes never end: {rules}"


def _shown(given: Input, where: str, text: str) -> Iterator[str]:
    for secret in given.hidden:
        if secret in text:
            at = text.index(secret)
            yield f"{where} shows a secret: ...{text[max(at - 150, 0) : at + 30]!r}"
