"""A file's bytes to documents: the one entry to everything else in this package.

What is wrong with the file is returned as findings; nothing is raised for any bytes. A document that cannot be read
does not hide the others: reading goes on at the next line that begins a document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import yaml

from controlplane.diagnostics import has_errors
from controlplane.regex import regex
from controlplane.source import structure_findings as note
from controlplane.source.budget import Budget
from controlplane.source.decoding import check_text, decode
from controlplane.source.dialect import Dialect
from controlplane.source.document import Document, Node, Places, ReadResult
from controlplane.source.findings import Findings
from controlplane.source.syntax_findings import directive, syntax_error, too_many_directives
from controlplane.source.text import SourceText
from controlplane.source.tree import StopDocument, StopFile, TreeBuilder

_DEFAULT_BUDGET: Final = Budget()
# YAML 1.2.2, section 9.1.2: such a line ends whatever is open, quoted texts and block scalars included.
_BOUNDARY = regex(r"(?:(?<=[\r\n])|\A)(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")
_DIRECTIVE = regex(r"(?:(?<=[\r\n\u0085\u2028\u2029])|\A)%[^\r\n]*")


def read_yaml(data: bytes, file: str, dialect: Dialect, budget: Budget = _DEFAULT_BUDGET) -> ReadResult:
    """Read all documents of a file; `file` is the name that spans carry.

    Documents with nothing in them are left out, and so are those whose value cannot be known: not YAML, too deep, an
    alias of nothing or of itself. Time and memory grow linearly with the file's size, up to the budget.
    """
    text, findings = decode(data, file, dialect, budget)
    if text is None:
        return ReadResult((), findings.sorted())
    reading = _Reading(text, dialect, budget, findings)
    reading.run()
    if not reading.documents and not has_errors(findings.sorted()):
        note.empty_file(findings, dialect)
    return ReadResult(tuple(reading.documents), findings.sorted())


def read_text(source: SourceText, dialect: Dialect, budget: Budget = _DEFAULT_BUDGET) -> ReadResult:
    """Read all documents of a text that stands inside another file; an empty one is no finding."""
    findings = Findings(source, budget.findings)
    text = check_text(findings, dialect)
    if text is None:
        return ReadResult((), findings.sorted())
    reading = _Reading(text, dialect, budget, findings)
    reading.run()
    return ReadResult(tuple(reading.documents), findings.sorted())


class _Reading:
    """One run over one file's text."""

    def __init__(self, text: str, dialect: Dialect, budget: Budget, findings: Findings) -> None:
        self.documents: list[Document] = []
        self._text = text
        self._dialect = dialect
        self._budget = budget
        self._findings = findings
        self._builder = TreeBuilder(dialect, budget, findings)
        self._index = -1

    def run(self) -> None:
        if not self._directives_fit():
            return
        base: int | None = 0
        for _ in range(self._budget.resumptions + 1):
            if base is None:
                return
            base = self._read_from(base)
        if base is not None:
            note.too_many_unreadable(self._findings, self._budget.resumptions + 1, base)

    def _directives_fit(self) -> bool:
        if "%" not in self._text:
            return True
        count, first = 0, 0
        for match in _DIRECTIVE.finditer(self._text):
            first = first if count else match.start()
            count += 1
        if count > self._budget.directives:
            too_many_directives(self._findings, count, self._budget.directives, first)
            return False
        return True

    def _read_from(self, base: int) -> int | None:
        """Read documents from an index on; the index to go on from after one that cannot be read."""
        self._builder.base = base
        # As yaml.parse does it, which asks twice for every event.
        events: Iterator[yaml.Event] = iter(yaml.CSafeLoader(self._text[base:]).get_event, None)
        try:
            for event in events:
                if isinstance(event, yaml.DocumentStartEvent):
                    self._read_document(event, events)
        except StopFile:
            return None
        except StopDocument as stop:
            return self._next_document(base, stop.index)
        except yaml.YAMLError as error:
            return self._next_document(base, syntax_error(self._findings, error, base, self._budget.depth))
        return None

    def _read_document(self, start: yaml.DocumentStartEvent, events: Iterator[yaml.Event]) -> None:
        self._index += 1
        if self._index >= self._budget.documents:
            mark = getattr(start.start_mark, "index", 0) + self._builder.base
            note.too_many_documents(self._findings, self._budget.documents, (mark, mark))
            raise StopFile
        if start.version or start.tags:
            self._note_directives(start)
        root = self._builder.document(events)
        if root is not None and self._builder.readable:
            self.documents.append(self._document(root))

    def _note_directives(self, start: yaml.DocumentStartEvent) -> None:
        first = getattr(start.start_mark, "index", 0) + self._builder.base
        last = getattr(start.end_mark, "index", 0) + self._builder.base
        for match in _DIRECTIVE.finditer(self._text, first, last):
            if self._dialect is Dialect.POLICY and match[0].split() == ["%YAML", "1.2"]:
                continue
            directive(self._findings, match[0].rstrip(), match.start())

    def _document(self, root: Node) -> Document:
        text = self._findings.text
        places = Places(root, text)
        return Document(text.file, self._index, root.value, places, text.span(root.start, root.end))

    def _next_document(self, base: int, stopped: int) -> int | None:
        match = _BOUNDARY.search(self._text, max(stopped, base + 1))
        if match is None:
            return None
        return match.start() if match[0] == "---" else match.end()
