"""`controlplane.toml`, or `[tool.controlplane]` of a `pyproject.toml`: the settings that a folder brings along.

The nearest one above the input counts, alone. Whatever is wrong with it ends the run with its place: a setting that
silently does nothing is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, NoReturn

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.diagnostics import Severity
from controlplane.frozen import frozen
from controlplane.source import nearest

NAME: Final = "controlplane.toml"
_PYPROJECT: Final = "pyproject.toml"
_LARGEST_BYTES: Final = 1024 * 1024


@frozen
class FileSettings:
    """What the file says of lint, None or empty where it says nothing. Paths count from `folder`."""

    file: str = ""
    folder: Path = Path()
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    fail_on: str | None = None
    format: str | None = None
    fleet: str | None = None
    baseline: str | None = None
    exclude: tuple[str, ...] = ()
    assume: Mapping[str, str] = field(default_factory=dict)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_path_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def nearest_settings(start: Path) -> FileSettings:
    """The settings of the nearest file at or above a folder. Raises `VerbEnd` with 64 for one that is wrong."""
    whole = start.absolute()
    for folder in (whole, *whole.parents):
        for name in (NAME, _PYPROJECT):
            if (folder / name).is_file():
                found = read_settings(folder / name)
                if found is not None:
                    return found
    return FileSettings()


def read_settings(path: Path) -> FileSettings | None:
    """The settings of one file; None for a pyproject.toml that has none. Raises `VerbEnd` with 64."""
    text = _text(path)
    is_pyproject = path.name == _PYPROJECT
    if is_pyproject and "controlplane" not in text:
        return None
    import tomllib

    try:
        document = tomllib.loads(text)
    except RecursionError as error:
        raise VerbEnd(Exit.USAGE, f"{path} nests deeper than can be read") from error
    except tomllib.TOMLDecodeError as error:
        raise VerbEnd(Exit.USAGE, f"{path} is not TOML: {error}") from error
    inside = ("tool", "controlplane") if is_pyproject else ()
    for key in inside:
        document = document.get(key, {}) if isinstance(document, dict) else {}
    if is_pyproject and not document:
        return None
    return _Checked(path, text, inside).settings(document)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VerbEnd(Exit.USAGE, f"{path} cannot be read: {error}") from error


class _Checked:
    """Holds one file's tables against what lint knows."""

    def __init__(self, path: Path, text: str, inside: tuple[str, ...]) -> None:
        self._path = path
        self._text = text
        self._inside = inside

    def settings(self, document: Mapping[str, Any]) -> FileSettings:
        self._known(document, ("lint",), ())
        table = document.get("lint", {})
        if not isinstance(table, dict):
            self._fail((), "lint", "takes a table of settings")
        self._known(table, tuple(_READERS), ("lint",))
        values = {key.replace("-", "_"): _READERS[key](self, key, value) for key, value in table.items()}
        return FileSettings(str(self._path), self._path.parent, **values)

    def text(self, key: str, value: Any) -> str:
        if not isinstance(value, str):
            self._fail(("lint",), key, "takes a text")
        return value

    def texts(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._fail(("lint",), key, "takes a list of texts")
        return tuple(value)

    def choice(self, key: str, value: Any) -> str:
        allowed = _CHOICES[key]
        if value not in allowed:
            self._fail(
                ("lint",), key, f"takes one of {', '.join(allowed)}, not {value!r}", nearest(str(value), allowed)
            )
        return str(value)

    def assumed(self, key: str, value: Any) -> dict[str, str]:
        table = self._table(key, value)
        for name, version in table.items():
            if not isinstance(version, str):
                self._fail(("lint", key), name, 'takes a version in quotes, such as "0.33.0"')
        return dict(table)

    def severities(self, key: str, value: Any) -> dict[str, Severity]:
        found: dict[str, Severity] = {}
        for name, level in self._table(key, value).items():
            if level not in _LEVELS:
                near = nearest(str(level), _LEVELS)
                self._fail(("lint", key), name, f"takes one of {', '.join(_LEVELS)}, not {level!r}", near)
            found[name] = Severity(level)
        return found

    def ignores(self, key: str, value: Any) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for pattern, rules in self._table(key, value).items():
            if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
                self._fail(("lint", key), pattern, "takes a list of rules, or of families of rules")
            found[pattern] = tuple(rules)
        return found

    def _table(self, key: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self._fail(("lint",), key, "takes a table")
        return value

    def _known(self, table: Mapping[str, Any], keys: Sequence[str], above: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                where = f" in [{'.'.join((*self._inside, *above))}]" if (*self._inside, *above) else ""
                self._fail(above, key, f"is no setting{where}", nearest(key, keys))

    def _fail(self, above: tuple[str, ...], key: str, fault: str, near: str | None = None) -> NoReturn:
        line, column = _place(self._text, (*self._inside, *above), key)
        meant = f"; did you mean {near!r}?" if near else ""
        raise VerbEnd(Exit.USAGE, f"{self._path}:{line}:{column}: {key!r} {fault}{meant}")


_LEVELS: Final = tuple(level.value for level in Severity)
FORMATS: Final = ("text", "json", "sarif", "junit", "github", "gitlab")
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {"fail-on": _LEVELS, "format": FORMATS}
_READERS: Final[Mapping[str, Callable[[_Checked, str, Any], Any]]] = {
    "select": _Checked.texts,
    "ignore": _Checked.texts,
    "exclude": _Checked.texts,
    "fail-on": _Checked.choice,
    "format": _Checked.choice,
    "fleet": _Checked.text,
    "baseline": _Checked.text,
    "assume": _Checked.assumed,
    "severity": _Checked.severities,
    "per-path-ignores": _Checked.ignores,
}


def _place(text: str, above: Sequence[str], key: str) -> tuple[int, int]:
    """Line and column of a key below some tables, which tomllib does not tell; the first where it cannot be found."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\[?\s*(.+?)\s*\]\]?\s*(?:#.*)?$", line)
        if header is not None:
            table = _parts(header[1])
            if table == (*above, key):
                return number, line.find(key) + 1
            continue
        entry = re.match(
            r"""(\s*)((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""", line
        )
        if entry is not None and (*table, *_parts(entry[2]))[: len(above) + 1] == (*above, key):
            return number, len(entry[1]) + 1
    return 1, 1


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(r""""[^"]*"|'[^']*'|[A-Za-z0-9_-]+""", dotted))
