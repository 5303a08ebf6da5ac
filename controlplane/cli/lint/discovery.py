"""Paths, folders and globs to the files that lint reads, in the order of the arguments and then of the names.

Below a folder, hidden files, what `.gitignore` names, and the folders of other people's code are left out; a path
that is given by name is read whatever it is called. Links to folders are not followed, so that no link can loop.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.lint.gitignore import IgnoreFile, ignored, parse
from controlplane.cli.lint.report import NotJudged
from controlplane.diagnostics import Span
from controlplane.frozen import frozen

STANDARD_INPUT = "-"
_SUFFIXES = (".yaml", ".yml", ".json")
_OTHERS_CODE = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_LARGEST_IGNORE_FILE_BYTES = 1024 * 1024


@frozen
class Found:
    """The files to read, by the names that the user would use; and folders that could not be looked into."""

    files: tuple[str, ...]
    not_judged: tuple[NotJudged, ...] = ()


def find(paths: Sequence[str]) -> Found:
    """The files of some arguments, each once, also where links or several arguments lead to it.

    Raises `VerbEnd` with 64 where a path does not exist or a pattern matches nothing.
    """
    found: dict[str, None] = {}
    not_judged: list[NotJudged] = []
    for argument in paths:
        for path in _expanded(argument):
            walk = _Walk()
            found.update(dict.fromkeys(walk.below(path) if Path(path).is_dir() else [path]))
            not_judged += walk.not_judged
    return Found(tuple(_each_once(found)), tuple(not_judged))


def _expanded(argument: str) -> list[str]:
    """What an argument names; a pattern is expanded where no file has that very name."""
    if argument == STANDARD_INPUT or Path(argument).exists():
        return [argument]
    if not glob.has_magic(argument):
        if Path(argument).is_symlink():
            raise VerbEnd(Exit.USAGE, f"{argument} is a link to a file that does not exist")
        raise VerbEnd(Exit.USAGE, f"{argument} does not exist")
    matches = [m for m in sorted(_matches(argument)) if not _left_out(m)]
    if not matches:
        raise VerbEnd(Exit.USAGE, f"no file matches {argument}")
    return matches


def _matches(pattern: str) -> list[str]:
    # Path.glob takes no absolute pattern.
    return glob.glob(pattern, recursive=True)  # noqa: PTH207


def _left_out(match: str) -> bool:
    """A pattern matches files of every kind, and what lies in a folder of other people's code."""
    path = Path(match)
    return bool(_OTHERS_CODE.intersection(path.parts)) or not (path.is_dir() or path.name.endswith(_SUFFIXES))


def _each_once(names: dict[str, None]) -> Iterator[str]:
    """Names of the same file stand for it once: the first that is no link."""
    best: dict[tuple[int, int], str] = {}
    for name in names:
        identity = _identity(name)
        if identity is not None and (identity not in best or (_is_link(best[identity]) and not _is_link(name))):
            best[identity] = name
    kept = set(best.values())
    return (name for name in names if name in kept or _identity(name) is None)


def _identity(name: str) -> tuple[int, int] | None:
    """Device and inode; None for standard input and for what cannot be looked at, which reading will tell."""
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return None if name == STANDARD_INPUT else (status.st_dev, status.st_ino)


def _is_link(name: str) -> bool:
    return Path(name).is_symlink()


@dataclass(slots=True)
class _Folder:
    """A folder to look into: the ignore files above it, and the names that lead to it from where those count."""

    path: Path
    above: tuple[IgnoreFile, ...]
    parts: tuple[str, ...]


@dataclass(slots=True)
class _Walk:
    """One walk through a folder."""

    not_judged: list[NotJudged] = field(default_factory=list)

    def below(self, name: str) -> list[str]:
        """The files below a folder, sorted."""
        found: list[str] = []
        pending = [_start(Path(name))]
        while pending:
            folder = pending.pop()
            files, folders = self._look(folder)
            found += files
            pending += folders
        return sorted(found)

    def _look(self, folder: _Folder) -> tuple[list[str], list[_Folder]]:
        try:
            with os.scandir(folder.path) as entries:
                names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError as error:
            span = Span(str(folder.path), 1, 1, 1, 1)
            self.not_judged.append(NotJudged(span, f"the folder cannot be read: {error.strerror}"))
            return [], []
        above = folder.above
        if any(name == ".gitignore" for name, _ in names):
            above = (*above, *_ignore_file(folder.path / ".gitignore", folder.parts))
        kept = [(n, is_dir) for n, is_dir in names if _wanted(n, is_dir, above, (*folder.parts, n))]
        files = [path for n, is_dir in kept if not is_dir and _may_be_read(path := folder.path / n)]
        folders = [_Folder(folder.path / n, above, (*folder.parts, n)) for n, is_dir in kept if is_dir]
        return [str(path) for path in files], folders


def _wanted(name: str, is_folder: bool, above: Sequence[IgnoreFile], parts: Sequence[str]) -> bool:
    if name.startswith(".") or (name in _OTHERS_CODE if is_folder else not name.endswith(_SUFFIXES)):
        return False
    return not ignored(above, parts, is_folder)


def _may_be_read(path: Path) -> bool:
    """Whether it is a file, and no folder behind a link or pipe, which would wait; a broken link is told later."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


def _start(folder: Path) -> _Folder:
    """A folder that was named, with the ignore files of the repository that it is in."""
    whole = Path(os.path.abspath(folder))  # noqa: PTH100 - links are kept, as git does
    root = next((p for p in (whole, *whole.parents) if (p / ".git").exists()), None)
    if root is None:
        return _Folder(folder, (), ())
    parts = whole.relative_to(root).parts
    files = [*_ignore_file(root / ".git" / "info" / "exclude", ())]
    for length in range(len(parts)):
        files += _ignore_file(root.joinpath(*parts[:length], ".gitignore"), parts[:length])
    return _Folder(folder, tuple(files), parts)


def _ignore_file(path: Path, parts: tuple[str, ...]) -> list[IgnoreFile]:
    """The patterns of an ignore file; none where it is absent or cannot be read, as for git."""
    try:
        if path.stat().st_size > _LARGEST_IGNORE_FILE_BYTES:
            return []
        return [parse(path.read_text(encoding="utf-8", errors="replace"), parts)]
    except OSError:
        return []
