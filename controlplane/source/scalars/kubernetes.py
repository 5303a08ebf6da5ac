"""Scalars as sigs.k8s.io/yaml 1.6 hands them to JSON: `resolve.go` of go.yaml.in/yaml/v2 2.4.4, and its JSON encoder.

The reader knows no strict YAML version: it has the booleans of 1.1 (`y` and `on` too), Go's integer literals
(`0o14`, `0b11`, `012`, underscores dropped), the floats of 1.2, and keeps timestamps and `12:30` as texts.
"""

from __future__ import annotations

import base64
import binascii
import decimal
import math
import re
import struct
from typing import Final

from controlplane.regex import regex
from controlplane.source.dialect import Scalar
from controlplane.source.scalars.unreadable import Unreadable

TAG_PREFIX: Final = "tag:yaml.org,2002:"


def _spellings(*words: str) -> tuple[str, ...]:
    return tuple(form for word in words for form in (word, word.capitalize(), word.upper()))


_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(_spellings("y", "yes", "true", "on"), True),
    **dict.fromkeys(_spellings("n", "no", "false", "off"), False),
    **dict.fromkeys(("", "~", *_spellings("null")), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((*_spellings(".inf"), ".Inf", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_FLOAT = regex(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_DOTTED_FLOAT = regex(r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?\Z")
"""What begins with a point goes to `strconv.ParseFloat` as it is, which takes underscores between digits."""
_TIMESTAMP = regex(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?)?\Z"
)
_DIGITS: Final = {
    2: regex(r"[01]+\Z"), 8: regex(r"[0-7]+\Z"),
    10: regex(r"[0-9]+\Z"), 16: regex(r"[0-9a-fA-F]+\Z"),
}  # fmt: skip
_PREFIXES: Final = {"0b": 2, "0o": 8, "0x": 16}
_MAX_DIGITS: Final = 100
_FIXED_DIGITS: Final = 6
"""Go's 'g' format turns to an exponent from here on when it writes the shortest digits."""
_NOT_FINITE = Unreadable("JSON has no such number, and Kubernetes' reader refuses the file")


def resolve(text: str) -> Scalar | Unreadable:
    """The value of a plain scalar as it stands in the JSON that Kubernetes reads."""
    return _as_json(_resolve_plain(text))


def resolve_tagged(tag: str, text: str) -> Scalar | Unreadable:
    """The value of a scalar with an explicit tag; unknown tags leave the text a text."""
    short = tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else ""
    if short == "binary":
        return _decode_binary(text)
    if short == "timestamp" and not _TIMESTAMP.match(text):
        return Unreadable("it is no !!timestamp to Kubernetes' reader")
    if short not in {"bool", "int", "float", "null"}:
        return text
    value = _resolve_plain(text)
    if short == "float" and isinstance(value, int) and not isinstance(value, bool):
        return (
            _as_json(float(value))
            if -(2**63) <= value < 2**63
            else Unreadable("it is no !!float to Kubernetes' reader")
        )
    if _kind(value) != short:
        return Unreadable(f"it is no !!{short} to Kubernetes' reader")
    return _as_json(value)


def key_text(value: Scalar) -> str | Unreadable:
    """The JSON key that a mapping's key becomes (`convertToJSONableObject`)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return Unreadable("a key cannot be null in JSON, and Kubernetes' reader refuses the file")
    if isinstance(value, int) and value >= 2**63:
        return Unreadable("an integer key above 2^63-1 makes Kubernetes' reader refuse the file")
    return _float_key(value) if isinstance(value, float) else str(value)


def resolve_key(text: str) -> str | Unreadable:
    """The JSON key that a plain scalar becomes."""
    return key_text(_resolve_plain(text))


def _resolve_plain(text: str) -> Scalar:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _finite_float(text.replace("_", ""), text) if _DOTTED_FLOAT.match(text) else text
    if text[0] in "0123456789+-":
        return _number(text)
    return text


def _number(text: str) -> Scalar:
    plain = text.replace("_", "")
    integer = _go_integer(plain)
    if integer is not None:
        return integer
    number = _finite_float(plain, text)
    if isinstance(number, float):
        return number
    return _odd_binary(plain, text)


def _go_integer(plain: str) -> int | None:
    """`strconv.ParseInt` and then `ParseUint` with base 0."""
    sign, digits = (plain[0], plain[1:]) if plain[:1] in {"+", "-"} else ("", plain)
    base = _PREFIXES.get(digits[:2].lower(), 10)
    if base != 10:
        digits = digits[2:]
    elif digits[:1] == "0" and len(digits) > 1:
        base, digits = 8, digits[1:]
    if not _DIGITS[base].match(digits) or len(digits.lstrip("0")) > _MAX_DIGITS:
        return None
    number = int(digits.lstrip("0") or "0", base)
    if sign == "-":
        return -number if number <= 2**63 else None
    # ParseUint takes no sign.
    return number if number < (2**63 if sign else 2**64) else None


def _finite_float(plain: str, text: str) -> float | str:
    if not _FLOAT.match(plain):
        return text
    number = float(plain)
    return number if math.isfinite(number) else text


def _odd_binary(plain: str, text: str) -> int | str:
    """What only the reader's last attempt takes: a sign behind `0b`."""
    match = re.match(r"0b([-+])([01]+)\Z", plain)
    if match is None:
        return text
    number = int(match[2], 2)
    return -number if match[1] == "-" else number


def _as_json(value: Scalar) -> Scalar | Unreadable:
    """Go writes a whole float without a point, by its shortest digits; where an int64 holds them, one comes back."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return _NOT_FINITE
    if not value.is_integer() or abs(value) >= 1e21:
        return value
    written = int(decimal.Decimal(repr(value)))
    return written if -(2**63) <= written < 2**63 else value


def _kind(value: Scalar) -> str:
    kinds = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}
    return kinds[type(value)]


def _decode_binary(text: str) -> str | Unreadable:
    try:
        data = base64.b64decode("".join(text.split("\n")).replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return Unreadable("it is no base64, and Kubernetes' reader refuses the file")
    return data.decode("utf-8", errors="replace")


def _float_key(value: float) -> str:
    """`strconv.FormatFloat(value, 'g', -1, 32)`: the shortest digits that give the same 32-bit float."""
    if math.isnan(value):
        return ".nan"
    try:
        (narrow,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        narrow = math.copysign(math.inf, value)
    if math.isinf(narrow):
        return ".inf" if narrow > 0 else "-.inf"
    return _shortest(narrow)


def _shortest(narrow: float) -> str:
    for precision in range(1, 10):
        scientific = f"{narrow:.{precision - 1}e}"
        if struct.pack("f", float(scientific)) == struct.pack("f", narrow):
            break
    mantissa, _, exponent = scientific.partition("e")
    if -4 <= int(exponent) < _FIXED_DIGITS:
        return f"{float(scientific):.{max(0, precision - 1 - int(exponent))}f}"
    return f"{mantissa}e{int(exponent):+03d}"
