"""What a finding is known by from run to run: its rule, file, object and path, and never its line.

Two runs give a finding the same fingerprint although lines were added above it. The object (kind, namespace, name)
comes from the file's text; list items count by their `name` where they have one, and by what is written at the place
otherwise. Findings that are alike in all of that are numbered in the order of the text.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from controlplane.diagnostics import Diagnostic, KeyPath, Span, render_path
from controlplane.source import Dialect, Document, Value, read_yaml, split_lines
from controlplane.stack.recent import recent

LENGTH = 32
"""Hexadecimal digits of a fingerprint: half of a SHA-256."""


def fingerprints(findings: Sequence[Diagnostic], texts: Mapping[str, str], folder: Path | None = None) -> list[str]:
    """A fingerprint for each finding, in their order; no two are the same. Files count from `folder`."""
    identities = _Identities(texts, folder)
    order = sorted(range(len(findings)), key=lambda index: findings[index])
    seen: Counter[str] = Counter()
    result = [""] * len(findings)
    for index in order:
        identity = "\n".join(identities.of(findings[index]))
        result[index] = _digest(f"{identity}\n{seen[identity]}")
        seen[identity] += 1
    return result


def object_names(findings: Iterable[Diagnostic], texts: Mapping[str, str]) -> list[str]:
    """`Kind/namespace/name` of the object that each finding stands in, or an empty text."""
    identities = _Identities(texts)
    return [identities.object_of(finding) for finding in findings]


def portable_name(file: str, folder: Path | None = None) -> str:
    """A file's name with slashes and without `./`.

    It is relative to a folder, or else to the working directory where the file lies below.
    """
    path = Path(file)
    if folder is not None and file and not file.startswith("<"):
        return Path(os.path.relpath(path, folder)).as_posix()
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return posixpath.normpath(path.as_posix()) if file else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:LENGTH]


@recent
def _documents(_: Mapping[str, str]) -> dict[str, tuple[Document, ...]]:
    """Those read so far of some texts, by file: a view asks for identities, and then for names of objects."""
    return {}


class _Identities:
    """Finds out what findings are about; a file is read once, when first asked for."""

    def __init__(self, texts: Mapping[str, str], folder: Path | None = None) -> None:
        self._texts = texts
        self._folder = folder
        self._documents = _documents(texts)
        self._lines: dict[str, list[str]] = {}

    def of(self, finding: Diagnostic) -> Iterator[str]:
        """The parts of a finding's identity."""
        document = self._document(finding.span)
        yield finding.rule
        yield portable_name(finding.span.file, self._folder)
        yield _object_name(document)
        path, is_unique = _stable_path(finding.path, document)
        yield path
        if not is_unique:
            yield self._written(finding.span)

    def object_of(self, finding: Diagnostic) -> str:
        return _object_name(self._document(finding.span))

    def _document(self, span: Span) -> Document | None:
        name = span.file
        if name not in self._documents:
            data = self._texts.get(name, "").encode("utf-8", errors="replace")
            self._documents[name] = read_yaml(data, name, Dialect.KUBERNETES).documents
        place = (span.line, span.column)
        for document in self._documents[name]:
            around = document.span
            if (around.line, around.column) <= place <= (around.end_line, around.end_column):
                return document
        return None

    def _written(self, span: Span) -> str:
        """What stands at the finding's place, up to the end of its first line."""
        if span.file not in self._lines:
            self._lines[span.file] = split_lines(self._texts.get(span.file, "").removeprefix("\ufeff"))
        lines = self._lines[span.file]
        if not 1 <= span.line <= len(lines):
            return ""
        end = span.end_column - 1 if span.end_line == span.line else None
        return lines[span.line - 1][span.column - 1 : end].strip()


def _object_name(document: Document | None) -> str:
    value = document.value if document is not None else None
    if not isinstance(value, dict):
        return ""
    metadata = value.get("metadata")
    names = [metadata.get(key) for key in ("namespace", "name")] if isinstance(metadata, dict) else []
    return "/".join(str(part) for part in (value.get("kind"), *names) if part is not None)


def _stable_path(path: KeyPath, document: Document | None) -> tuple[str, bool]:
    """The path, with the index of an item replaced by its name, or left out; and whether it still names one place."""
    text, is_unique = "", bool(path)
    value: Value = document.value if document is not None else None
    for part in path:
        value = _below(value, part)
        if isinstance(part, int):
            name = value.get("name") if isinstance(value, dict) else None
            text += f"[name={name}]" if isinstance(name, str) else "[]"
            is_unique = is_unique and isinstance(name, str)
        else:
            text += f"/{render_path((part,))}"
    return text, is_unique


def _below(value: Value, part: str | int) -> Value:
    if isinstance(value, dict) and isinstance(part, str):
        return value.get(part)
    if isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value):
        return value[part]
    return None
