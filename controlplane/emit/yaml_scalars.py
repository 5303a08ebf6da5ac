"""Scalars as YAML text that every reader takes for the same value, whether it follows YAML 1.1 or 1.2.

Plain text is written only where no reader has another idea of it: `on`, `012`, `12:30`, `1e3`, `0.33.0` and the
like stand in quotes.
"""

from __future__ import annotations

import math
import re
from typing import Any

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_PLAIN = re.compile(r"(?:[A-Za-z_/]|--[A-Za-z])[A-Za-z0-9_./:=@+,% -]*\Z")
_AMOUNT = re.compile(r"[1-9][0-9]*(?:[KMGTPE]i|[mkMGTP]|%)\Z")
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\uffff"
    "\ud800-\uf8ff\U000e0000-\U0010ffff]"
)
"""Control, format and private-use characters, and spaces that look like the ordinary one. The ranges are fixed: a
newer Unicode table must not change the bytes that are written."""
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def scalar(value: Any) -> str:
    """One line of YAML for a scalar. Raises ValueError for a number that is not finite, TypeError for other types."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case str():
            return text(value)
        case _:
            raise TypeError(f"a {type(value).__name__} is no YAML scalar")


def _float(value: float) -> str:
    """With a point in the mantissa: to YAML 1.1, `1e-05` is text."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written in a manifest")
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"


def text(value: str) -> str:
    """A text on one line: plain where that is safe, else in double quotes, in single ones if that saves escapes."""
    if is_plain(value):
        return value
    if _UNPRINTABLE.search(value) or "\n" in value or "\t" in value or not ('"' in value or "\\" in value):
        return _double_quoted(value)
    return "'" + value.replace("'", "''") + "'"


def is_plain(value: str) -> bool:
    """Whether every reader takes the bare text for just this text."""
    if value.lower() in _WORDS or ": " in value or value[-1:] in (":", " "):
        return False
    return bool(_PLAIN.match(value) or _AMOUNT.match(value))


def comment(value: str) -> str:
    """A text as it can stand behind `#`: on one line, and without what a terminal would obey or hide."""
    return " ".join(_UNPRINTABLE.sub(" ", value).split())


def fits_literal_block(value: str) -> bool:
    """Whether a text of several lines can be written below `|` as it is.

    Not when it begins with white space, which would need an indentation indicator, or holds what cannot be printed.
    """
    return "\n" in value and not value[:1].isspace() and not _UNPRINTABLE.search(value) and "\t" not in value


def chomping(value: str) -> str:
    """The indicator behind `|` that keeps the line breaks at the end of a text as they are."""
    if not value.endswith("\n"):
        return "-"
    return "+" if value.endswith("\n\n") else ""


def _double_quoted(value: str) -> str:
    return '"' + "".join(_escape(character) for character in value) + '"'


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if not _UNPRINTABLE.match(character):
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
