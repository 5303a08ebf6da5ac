"""Plain scalars in YAML 1.2's core schema (YAML 1.2.2, section 10.3.2)."""

from __future__ import annotations

import math
from typing import Final

from controlplane.regex import regex
from controlplane.source.dialect import Scalar
from controlplane.source.scalars.unreadable import Unreadable

_WORDS: Final[dict[str, Scalar]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": math.nan, ".NaN": math.nan, ".NAN": math.nan,
    ".inf": math.inf, ".Inf": math.inf, ".INF": math.inf,
    "+.inf": math.inf, "+.Inf": math.inf, "+.INF": math.inf,
    "-.inf": -math.inf, "-.Inf": -math.inf, "-.INF": -math.inf,
}  # fmt: skip
_INTEGER = regex(r"[-+]?[0-9]+\Z")
_OCTAL = regex(r"0o[0-7]+\Z")
_HEXADECIMAL = regex(r"0x[0-9a-fA-F]+\Z")
_FLOAT = regex(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_MAX_DIGITS: Final = 100


def resolve(text: str) -> Scalar | Unreadable:
    """The value of a plain scalar. Integers beyond 64 bits and floats beyond a double are unreadable to us."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return integer(text, text, 10)
    if _OCTAL.match(text):
        return integer(text, text[2:], 8)
    if _HEXADECIMAL.match(text):
        return integer(text, text[2:], 16)
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else Unreadable("it is larger than 1.8e308, the largest double")
    return text


def integer(text: str, digits: str, base: int) -> int | Unreadable:
    """The integer, if an int64 or uint64 can hold it; nothing that reads our output holds more."""
    significant = digits.lstrip("+-").lstrip("0") or "0"
    number = int(significant, base) if len(significant) <= _MAX_DIGITS else None
    if number is not None and digits[0] == "-":
        number = -number
    if number is None or not -(2**63) <= number < 2**64:
        size = len(text.lstrip("+-"))
        return Unreadable(f"it has {size} digits; integers from -2^63 to 2^64-1 can be held")
    return number


def resolve_tagged(kind: str, text: str) -> Scalar | Unreadable:
    """The value of a scalar tagged `!!int`, `!!float`, `!!bool` or `!!null`; `kind` is the tag's name alone."""
    value = resolve(text)
    if isinstance(value, Unreadable):
        return value
    found = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}[type(value)]
    if kind == "float" and found == "int":
        return float(value or 0)
    return value if found == kind else Unreadable(f"it is tagged !!{kind} and is not one")
