"""Files to what is in them, in their order."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.lint.discovery import STANDARD_INPUT
from controlplane.cli.lint.file_reading import LARGEST_FILE_BYTES, FileReading, named, read_file, unread
from controlplane.cli.lint.layout import Layout
from controlplane.cli.lint.processes import processors, spread
from controlplane.cli.lint.report import NotJudged
from controlplane.diagnostics import Span
from controlplane.frozen import frozen
from controlplane.stack.read import reads

_WORTH_A_PROCESS_BYTES = 300_000


def read_files(names: Sequence[str], stdin_filename: str = "") -> list[FileReading]:
    """Read files in their order; one that cannot be read is not judged, with the reason."""
    layout = Layout()
    layout.learn(names)
    files = [_bytes(name, layout, stdin_filename) for name in names]
    weights = [len(file.data) for file in files]
    processes = processors() if sum(weights) > _WORTH_A_PROCESS_BYTES and len(files) > 1 else 1
    return spread(_read, files, weights, processes)


@frozen
class _File:
    """A file's bytes, and why none of it is to be judged where that is known already."""

    name: str
    data: bytes
    reason: str | None = None
    changed_by: str | None = None
    """The folder of the kustomization that changes its objects."""


def _bytes(name: str, layout: Layout, stdin_filename: str) -> _File:
    if name == STANDARD_INPUT:
        return _File(stdin_filename or "<stdin>", _standard_input())
    try:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        return _File(name, b"", f"the file cannot be read: {error.strerror}")
    return _File(name, data, _part(name, data, layout), layout.changed_by(name))


def _standard_input() -> bytes:
    # Python has none where the program was started with it closed.
    if sys.stdin is None:  # type: ignore[redundant-expr, unused-ignore]
        raise VerbEnd(Exit.USAGE, "standard input is closed", "Pipe the manifests into it, or name files.")
    return sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)


def _read(file: _File) -> FileReading:
    if file.reason is not None:
        return unread(file.name, file.reason, file.data.decode(errors="replace"))
    reading = read_file(file.name, file.data, reads)
    return reading if file.changed_by is None else _changed(reading, file.changed_by)


def _changed(reading: FileReading, folder: str) -> FileReading:
    """A file's reading without its manifests, which are not what is applied."""
    reason = f"a kustomization changes it before it is applied: lint the output of `kustomize build {folder}`"
    changed = [NotJudged(_start(document.span), reason, named(document)[1]) for document in reading.manifests]
    return replace(reading, manifests=(), not_judged=tuple(sorted([*reading.not_judged, *changed])))


def _start(span: Span) -> Span:
    return Span(span.file, span.line, span.column, span.line, span.column)


def _part(name: str, data: bytes, layout: Layout) -> str | None:
    """Why a file is no manifest by itself, whatever it looks like."""
    folder = layout.kustomization_of(name)
    if folder is not None:
        return f"a part of a kustomization: lint the output of `kustomize build {folder}`"
    if b"{{" in data and (chart := layout.chart_of(name)) is not None:
        return f"a template of a Helm chart: lint the output of `helm template {chart}`"
    return None
