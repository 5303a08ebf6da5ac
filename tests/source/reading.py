"""Short ways to read a text in a test."""

from __future__ import annotations

from controlplane.diagnostics import Diagnostic, Span
from controlplane.source import Budget, Dialect, Document, ReadResult, read_yaml


def read(text: str | bytes, dialect: Dialect = Dialect.POLICY, budget: Budget | None = None) -> ReadResult:
    """Everything about a text."""
    data = text.encode() if isinstance(text, str) else text
    return read_yaml(data, "policy.yaml", dialect, budget or Budget())


def document(text: str, dialect: Dialect = Dialect.POLICY) -> Document:
    """The only document of a text with nothing wrong."""
    result = read(text, dialect)
    assert result.diagnostics == ()
    (only,) = result.documents
    return only


def finding(text: str | bytes, dialect: Dialect = Dialect.POLICY, budget: Budget | None = None) -> Diagnostic:
    """The only finding about a text."""
    (only,) = read(text, dialect, budget).diagnostics
    return only


def rules(text: str | bytes, dialect: Dialect = Dialect.POLICY) -> list[str]:
    """The rules of all findings, in order."""
    return [diagnostic.rule for diagnostic in read(text, dialect).diagnostics]


def place(span: Span) -> tuple[int, int, int, int]:
    """A span without its file."""
    return (span.line, span.column, span.end_line, span.end_column)


def at(diagnostic: Diagnostic) -> tuple[int, int]:
    """Where a finding points."""
    return (diagnostic.span.line, diagnostic.span.column)


def slice_of(text: str, span: Span) -> str:
    """The characters of a span; lines end with LF in these texts."""
    lines = text.split("\n")
    if span.line == span.end_line:
        return lines[span.line - 1][span.column - 1 : span.end_column - 1]
    first, last = lines[span.line - 1][span.column - 1 :], lines[span.end_line - 1][: span.end_column - 1]
    return "\n".join([first, *lines[span.line : span.end_line - 1], last])


def edited(text: str, diagnostic: Diagnostic) -> str:
    """The text with the finding's edits made; they stand on one line each."""
    lines = text.split("\n")
    assert diagnostic.remedy is not None
    for edit in sorted(diagnostic.remedy.edits, key=lambda e: e.span, reverse=True):
        line = lines[edit.span.line - 1]
        lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.new_text + line[edit.span.end_column - 1 :]
    return "\n".join(lines)
