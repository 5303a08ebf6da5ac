"""What a run of lint is to do: flags over `CONTROLPLANE_LINT_*` of the environment over the settings file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.lint.assumed import assumed
from controlplane.cli.lint.config_file import FileSettings, nearest_settings
from controlplane.cli.lint.discovery import STANDARD_INPUT
from controlplane.cli.lint.gitignore import IgnoreFile, ignored, parse
from controlplane.cli.lint.selection import Selection, matches
from controlplane.frozen import frozen
from controlplane.source import nearest


@frozen
class Flags:
    """What the command line and the environment say; None and empty where they say nothing."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()
    fail_on: str | None = None
    format: str | None = None
    fleet: str | None = None
    baseline: str | None = None


@frozen
class PathIgnores:
    """Rules that are ignored in the files that a pattern of `.gitignore`'s kind matches."""

    patterns: IgnoreFile
    prefixes: tuple[str, ...]


@frozen
class Settings:
    """The settings of one run. `folder` is where patterns of paths count from, `file` the settings file if any."""

    selection: Selection = field(default_factory=Selection)
    assume: Mapping[str, str] = field(default_factory=dict)
    fail_on: str = "error"
    format: str = "text"
    fleet: str = ""
    baseline: str = ""
    exclude: IgnoreFile = field(default_factory=lambda: parse(""))
    per_path: tuple[PathIgnores, ...] = ()
    folder: Path = Path()
    file: str = ""
    written_paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The patterns as written: of `exclude` under an empty key, and of `per-path-ignores` with their rules."""

    def excludes(self, name: str) -> bool:
        """Whether the settings leave a file out."""
        return bool(self.exclude.patterns) and self._in_folder(name, self.exclude)

    def takes(self, rule: str, name: str) -> bool:
        """Whether a rule is selected in a file."""
        if not self.selection.takes(rule):
            return False
        here = (e for e in self.per_path if any(matches(rule, p) for p in e.prefixes))
        return not any(self._in_folder(name, entry.patterns) for entry in here)

    def _in_folder(self, name: str, patterns: IgnoreFile) -> bool:
        path = os.path.normpath(Path(name).absolute())
        if not Path(path).is_relative_to(self.folder):
            return False
        parts = Path(path).relative_to(self.folder).parts
        return any(ignored([patterns], parts[:n], n < len(parts)) for n in range(1, len(parts) + 1))


def settings_for(flags: Flags, paths: Sequence[str]) -> Settings:
    """The settings of a run over some paths. Raises `VerbEnd` with 64 for what is not known."""
    said = nearest_settings(_common_folder(paths))
    select = flags.select or said.select or ()
    ignore = (*flags.ignore, *(said.ignore or ()))
    selection = Selection(_prefixes(select), _prefixes(ignore), said.severity)
    per_path = said.per_path_ignores.items()
    _known_prefixes([*selection.select, *selection.ignore, *said.severity, *(p for _, ps in per_path for p in ps)])
    return Settings(
        selection=selection,
        assume=assumed(flags.assume, said.assume),
        fail_on=flags.fail_on or said.fail_on or "error",
        format=flags.format or said.format or "text",
        fleet=flags.fleet or _beside(said, said.fleet),
        baseline=flags.baseline or _beside(said, said.baseline),
        exclude=parse("\n".join(said.exclude)),
        per_path=tuple(PathIgnores(parse(pattern), rules) for pattern, rules in per_path),
        folder=said.folder.absolute(),
        file=said.file,
        written_paths={"": said.exclude, **said.per_path_ignores},
    )


def shown(settings: Settings) -> str:
    """The settings as a table that the settings file would take."""
    lines = [f"# settings file: {settings.file or 'none'}", "[lint]"]
    values: dict[str, object] = {
        "select": list(settings.selection.select),
        "ignore": list(settings.selection.ignore),
        "fail-on": settings.fail_on,
        "format": settings.format,
        "fleet": settings.fleet,
        "baseline": settings.baseline,
        "exclude": list(settings.written_paths.get("", ())),
    }
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    lines += _table("assume", settings.assume) + _table("severity", settings.selection.severity)
    lines += _table("per-path-ignores", {key: rules for key, rules in settings.written_paths.items() if key})
    return "\n".join(lines)


def _table(name: str, entries: Mapping[str, Any]) -> list[str]:
    if not entries:
        return []
    written = ((json.dumps(part, ensure_ascii=False) for part in pair) for pair in sorted(entries.items()))
    return ["", f"[lint.{name}]", *(f"{key} = {value}" for key, value in written)]


def _common_folder(paths: Sequence[str]) -> Path:
    """The folder that all inputs lie in; the working folder for standard input."""
    whole = [Path.cwd() if path == STANDARD_INPUT else _folder(Path(path)) for path in paths]
    return Path(os.path.commonpath([str(path) for path in whole]))


def _folder(path: Path) -> Path:
    whole = path.absolute()
    while not whole.is_dir():
        whole = whole.parent
    return whole


def _beside(said: FileSettings, path: str | None) -> str:
    return str(said.folder / path) if path else ""


def _prefixes(written: Iterable[str]) -> tuple[str, ...]:
    return tuple(part for text in written for part in text.replace(",", " ").split())


def _known_prefixes(prefixes: Sequence[str]) -> None:
    """Ends the run where a prefix begins no rule's id: what was misspelled would silently not count."""
    if not prefixes:
        return
    from controlplane.cli.explanations import known_ids

    known = known_ids()
    for prefix in prefixes:
        if not prefix.startswith("guardrail") and not any(matches(rule, prefix) for rule in known):
            near = nearest(prefix, known) or nearest(prefix, {rule.partition("/")[0] for rule in known})
            raise VerbEnd(
                Exit.USAGE,
                f"no rule's id begins with {prefix!r}" + (f"; did you mean {near!r}?" if near else ""),
                "A prefix ends where a word of the id does; `controlplane explain --all` lists all rules.",
            )
