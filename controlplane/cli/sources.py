"""Finds and reads the files a verb was given. Order is that of the arguments, then of names."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.frozen import frozen
from controlplane.source import Budget

_SUFFIXES = (".yaml", ".yml")


@frozen
class SourceFile:
    """One file as read. `name` is how the user would call it; at most one byte more than the budget is held."""

    name: str
    data: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the contents."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def text(self) -> str:
        """The contents for excerpts; bytes that are not UTF-8 show as U+FFFD."""
        return self.data.decode("utf-8", errors="replace")


def read_sources(paths: Sequence[str]) -> tuple[SourceFile, ...]:
    """Read files, folders (every YAML file below) and `-` (standard input).

    Raises `VerbEnd`: with code 2 where there is nothing to read, 64 where a path does not exist or cannot be read.
    """
    found = tuple(_read(path) for name in paths for path in _files(name))
    if not found:
        raise VerbEnd(
            Exit.NOTHING_TO_READ, f"no YAML file in {', '.join(paths)}", "Name a file or a folder with *.yaml."
        )
    return found


def _files(name: str) -> Iterator[str]:
    path = Path(name)
    if name == "-":
        yield name
    elif path.is_dir():
        yield from sorted(
            str(p) for p in path.rglob("*") if p.suffix in _SUFFIXES and p.is_file() and not _hidden(p, path)
        )
    elif path.exists():
        yield name
    else:
        raise VerbEnd(Exit.USAGE, f"{name} does not exist")


def _hidden(path: Path, below: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(below).parts)


def _read(name: str) -> SourceFile:
    limit = Budget().bytes + 1
    try:
        if name == "-":
            return SourceFile("<stdin>", sys.stdin.buffer.read(limit))
        with Path(name).open("rb") as file:
            return SourceFile(name, file.read(limit))
    except OSError as error:
        raise VerbEnd(Exit.USAGE, f"{name} cannot be read: {error.strerror}") from error
