"""Whether vLLM's parser and configuration would take the value of an argument."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.rules.engine_arguments import Releases, engines_with_tables, in_table, starts_from_keywords
from controlplane.source import nearest
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.engine import ArgumentValue, WrittenArgument
from controlplane.stack.facts import Fact, Known
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import Argument, ArgumentTable, Bounds

Kind = Literal["unreadable", "not a choice", "out of bounds", "not known"]
_SHELL_NAME = regex(r"\$([A-Za-z_]\w*)")
_PAIRS = regex(r"\s*\w+=\d+(\s*,\s*\w+=\d+)*\s*\Z")
_PAIRS_READ = Releases(gone="0.10.0")
"""Before, JSON arguments also took `image=2,video=1`."""

_CHECKED_IN_CODE = {"gpu_memory_utilization": Bounds(le=1)}
"""Limits of releases that state them in a method of the configuration (vLLM 0.8.5 to 0.11.0, CacheConfig)."""


@frozen
class ValueFault:
    """One value that is refused, or not known: `fact` follows the argument's name, `remedy` says what to write."""

    kind: Kind
    engine: DeployedEngine
    written: WrittenArgument
    value: Fact[ArgumentValue]
    fact: str
    remedy: str


def value_faults(stack: Stack, kind: Kind) -> Iterator[ValueFault]:
    """Faults of one kind, in the order of the arguments. Of a repeated one the last value counts."""
    for engine, table in engines_with_tables(stack):
        last = {written.name: written for written in engine.engine.written}
        for written in last.values():
            argument = in_table(table, written)
            value = engine.written(written.name)
            if argument is None or not isinstance(value, Known) or written.negated or _is_unrendered(value.value):
                continue
            found = _fault(engine, table, argument, value.value)
            if found is not None and found[0] == kind:
                yield ValueFault(kind, engine, written, value, *found[1:])


def _is_unrendered(value: ArgumentValue) -> bool:
    """Whether a value waits for a variable: kustomize and others write them as Kubernetes does."""
    return isinstance(value, str) and any(mark in value for mark in ("$(", "${", "{{"))


def _fault(
    engine: DeployedEngine, table: ArgumentTable, argument: Argument, value: ArgumentValue
) -> tuple[Kind, str, str] | None:
    unreadable = None if starts_from_keywords(engine) else _unreadable(table, argument, value)
    if unreadable is not None:
        return ("unreadable", *unreadable)
    if argument.choices and isinstance(value, str | int) and value not in argument.choices:
        return ("not a choice", f"is {shown(value)}; {_listed(argument.choices)}", _near(value, argument.choices))
    bounds = argument.bounds if argument.bounds != Bounds() else _CHECKED_IN_CODE.get(argument.name, Bounds())
    if isinstance(value, int | float) and not isinstance(value, bool) and not bounds.allow(value):
        needed = f"a number {limits(bounds)}"
        return "out of bounds", f"is {value:g}; {needed} is needed", f"Write {needed}."
    if argument.known and isinstance(value, str) and not _is_known(argument, value):
        return "not known", f"is {shown(value)}; {_listed(argument.known)}", _near(value, argument.known)
    return None


def _unreadable(table: ArgumentTable, argument: Argument, value: ArgumentValue) -> tuple[str, str] | None:
    """The parser leaves as a text what it cannot read as what the argument is."""
    if not isinstance(value, str):
        return None
    match argument.kind:
        case "bool":
            return f"takes no value, and is given {shown(value)}", _switched(argument, value)
        case "int":
            readable = " such as 8192, 8k or 8K" if argument.human_readable_int else ""
            return f"is {shown(value)}; a whole number{readable} is needed", _number(value, "a whole number")
        case "float":
            return f"is {shown(value)}; a number is needed", _number(value, "a number")
        case "json" if not (_PAIRS.match(value) and _PAIRS_READ.has(table.version)):
            return f"is {shown(value)}, which is no JSON", _as_json(value)
    return None


def _number(value: str, wanted: str) -> str:
    """What to write in the place of a value; `$NAME` is meant for a shell, and none reads it."""
    name = _SHELL_NAME.fullmatch(value)
    return f"Write {wanted}, or $({name[1]}): no shell is there to replace {value}." if name else f"Write {wanted}."


def _switched(argument: Argument, value: str) -> str:
    if value.lower() in ("false", "0", "no", "off"):
        off = argument.no_flag
        return f"Write {off}." if off else f"Take {argument.flag} out."
    return f"Write {argument.flag} alone."


def _as_json(value: str) -> str:
    """The two ways in which JSON is spoilt on its way: quotes that no shell takes off, and single quotes inside."""
    inner = value.strip()
    if len(inner) > 1 and inner[0] == inner[-1] and inner[0] in "'\"" and _is_json(inner[1:-1]):
        return "Take the outer quotes off: no shell is there to do it."
    if "'" in inner and _is_json(inner.replace("'", '"')):
        return "Write double quotes inside; single ones are no JSON."
    return "Write JSON, with double quotes around keys and texts."


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def shown(value: ArgumentValue) -> str:
    """A value for a message: texts in quotes, long ones cut."""
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 60
_MOST = 12


def _listed(known: tuple[str | int | float, ...]) -> str:
    shown_first = ", ".join(str(one) for one in known[:_MOST])
    return f"known are {shown_first}" + (f" and {len(known) - _MOST} more" if len(known) > _MOST else "")


def _near(value: str | int | float, known: tuple[str | int | float, ...]) -> str:
    near = nearest(str(value), [str(one) for one in known])
    # float8 is no slip of the pen for float, which is 32 bits wide.
    if near is not None and any(map(str.isdigit, str(value))) and not any(map(str.isdigit, near)):
        near = None
    return f"Write {near}." if near else "Write one of the known values."


def _is_known(argument: Argument, value: str) -> bool:
    """A dotted name is a class of the user's own, which some arguments take."""
    return "." in value or value.casefold() in {str(one).casefold() for one in argument.known}


def limits(bounds: Bounds) -> str:
    """`at least 0 and below 1`."""
    said = (("at least", bounds.ge), ("above", bounds.gt), ("at most", bounds.le), ("below", bounds.lt))
    return " and ".join(f"{words} {limit:g}" for words, limit in said if limit is not None)
