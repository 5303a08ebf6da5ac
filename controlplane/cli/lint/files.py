"""Files to what is in them, in their order."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from controlplane.cli.lint.discovery import STANDARD_INPUT
from controlplane.cli.lint.file_reading import LARGEST_FILE_BYTES, FileReading, read_file, unread
from controlplane.cli.lint.layout import Layout
from controlplane.stack.read import reads


def read_files(names: Sequence[str], stdin_filename: str = "") -> list[FileReading]:
    """Read files in their order; one that cannot be read is not judged, with the reason."""
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
