"""Writes what a verb was told to put into a file."""

from __future__ import annotations

from pathlib import Path

from controlplane.cli.exit import Exit, VerbEnd


def write_output(path: str, text: str) -> None:
    """Write a file. Ends the verb with 64 where the path cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise VerbEnd(
            Exit.USAGE, f"{path} cannot be written: {error.strerror}", "Name a file in a folder that exists."
        ) from error
