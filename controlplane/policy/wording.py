"""Pydantic's errors in words: what the value is, what is needed, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from controlplane.diagnostics import Diagnostic, KeyPath, render_path
from controlplane.policy.findings import finding
from controlplane.source import Document, nearest

Error = Mapping[str, Any]

_MAX_SHOWN: Final = 60


def label(path: KeyPath) -> str:
    """A path as it is named in messages: without the leading `spec`."""
    return render_path(path[1:] if path[:1] == ("spec",) and len(path) > 1 else path)


def shown(value: object, path: KeyPath = ()) -> str:
    """A value in a message. Values of the environment are never shown: they may be secrets."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if "env" in path:
        return {bool: "a boolean", int: "a number", float: "a number"}.get(type(value), "a text")
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, str):
        return f'the text "{_cut(value)}"'
    return f"the number {_cut(str(value))}"


def _cut(text: str) -> str:
    plain = text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text
    return plain if len(plain) <= _MAX_SHOWN else f"{plain[:_MAX_SHOWN]}…"


def describe(document: Document, path: KeyPath, error: Error) -> Diagnostic:
    """The finding for a value that is there and refused."""
    writer = _WRITERS.get(error["type"], _other)
    fact, remedy = writer(path, error)
    rule = "policy/wrong-type" if error["type"] in _NEEDED else "policy/bad-value"
    return finding(
        rule,
        f"{label(path)}: {fact}" if error["type"] == "refused" else f"{label(path)} {fact}",
        document.span_of(path),
        path,
        remedy,
    )


_NEEDED: Final[Mapping[str, str]] = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
}


def _wrong_type(path: KeyPath, error: Error) -> tuple[str, str]:
    needed = _NEEDED[error["type"]]
    value = error["input"]
    return f"is {shown(value, path)}; {needed} is needed", _as_needed(error["type"], value, path, needed)


def _as_needed(kind: str, value: object, path: KeyPath, needed: str) -> str:
    """What to write when the right value is recognisable in the wrong one."""
    if kind == "string_type" and isinstance(value, int | float):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return "Put the value in quotes." if "env" in path else f'Write "{text}" with quotes.'
    if isinstance(value, str) and "env" not in path:
        bare = _bare(kind, value.strip())
        if bare is not None:
            return f"Write {bare} without quotes." if bare == value.strip() else f"Write {bare}."
    if isinstance(value, float) and value.is_integer() and kind.startswith("int"):
        return f"Write {int(value)}."
    return f"Write {needed}."


def _bare(kind: str, text: str) -> str | None:
    if kind == "bool_type":
        return {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}.get(
            text.lower()
        )
    if kind.startswith("int"):
        return _whole_number(text)
    if kind == "float_type" and re.fullmatch(r"[0-9]*\.?[0-9]+", text):
        return text
    return None


def _whole_number(text: str) -> str | None:
    """The number behind `16384`, `16k` (1000) or `16K` (1024), as vLLM 0.33 reads them on its command line."""
    match = re.fullmatch(r"([0-9]{1,12})([kKmMgG]?)", text)
    if match is None:
        return None
    factor = {"": 1, "k": 1000, "m": 10**6, "g": 10**9, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[match[2]]
    return str(int(match[1]) * factor)


def _choice(path: KeyPath, error: Error) -> tuple[str, str]:
    allowed = re.findall(r"'([^']*)'", str(error["ctx"]["expected"]))
    value = error["input"]
    near = nearest(value, allowed) if isinstance(value, str) else None
    if isinstance(value, bool) and not value and "off" in allowed:
        near = '"off"'
    fact = f"is {shown(value, path)}; {_one_of(allowed)} is needed"
    return fact, f"Write {near or _one_of(allowed)}."


def _one_of(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _bound(key: str, words: str) -> Callable[[KeyPath, Error], tuple[str, str]]:
    def write(_path: KeyPath, error: Error) -> tuple[str, str]:
        limit = error["ctx"][key]
        limit = int(limit) if isinstance(limit, float) and limit.is_integer() else limit
        return f"is {_cut(str(error['input']))}; {words} {limit} is needed", f"Write a number {words} {limit}."

    return write


def _too_short(_path: KeyPath, error: Error) -> tuple[str, str]:
    what = "character" if error["type"] == "string_too_short" else "entry"
    return f"is empty; at least one {what} is needed", "Write one, or leave the key out."


def _too_long(path: KeyPath, error: Error) -> tuple[str, str]:
    del path
    return f"is too long; {error['ctx'].get('max_length')} is the most there may be", "Shorten it."


def _pattern(path: KeyPath, error: Error) -> tuple[str, str]:
    pattern = error["ctx"]["pattern"]
    return f"is {shown(error['input'], path)}, which does not match {pattern}", "Write one that matches."


def _refused(path: KeyPath, error: Error) -> tuple[str, str]:
    del path
    return str(error["ctx"]["fact"]), str(error["ctx"]["remedy"])


def _other(path: KeyPath, error: Error) -> tuple[str, str]:
    return f"is {shown(error['input'], path)}: {error['msg']}", "Write a value of the form that the schema describes."


_WRITERS: Final[Mapping[str, Callable[[KeyPath, Error], tuple[str, str]]]] = {
    **dict.fromkeys(_NEEDED, _wrong_type),
    "literal_error": _choice,
    "greater_than_equal": _bound("ge", "at least"),
    "greater_than": _bound("gt", "above"),
    "less_than_equal": _bound("le", "at most"),
    "less_than": _bound("lt", "below"),
    "string_too_short": _too_short,
    "too_short": _too_short,
    "string_too_long": _too_long,
    "too_long": _too_long,
    "string_pattern_mismatch": _pattern,
    "refused": _refused,
}
