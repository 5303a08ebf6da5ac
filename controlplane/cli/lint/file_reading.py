"""One file's bytes to the documents that rules can judge, and what is to be said of the others.

Pure, so that files can be read by several processes. A document of a kind that nobody reads is not parsed; the
findings of the YAML reader are kept only for documents that are ours or manifests.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from controlplane.cli.lint.not_manifests import reason_of_kind, reason_of_name
from controlplane.cli.lint.report import NotJudged
from controlplane.cli.lint.scan import Piece, is_blank, looks_like_manifest, may_be_policy, scan
from controlplane.cli.lint.unrendered import patch_of, unrendered
from controlplane.diagnostics import Diagnostic, Severity, Span, has_errors
from controlplane.frozen import frozen
from controlplane.source import Budget, Dialect, Document, read_yaml

Reads = Callable[[str, str], bool]
"""Whether rules know a kind, by its group and name."""

LARGEST_FILE_BYTES = Budget().bytes


@frozen
class FileReading:
    """What one file holds. `policies` are documents in our own dialect, `manifests` in that of Kubernetes."""

    file: str
    text: str = ""
    policies: tuple[Document, ...] = ()
    manifests: tuple[Document, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()


def read_file(name: str, data: bytes, reads: Reads, scans: bool = True) -> FileReading:
    """Read one file; `name` is what its spans carry. Without `scans` every document is parsed."""
    if len(data) > LARGEST_FILE_BYTES:
        return unread(name, f"larger than {LARGEST_FILE_BYTES // 1024**2} MiB, which is the most that lint reads")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _undecodable(name, data)
    return _Reading(name, text, reads, scans).run()


def unread(name: str, reason: str, text: str = "") -> FileReading:
    """A file of which nothing is judged."""
    return FileReading(name, text, not_judged=(NotJudged(Span(name, 1, 1, 1, 1), reason),))


def _undecodable(name: str, data: bytes) -> FileReading:
    if b"apiVersion" not in data.replace(b"\0", b""):
        return unread(name, "not text in UTF-8")
    result = read_yaml(data, name, Dialect.KUBERNETES)
    return FileReading(name, data.decode("utf-8", errors="replace"), findings=result.diagnostics)


class _Reading:
    """One run over one file."""

    def __init__(self, name: str, text: str, reads: Reads, scans: bool) -> None:
        self._name = name
        self._whole = text
        # Places count from behind a byte order mark.
        self._text = text.removeprefix("\ufeff")
        self._reads = reads
        self._scans = scans
        self._findings: list[Diagnostic] = []
        self._not_judged: list[NotJudged] = []

    def run(self) -> FileReading:
        if "apiVersion" not in self._text:
            return self._without_manifests()
        policies: list[Piece] = []
        manifests: list[Piece] = []
        for piece in scan(self._text):
            if may_be_policy(self._text, piece):
                policies.append(piece)
            elif self._is_parsed(piece):
                manifests.append(piece)
            elif not piece.blank:
                self._skip(piece)
        ours = self._documents(policies, Dialect.POLICY)
        theirs = self._documents(manifests, Dialect.KUBERNETES)
        return FileReading(
            self._name,
            self._whole,
            tuple(ours),
            tuple(theirs),
            tuple(sorted(self._findings)),
            tuple(sorted(self._not_judged)),
        )

    def _without_manifests(self) -> FileReading:
        """A file in which nothing can be a manifest is not looked at further."""
        if is_blank(self._text):
            return FileReading(self._name, self._whole)
        return unread(self._name, reason_of_name(self._name), self._whole)

    def _is_parsed(self, piece: Piece) -> bool:
        return not piece.blank and (not self._scans or self._may_be_read(piece))

    def _may_be_read(self, piece: Piece) -> bool:
        """Whether a reader may know the document, as far as the scan can tell."""
        return not piece.is_certain or bool(piece.kind and piece.api_version and self._reads(piece.group, piece.kind))

    def _skip(self, piece: Piece) -> None:
        self._leave(Span(self._name, piece.line, 1, piece.line, 1), piece.group, piece.kind, piece.api_version)

    def _leave(self, span: Span, group: str, kind: str, api_version: str) -> None:
        reason = reason_of_kind(group, kind) if kind and api_version else reason_of_name(self._name)
        self._not_judged.append(NotJudged(span, reason, kind if api_version else ""))

    def _documents(self, pieces: Sequence[Piece], dialect: Dialect) -> list[Document]:
        """The manifests among some documents, which are read as if nothing else were in the file."""
        if not pieces:
            return []
        result = read_yaml(_only(self._text, pieces).encode(), self._name, dialect)
        # The line that ends a document is still its own, so a line belongs to the last document that begins above it.
        starts = [(piece.line, 2 if self._text.startswith("---", piece.start) else 1) for piece in pieces]
        read: list[list[Document]] = [[] for _ in pieces]
        for document in result.documents:
            read[max(bisect_right(starts, _place(document.span)) - 1, 0)].append(document)
        told: list[list[Diagnostic]] = [[] for _ in pieces]
        for finding in result.diagnostics:
            told[max(bisect_right(starts, _place(finding.span)) - 1, 0)].append(finding)
        kept: list[Document] = []
        for index, piece in enumerate(pieces):
            kept += self._of_piece(piece, read[index], told[index], dialect)
        return kept

    def _of_piece(
        self, piece: Piece, documents: Sequence[Document], findings: Sequence[Diagnostic], dialect: Dialect
    ) -> list[Document]:
        reason = patch_of(self._text, piece.start, piece.end) or self._template(piece, findings)
        if reason is not None:
            self._not_judged.append(NotJudged(Span(self._name, piece.line, 1, piece.line, 1), reason))
            return []
        kept = [document for document in documents if self._is_kept(document, dialect)]
        meant = dialect is Dialect.POLICY or self._may_be_read(piece)
        if kept or (not documents and meant and looks_like_manifest(self._text, piece)):
            self._findings += [f for f in findings if dialect is Dialect.POLICY or not _is_idiom(f)]
        elif not documents and has_errors(findings):
            first = next(f for f in findings if f.severity is Severity.ERROR)
            self._not_judged.append(NotJudged(first.span, f"not read as YAML: {first.message}"))
        return kept

    def _is_kept(self, document: Document, dialect: Dialect) -> bool:
        api_version, kind = named(document)
        group = api_version.rpartition("/")[0]
        if api_version and kind and (dialect is Dialect.POLICY or self._reads(group, kind)):
            return True
        span = document.span
        self._leave(Span(span.file, span.line, span.column, span.line, span.column), group, kind, api_version)
        return False

    def _template(self, piece: Piece, findings: Sequence[Diagnostic]) -> str | None:
        """Why a document is a template and no manifest. One that can be read is none, whatever its values say."""
        for finding in findings:
            if finding.severity is Severity.ERROR:
                lines = self._text.split("\n", finding.span.line)[max(finding.span.line - 2, 0) : finding.span.line]
                reason = unrendered(self._text, piece.start, piece.end, "\n".join(lines))
                if reason is not None:
                    return reason
        return None


def _is_idiom(finding: Diagnostic) -> bool:
    """`defaultMode: 0644`: to be known in a policy of ours, but every manifest has it, and means it."""
    return finding.rule == "yaml/ambiguous-scalar" and finding.severity is Severity.INFO


def _place(span: Span) -> tuple[int, int]:
    return span.line, span.column


def named(document: Document) -> tuple[str, str]:
    """A document's apiVersion and kind, empty where it has none."""
    if not isinstance(document.value, dict):
        return "", ""
    api_version, kind = document.value.get("apiVersion"), document.value.get("kind")
    return (api_version if isinstance(api_version, str) else ""), (kind if isinstance(kind, str) else "")


def _only(text: str, pieces: Sequence[Piece]) -> str:
    """The text with all other documents blank; lines, columns and the number of documents stay as they are."""
    found: list[str] = []
    at = 0
    for piece in pieces:
        found += [_blank(text[at : piece.start]), text[piece.start : piece.end]]
        at = piece.end
    return "".join([*found, _blank(text[at:])])


def _blank(text: str) -> str:
    """Only line ends and the lines that divide documents."""
    return "\n".join(line if line.startswith("---") else "" for line in text.split("\n"))
