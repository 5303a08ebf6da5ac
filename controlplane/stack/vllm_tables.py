"""The arguments of `vllm serve`, release by release, from the tables under `schemas/vllm/`.

The tables are generated from vLLM's published source by `tools/schemas/vllm_arguments.py` and shipped inside the
package. They are read on first use, one release at a time. A release without a table is answered by the nearest patch
of the same minor release, which `ArgumentTable.source_version` names; an unknown minor release has no answer.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any, Literal

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.engine import ArgumentValue

Kind = Literal["bool", "int", "float", "str", "enum", "json", "json_or_str", "list"]
"""`enum` is a string of which `choices` holds all; `json_or_str` a JSON object or any other string."""

_VERSION = regex(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?=$|[.+\-]|post|rc|a\d|b\d|dev)")


@frozen
class ResolvedLater:
    """A default that the source does not give as a literal; `why` says what decides it."""

    why: str


@frozen
class Bounds:
    """Limits that vLLM's configuration checks after parsing. None where there is none."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None

    def allow(self, value: float) -> bool:
        """Whether the value is within the limits."""
        return (
            (self.ge is None or value >= self.ge)
            and (self.gt is None or value > self.gt)
            and (self.le is None or value <= self.le)
            and (self.lt is None or value < self.lt)
        )


@frozen
class Argument:
    """One argument of one release.

    `flags` are the spellings that set it, `no_flags` those that set it to false (empty for a switch that can only be
    turned on). `choices` are all values the command line accepts, `known` values the release names without refusing
    others; where they are in capitals (backends) vLLM reads them in any case. `items` is the kind of a list's
    elements; they follow the flag as `nargs` says (argparse's), or each has a flag of its own (`repeated`), or all
    are one word (`separator`). `optional`: the word None and the empty string are read as not set. `reader` names the
    vLLM function that reads suffixes (1k = 1000, 1K = 1024; `human_readable_int_or_auto` also takes `auto` and -1).
    `json_of` is the configuration class a JSON value fills, `where` the configuration field. `frontend` arguments
    belong to the HTTP server and not to the engine.
    """

    name: str
    flags: tuple[str, ...]
    kind: Kind
    default: ArgumentValue | ResolvedLater = None
    choices: tuple[str | int | float, ...] = ()
    known: tuple[str | int, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    items: Kind | None = None
    nargs: str | int | None = None
    repeated: bool = False
    separator: str = ""
    optional: bool = False
    reader: str = ""
    no_flags: tuple[str, ...] = ()
    json_of: str = ""
    where: str = ""
    frontend: bool = False
    deprecated: str = ""

    @property
    def flag(self) -> str:
        """The spelling to write: the first long one."""
        return next((flag for flag in self.flags if flag.startswith("--")), self.flags[0])

    @property
    def no_flag(self) -> str | None:
        """The spelling that every release with this flag takes for false, or None where there is none."""
        return self.no_flags[0] if self.no_flags else None

    @property
    def human_readable_int(self) -> bool:
        """Whether an integer may carry a suffix such as k or K."""
        return bool(self.reader)


@frozen
class Removal:
    """An argument that is gone: the last known release with it, the first known without, what to use instead.

    `replacement` is empty where nothing is needed any more; `source` says where the replacement was read.
    """

    name: str
    flags: tuple[str, ...]
    last_in: str
    gone_in: str
    replacement: str = ""
    source: str = ""


@frozen
class ArgumentTable:
    """The arguments of one release. `version` was asked for, `source_version` answers; usually the same."""

    version: str
    source_version: str
    arguments: Mapping[str, Argument]
    spellings: Mapping[str, str]

    @property
    def exact(self) -> bool:
        """Whether the table is that of the very release asked for."""
        return self.version == self.source_version

    def argument(self, name_or_flag: str) -> Argument | None:
        """By canonical name, or by any spelling of a flag, negations and `--json-argument.key` included."""
        if name_or_flag in self.arguments:
            return self.arguments[name_or_flag]
        name = self.spellings.get(normalized_flag(name_or_flag))
        return None if name is None else self.arguments[name]

    def by_prefix(self, flag: str) -> tuple[Argument, ...]:
        """The arguments that argparse would consider for an abbreviated long flag; more than one is ambiguous."""
        wanted = normalized_flag(flag)
        if not wanted.startswith("--"):
            return ()
        exact = self.spellings.get(wanted)
        names = (
            [exact] if exact else (name for spelling, name in self.spellings.items() if spelling.startswith(wanted))
        )
        return tuple(self.arguments[name] for name in dict.fromkeys(names))

    def names(self) -> tuple[str, ...]:
        """All canonical names, in order."""
        return tuple(self.arguments)


def normalized_flag(flag: str) -> str:
    """A flag as vLLM's parser reads it: `_` becomes `-` before the first dot, `=value` and `.key` fall away."""
    spelling = flag.partition("=")[0]
    return spelling.partition(".")[0].replace("_", "-") if spelling.startswith("--") else spelling


def versions() -> tuple[str, ...]:
    """The releases that have a table of their own, oldest first."""
    return tuple(sorted(_index()["versions"], key=_numbers))


def nearest_versions(version: str) -> tuple[str, ...]:
    """The releases with a table just below and just above an unknown one; the newest two where it cannot be read."""
    wanted = _numbers(version)
    if wanted is None:
        return versions()[-2:]
    below = [known for known in versions() if _numbers(known) <= wanted]
    above = [known for known in versions() if _numbers(known) > wanted]
    return (*below[-1:], *above[:1])


def table_version(version: str) -> str | None:
    """The release whose table answers for `version`: itself, or the nearest patch of the same minor, or None."""
    wanted = _numbers(version)
    if wanted is None:
        return None
    minor = [known for known in versions() if _numbers(known)[:2] == wanted[:2]]
    return min(minor, key=lambda known: abs(_numbers(known)[2] - wanted[2]), default=None)


@cache
def load_table(version: str) -> ArgumentTable | None:
    """The table for a release such as `0.33.0` or the image tag `v0.33.0`, or None where none answers for it."""
    source = table_version(version)
    if source is None:
        return None
    content = _read(f"arguments-{source}.json")["arguments"]
    arguments = {name: _argument(name, entry) for name, entry in content.items()}
    spellings = {s: a.name for a in arguments.values() for s in (*a.flags, *a.no_flags)}
    return ArgumentTable(_release(version), source, arguments, spellings)


def introduced(name: str) -> str | None:
    """The first release with a table that has the argument of that canonical name, or None if none ever had it.

    The oldest table stands for everything before it.
    """
    found = _index()["since"].get(name)
    return None if found is None else str(found)


def removed(name: str, version: str) -> Removal | None:
    """What became of an argument (canonical name or flag) that `version` no longer has, or None."""
    wanted = _numbers(version)
    removal = _removals().get(name) or _removals().get(normalized_flag(name))
    if wanted is None or removal is None or wanted < _numbers(removal.gone_in):
        return None
    return removal


def _numbers(version: str) -> Any:
    """(major, minor, patch), or None for what is no version. Suffixes (`.post1`, `+cpu`, `rc1`) are left out."""
    found = _VERSION.match(version.strip())
    return tuple(int(part or 0) for part in found.groups()) if found else None


def _release(version: str) -> str:
    """Without the `v` of an image tag and the build it names (`v0.33.0-cu129`, `0.33.0+cpu`)."""
    return re.split(r"[+-]", version.strip().removeprefix("v"))[0]


def _argument(name: str, entry: Mapping[str, Any]) -> Argument:
    default = entry["default"]
    later = isinstance(default, dict) and default.keys() == {"resolved"}
    return Argument(
        name=name,
        flags=tuple(entry["flags"]),
        kind=entry["kind"],
        default=ResolvedLater(default["resolved"]) if later else default,
        choices=tuple(entry.get("choices", ())),
        known=tuple(entry.get("known", ())),
        bounds=Bounds(**entry["bounds"]) if "bounds" in entry else _UNBOUNDED,
        no_flags=tuple(entry.get("no_flags", ())),
        **{key: entry[key] for key in _PLAIN if key in entry},
    )


_UNBOUNDED = Bounds()
_PLAIN = (
    "items",
    "nargs",
    "repeated",
    "separator",
    "optional",
    "reader",
    "json_of",
    "where",
    "frontend",
    "deprecated",
)


@cache
def _index() -> dict[str, Any]:
    return _read("index.json")


@cache
def _removals() -> Mapping[str, Removal]:
    """By canonical name and by flag."""
    found: dict[str, Removal] = {}
    for name, entry in _read("removed.json")["removed"].items():
        removal = Removal(name, tuple(entry.pop("flags")), **entry)
        found |= dict.fromkeys((name, *removal.flags), removal)
    return found


def _read(file: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(pkgutil.get_data("controlplane", f"schemas/vllm/{file}") or b"")
    return content
