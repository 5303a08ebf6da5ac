"""One release's arguments of `vllm serve` as JSON values, from the `add_argument` calls its source makes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from tools.schemas.field_arguments import FieldSource, in_order, kind_of
from tools.schemas.parser_calls import Call, recorded, values_of
from tools.schemas.program import Program
from tools.schemas.release import Release
from tools.schemas.values import Class, EnumMember, External, Function, Instance, Unresolved, Value

Entry = dict[str, object]

_SWITCHES = {"store_true", "store_false"}
_DEPRECATED = re.compile(r"^\W*deprecated\b|\b(?:is|are|has been|been) deprecated\b|will be removed in v?\d", re.I)
_INVERSES = {"--enable-": "--disable-", "--disable-": "--enable-"}
_RESOLVED_LATER = "left unset by the command line; the engine chooses it when it starts"


def arguments_of(release: Release) -> tuple[dict[str, Entry], list[str]]:
    """Every option of `vllm serve` by canonical name, in order, and the statements that could not be followed."""
    program = Program(release.files)
    recorder = recorded(program, "vllm.entrypoints.cli.serve", "ServeSubcommand", "subparser_init")
    pairs = "class EnableDisableAction" in release.files.get("vllm/utils/argparse_utils.py", "")
    entries = {canonical_name(call): _entry(call, pairs=pairs) for call in values_of(recorder.calls)}
    return dict(sorted(entries.items())), recorder.undecided


def canonical_name(call: Call) -> str:
    """The name argparse stores the value under."""
    named = call.keywords.get("dest")
    longest = next((flag for flag in call.flags if flag.startswith("--")), call.flags[0])
    return str(named) if named else longest.lstrip("-").replace("-", "_")


def _entry(call: Call, *, pairs: bool) -> Entry:
    keywords = call.keywords
    source = keywords.get("field")
    source = source if isinstance(source, FieldSource) else None
    entry: Entry = {"flags": list(call.flags), **_kind(keywords)}
    if entry["kind"] == "bool" and "no_flags" not in entry and keywords.get("action") not in _SWITCHES:
        entry["no_flags"] = list(_negations(call.flags, pairs=pairs))
    entry["default"] = _default(keywords, source)
    entry |= _values(keywords, source)
    if source:
        entry |= {"bounds": source.bounds} if source.bounds else {}
        entry |= {"json_of": source.json_of} if source.json_of else {}
        entry["where"] = source.where
    if ".entrypoints." in f"{call.module}.":
        entry["frontend"] = True
    deprecated = _deprecation(keywords)
    return entry | ({"deprecated": deprecated} if deprecated else {})


def _kind(keywords: Mapping[str, Value]) -> Entry:
    action = keywords.get("action")
    if action in _SWITCHES or action == External("argparse.BooleanOptionalAction"):
        return {"kind": "bool"}
    kind, optional, reader = kind_of(keywords.get("type"))
    extra: Entry = {"optional": True} if optional else {}
    extra |= {"reader": reader} if reader else {}
    separator = _separator(keywords.get("type"))
    if separator:
        return {"kind": "list", "items": "str", "separator": separator, **extra}
    nargs = keywords.get("nargs")
    if nargs in ("+", "*") or isinstance(nargs, int):
        return {"kind": "list", "items": kind, "nargs": nargs, **extra}
    if action == "append":
        return {"kind": "list", "items": kind, "repeated": True, **extra}
    extra |= {"nargs": nargs} if nargs else {}
    return {"kind": "enum" if kind == "str" and _choices(keywords) else kind, **extra}


def _separator(reader: Value) -> str:
    """What a function written in place splits its value at, or nothing."""
    if isinstance(reader, Function) and isinstance(reader.node, ast.Lambda):
        for node in ast.walk(reader.node.body):
            match node:
                case ast.Call(func=ast.Attribute(attr="split"), args=[ast.Constant(value=str(separator))]):
                    return separator
    return ""


def _negations(flags: Iterable[str], *, pairs: bool) -> Iterable[str]:
    """The spellings that mean false. Since 0.33 a flag that begins with enable has one that begins with disable."""
    for flag in flags:
        if flag.startswith("--"):
            yield f"--no-{flag[2:]}"
    for flag in flags if pairs else ():
        for prefix, inverse in _INVERSES.items():
            if flag.startswith(prefix):
                yield inverse + flag.removeprefix(prefix)


def _values(keywords: Mapping[str, Value], source: FieldSource | None) -> Entry:
    choices = _choices(keywords)
    if choices:
        return {"choices": choices}
    return {"known": [_plain(value) for value in source.known]} if source and source.known else {}


def _choices(keywords: Mapping[str, Value]) -> list[Value]:
    """All values that the command line accepts; empty where the source does not tell.

    A registry (`list(ReasoningParserManager.reasoning_parsers)`, up to 0.11.0) is empty in the source.
    """
    choices = keywords.get("choices")
    return (
        in_order(_plain(c) for c in choices if c not in (None, "None")) if isinstance(choices, list | tuple) else []
    )


def _default(keywords: Mapping[str, Value], source: FieldSource | None) -> object:
    if keywords.get("action") in _SWITCHES:
        return keywords.get("default", keywords["action"] == "store_false")
    default = keywords.get("default")
    if default is None and source is not None and source.default is not None:
        return {"resolved": _RESOLVED_LATER}
    return _plain(default)


def _plain(value: Value) -> object:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case EnumMember():
            return value.value if isinstance(value.value, str | int) else value.name
        case Instance(of=name):
            return {"resolved": f"{name} with its own defaults"}
        case External(name=name) | Class(name=name):
            return {"resolved": name}
        case Unresolved(why=why):
            return {"resolved": why}
    raise TypeError(f"no JSON form for {value!r}")


def _deprecation(keywords: Mapping[str, Value]) -> str:
    """The sentence that says so; for the `deprecated` keyword of argparse, the first of the help."""
    text = keywords.get("help")
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(str(text).split())) if isinstance(text, str) else []
    said = next((sentence for sentence in sentences if _DEPRECATED.search(sentence)), "")
    if not said and keywords.get("deprecated") is True:
        said = sentences[0] if sentences else "Deprecated."
    return said
