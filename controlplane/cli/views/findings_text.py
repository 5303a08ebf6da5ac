"""Findings for people: place, message, the line with a caret, evidence, remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controlplane.cli.lint.report import LintReport
from controlplane.cli.proposed_edits import Proposals, proposed_edits
from controlplane.cli.terminal import paint, printable
from controlplane.diagnostics import Applicability, Diagnostic, Edit, Severity, Span
from controlplane.frozen import frozen
from controlplane.plan.redaction import redact_text, secret_parts
from controlplane.regex import regex
from controlplane.source import excerpt, split_lines
from controlplane.source import printable as visible

_AROUND = 400
"""Characters before and behind the column that are searched for secrets; an excerpt shows fewer."""

_SUGGESTED_LINES = 12
"""Lines of a suggestion that are shown; a longer one is a rewrite that nobody pastes from a terminal."""

_PLACES = 3
"""Places that are named where something was not judged for one reason."""

_VALUE = regex(r"\bvalue[\"']?\s*:")
_SECRET = regex(r"\bkind[\"']?\s*:\s*[\"']?Secret\b")
_MADE_BY = {Applicability.SAFE: "--fix makes it", Applicability.NEEDS_DECISION: "--fix --unsafe-fixes makes it"}
_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


@frozen
class Source:
    """A file's lines, the numbers of those that hold a secret by what they mean, and whether it has a Secret."""

    lines: Sequence[str]
    secret: frozenset[int] = frozenset()
    has_secrets: bool = False

    def hides(self, first: int, last: int) -> bool:
        """Whether a secret stands on one of some lines."""
        return bool(self.secret) and any(line in self.secret for line in range(first, last + 1))


def render(findings: Sequence[Diagnostic], texts: Mapping[str, str], *, colour: bool) -> str:
    """All findings and a summary line; `texts` maps file names to their contents."""
    return "\n\n".join([*_blocks(findings, texts, {}, colour=colour), summary(findings)])


def render_report(report: LintReport, *, colour: bool) -> str:
    """A whole run of lint: findings with the edits that would be made, what was not judged, and the totals."""
    proposals = proposed_edits(report.findings, report.texts)
    blocks = _blocks(report.findings, report.texts, proposals, colour=colour, secret=report.secret_lines)
    blocks += _not_told(report)
    if report.crashed is not None:
        blocks.append(f"the run ended early, findings may be missing: {_one_line(report.crashed)}")
    return "\n\n".join([*blocks, report_summary(report)])


def report_summary(report: LintReport) -> str:
    """The totals in one line: `2 errors, 1 warning; 3 accepted by comments; 4 not judged; 12 files`."""
    kinds = [entry.kind for entry in report.suppressed]
    parts = [summary(report.findings) + ("" if report.crashed is None else ", before the run ended early")]
    parts += [f"{count} accepted by comments"] if (count := kinds.count("comment")) else []
    parts += [f"{count} accepted by exceptions"] if (count := kinds.count("exception")) else []
    parts += [f"{count} in the baseline"] if (count := kinds.count("baseline")) else []
    parts += [f"{len(report.not_judged)} not judged"] if report.not_judged else []
    parts += [f"{report.files} file{'' if report.files == 1 else 's'}"] if report.files else []
    return "; ".join(parts)


def summary(findings: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`, or `no findings`."""
    counts = dict.fromkeys(Severity, 0)
    for finding in findings:
        counts[finding.severity] += 1
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [f"{n} {words[s]}{'' if n == 1 else 's'}" for s, n in counts.items() if n]
    return ", ".join(parts) or "no findings"


def _blocks(
    findings: Sequence[Diagnostic],
    texts: Mapping[str, str],
    proposals: Proposals,
    *,
    colour: bool,
    secret: Mapping[str, frozenset[int]] | None = None,
) -> list[str]:
    # Split once: a hostile file has as many findings as lines.
    names = {f.span.file for f in findings} | {e.span.file for edits in proposals.values() for e in edits}
    lines = {name: split_lines(texts[name].removeprefix("\ufeff")) for name in names if name in texts}
    sources = {
        name: Source(found, (secret or {}).get(name, frozenset()), _SECRET.search(texts[name]) is not None)
        for name, found in lines.items()
    }
    return [_finding(f, sources, proposals.get(f, ()), colour=colour) for f in sorted(findings)]


def _finding(finding: Diagnostic, sources: Mapping[str, Source], edits: Sequence[Edit], *, colour: bool) -> str:
    severity = paint(finding.severity.value, _STYLE[finding.severity], "bold", colour=colour)
    place = paint(_one_line(str(finding.span)), "bold", colour=colour)
    lines = [f"{place}: {severity}: {_one_line(finding.message)} [{finding.rule}]"]
    shown = shown_source(finding, sources.get(finding.span.file, Source(())))
    lines += ["  " + line for line in shown]
    lines += [f"  note: {_one_line(str(r.span))}: {_one_line(r.message)}" for r in finding.related]
    lines += [f"  evidence: {_evidence(e.fact, e.value, e.unit, e.source)}" for e in finding.evidence]
    if finding.remedy is not None:
        made_by = f" ({_MADE_BY[finding.remedy.applicability]})" if edits else ""
        lines.append(paint("  remedy: ", "green", colour=colour) + _one_line(finding.remedy.text) + made_by)
    if any("^" in line for line in shown):
        lines += [paint(f"    {line}", _style(line), colour=colour) for line in _suggestion(edits, sources)]
    return "\n".join(lines)


def _suggestion(edits: Sequence[Edit], sources: Mapping[str, Source]) -> list[str]:
    """The lines that would go and those that would come, unless one may hold a secret."""
    changes = [(edit, sources[edit.span.file]) for edit in edits if edit.span.file in sources]
    if any(source.hides(edit.span.line, edit.span.end_line) for edit, source in changes):
        return []
    lines = [line for edit, source in changes for line in _changed_lines(edit, source.lines)]
    if len(lines) > _SUGGESTED_LINES or any(redact_text(line) != line or _VALUE.search(line) for line in lines):
        return []
    return lines


def _changed_lines(edit: Edit, source: Sequence[str]) -> list[str]:
    span = edit.span
    old = list(source[span.line - 1 : span.end_line])
    text = old[0][: span.column - 1] + edit.new_text + old[-1][span.end_column - 1 :]
    new = split_lines(text)
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    gone = [f"- {span.line + offset} | {visible(line)}" for offset, line in enumerate(old)]
    return gone + [f"+ {span.line + offset} | {visible(line)}" for offset, line in enumerate(new)]


def _style(line: str) -> str:
    return "green" if line.startswith("+") else "red"


def _not_told(report: LintReport) -> list[str]:
    """One line for each reason why something was not judged or could not be told, with the first places."""
    by_reason: dict[str, list[str]] = {}
    for entry in sorted(report.not_judged):
        place = " ".join(filter(None, [str(entry.span), entry.object]))
        by_reason.setdefault(f"not judged: {{}}: {_one_line(entry.reason)}", []).append(place)
    for unknown in report.undecided:
        place = str(unknown.span or "the input as a whole")
        by_reason.setdefault(f"cannot tell [{unknown.rule}]: {{}}: {_one_line(unknown.needs)}", []).append(place)
    return ["\n".join(_with_places(reason, places) for reason, places in by_reason.items())] if by_reason else []


def _with_places(reason: str, places: Sequence[str]) -> str:
    more = f" and {len(places) - _PLACES:,} more" if len(places) > _PLACES else ""
    head, _, tail = reason.partition("{}")
    return f"{head}{_one_line(', '.join(places[:_PLACES]))}{more}{tail}"


def _one_line(text: str) -> str:
    """Without anything a terminal or a log reader would obey: a text from a manifest begins no line of its own."""
    return printable(text).replace("\n", "\\n")


def shown_source(finding: Diagnostic, source: Source) -> list[str]:
    """The line of a finding with carets below it, or less where it may hold a secret.

    Values of the environment are never shown. A line that cannot be read may be one of them.
    """
    span = finding.span
    if "env" in finding.path or not 1 <= span.line <= len(source.lines):
        return []
    start = max(span.column - _AROUND, 0)
    near = source.lines[span.line - 1][start : start + 2 * _AROUND]
    if (
        source.hides(span.line, span.line)
        or redact_text(near) != near
        or (not finding.path and _unread(span, near, source))
    ):
        return ["(the line may hold a secret, so it is not shown)"]
    return excerpt(source.lines, span).splitlines()


def _unread(span: Span, near: str, source: Source) -> bool:
    """Whether a line of a document that cannot be read may hold a secret, by what stands around it."""
    before = source.lines[span.line - 2][-_AROUND:] if span.line > 1 else ""
    return (
        source.has_secrets
        or _VALUE.search(near) is not None
        or any(end > len(before) for _, end in secret_parts(f"{before}\n{near.lstrip(' -')}"))
    )


def _evidence(fact: str, value: object, unit: str, source: str) -> str:
    return _one_line(f"{fact} = {value}{' ' + unit if unit else ''} ({source})")
