"""The texts on a vLLM command line as values, the way vLLM's parser reads them.

What the parser would refuse stays the text it is: whether that is a mistake is for the rules to say.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import NoReturn

from controlplane.regex import regex
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.vllm_arguments import Spelling
from controlplane.stack.vllm_tables import Kind

_READABLE = regex(r"([0-9]+)(?:\.([0-9]+))?([kKmMgGtT])\Z")
_DECIMAL = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_OBJECT = regex(r"\s*\{.*\}\s*\Z", re.DOTALL)
_TEXTS = frozenset({"model", "served_model_name", "tokenizer", "revision", "host", "dtype", "load_format"})
"""Arguments that are texts in every version, so that a model called `123` is read right without a table."""
_MOST_DIGITS = 100
_DEEPEST = 64


def single_value(spelling: Spelling, text: str) -> ArgumentValue:
    """The value of an argument that one word gives."""
    argument = spelling.argument
    if argument is None:
        return text if spelling.name in _TEXTS else guessed_value(text)
    if argument.optional and text in ("", "None"):
        return None
    if argument.reader:
        return _readable_or_auto(text, takes_auto=argument.reader.endswith("_or_auto"))
    if argument.kind == "str" and any(isinstance(known, int) for known in argument.known):
        return int_or_text(text) if int_or_text(text) in argument.known else text
    return _of_kind(argument.kind, text)


def list_value(spelling: Spelling, texts: Sequence[str]) -> list[ArgumentValue]:
    """The values of an argument that several words give."""
    items = spelling.argument.items if spelling.argument is not None else None
    return [_of_kind(items or "str", text) for text in texts]


def separated_value(spelling: Spelling, text: str) -> list[ArgumentValue]:
    """The values of an argument that one word gives, with whole numbers among them as such (`--device-ids 0,2`)."""
    separator = spelling.argument.separator if spelling.argument is not None else ","
    parts = (part.strip() for part in text.split(separator or ","))
    return [int_or_text(part) if part.isdigit() else part for part in parts]


def guessed_value(text: str) -> ArgumentValue:
    """The value of an argument that no table tells: JSON where it reads as JSON, else the text."""
    value = json_or_text(text)
    return text if isinstance(value, str) else value


def dotted_value(text: str, *, is_list: bool) -> ArgumentValue:
    """The value behind `--argument.key` or, with `is_list`, `--argument.key+`, where commas separate items."""
    if is_list:
        return list(text.split(","))
    value = json_or_text(text)
    return readable_integer(text) if value is text else value


def readable_integer(text: str) -> int | str:
    """An integer with an optional suffix: `1k` is 1000, `1K` is 1024, `25.6k` is 25600; else the text."""
    match = _READABLE.match(text.strip())
    if match is None or len(text) > _MOST_DIGITS:
        return int_or_text(text)
    whole, part, suffix = match.groups()
    if suffix in _BINARY:
        return text if part else int(whole) * _BINARY[suffix]
    return int(float(f"{whole}.{part or 0}") * _DECIMAL[suffix]) if part else int(whole) * _DECIMAL[suffix]


def int_or_text(text: str) -> int | str:
    """A whole number, or the text where it is none. Python's limit on digits makes a text of a very long one."""
    try:
        return int(text)
    except ValueError:
        return text


def json_or_text(text: str) -> ArgumentValue:
    """The value of a JSON text, or the text itself where it is none, nests too deep or holds a NaN."""
    try:
        value: ArgumentValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return value if _is_sound(value) else text


def _is_sound(value: ArgumentValue) -> bool:
    """Whether a value nests no deeper than any configuration does, and every number in it is finite."""
    pending: list[tuple[ArgumentValue, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if depth > _DEEPEST or (isinstance(item, float) and not math.isfinite(item)):
            return False
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        pending += [(below, depth + 1) for below in inner]
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _readable_or_auto(text: str, *, takes_auto: bool) -> int | str:
    return -1 if takes_auto and text.strip().lower() in ("auto", "-1") else readable_integer(text)


def _of_kind(kind: Kind, text: str) -> ArgumentValue:
    match kind:
        case "int":
            return int_or_text(text)
        case "float":
            return _float_or_text(text)
        case "json":
            return json_or_text(text)
        case "json_or_str":
            return json_or_text(text) if _OBJECT.match(text) else text
        case _:
            return text


def _float_or_text(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text
