"""Kubernetes quantities, read and written as Go apimachinery 0.37 does (`pkg/api/resource/quantity.go`).

A quantity is a whole number of nano units: Go rounds anything finer up to one nano, away from zero. What Go reads
as zero although no digit is there (`m`, `.`), and what it cannot write (10^21 and more without an exponent), is an
error here.
"""

from __future__ import annotations

import enum
import functools
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from controlplane.regex import regex

_NANO: Final = 10**9
_MAX_BINARY: Final = 2**63 - 1
_MAX_INT64_DIGITS: Final = 18
_MAX_TEXT: Final = 100
_MAX_EXPONENT: Final = 60

_DECIMAL_EXPONENTS: Final = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY_EXPONENTS: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIXES: Final = {exponent: suffix for suffix, exponent in _DECIMAL_EXPONENTS.items()}
_BINARY_SUFFIXES: Final = {exponent: suffix for suffix, exponent in _BINARY_EXPONENTS.items()}

_SPLIT = regex(r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<suffix>.*)\Z", re.DOTALL)
_EXPONENT = regex(r"[eE]([+-]?[0-9]+)\Z")


class QuantityError(ValueError):
    """The text is no quantity; the message names the fault and the nearest right spelling."""


class _Format(enum.Enum):
    DECIMAL_SI = enum.auto()
    BINARY_SI = enum.auto()
    DECIMAL_EXPONENT = enum.auto()


@functools.total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An amount of something. Equal and ordered by value: `1024Mi` equals `1Gi`."""

    nano: int
    """The value in units of 10^-9."""
    _format: _Format = field(default=_Format.DECIMAL_SI, repr=False)
    _written: str | None = field(default=None, repr=False)

    @classmethod
    def from_bytes(cls, count: int) -> Quantity:
        """That many bytes, to be written with a binary suffix (`65536Mi` as `64Gi`)."""
        return cls(count * _NANO, _Format.BINARY_SI)

    @property
    def value(self) -> Fraction:
        """The exact value."""
        return Fraction(self.nano, _NANO)

    def bytes(self) -> int:
        """The value as a whole number, rounded away from zero. Go's `Value()` does so for positive values only."""
        return _divide_away_from_zero(self.nano, _NANO)

    def canonical(self) -> str:
        """The spelling that an API server answers with. Go keeps some spellings as written (`1e3`, `+1`, `5.`)."""
        if self._written is not None:
            return self._written
        if self.nano == 0:
            return "0"
        if self._format is _Format.BINARY_SI and abs(self.nano) >= 1024 * _NANO and self.nano % _NANO == 0:
            return _write_binary(self.nano // _NANO)
        return _write_decimal(self.nano, self._format)

    def __str__(self) -> str:
        return self.canonical()

    def __eq__(self, other: object) -> bool:
        return self.nano == other.nano if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: Quantity) -> bool:
        return self.nano < other.nano if isinstance(other, Quantity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.nano)


def parse_quantity(value: str | int | float) -> Quantity:
    """Read a quantity as the API server reads it from JSON, where numbers may stand without quotes.

    Raises QuantityError with the fault and, where one is near, the spelling that was probably meant.
    """
    if isinstance(value, bool):
        raise QuantityError(f"{str(value).lower()} is a boolean; a quantity is a number with an optional suffix")
    if isinstance(value, float) and not math.isfinite(value):
        raise QuantityError(f"{value} is not finite; a quantity is a finite number with an optional suffix")
    text = value if isinstance(value, str) else _json_number(value)
    return _parse_text(text)


def _json_number(value: int | float) -> str:
    if abs(value) >= 10**_MAX_EXPONENT:
        raise QuantityError(f"the number is larger than 10^{_MAX_EXPONENT}, more than any quantity")
    return str(value)


@functools.lru_cache(maxsize=1024)
def _parse_text(text: str) -> Quantity:
    if len(text) > _MAX_TEXT:
        raise QuantityError(f"a quantity of {len(text)} characters is too long; {_MAX_TEXT} are read")
    match = _SPLIT.match(text)
    if not text or match is None:
        raise QuantityError("an empty text is no quantity; write a number such as 8, 500m or 16Gi")
    whole, part, suffix = match["whole"], match["part"] or "", match["suffix"]
    if not whole and not part:
        raise QuantityError(f"{text!r} does not begin with a number; write one such as 8, 500m or 16Gi")
    format_, exponent = _interpret(text, suffix)
    sign = -1 if match["sign"] == "-" else 1
    return _assemble(text, sign, whole, part, format_, exponent)


def _interpret(text: str, suffix: str) -> tuple[_Format, int]:
    if suffix in _DECIMAL_EXPONENTS:
        return _Format.DECIMAL_SI, _DECIMAL_EXPONENTS[suffix]
    if suffix in _BINARY_EXPONENTS:
        return _Format.BINARY_SI, _BINARY_EXPONENTS[suffix]
    match = _EXPONENT.match(suffix)
    if match is None:
        raise QuantityError(_suffix_fault(text, suffix))
    exponent = int(match[1])
    if abs(exponent) > _MAX_EXPONENT:
        raise QuantityError(f"{text!r} has the exponent {exponent}; {_MAX_EXPONENT} is the largest read")
    return _Format.DECIMAL_EXPONENT, exponent


def _suffix_fault(text: str, suffix: str) -> str:
    if suffix != suffix.strip() or any(c.isspace() for c in suffix):
        near = "".join(text.split())
        return f"{text!r} has a space in it; write {near!r}" if _reads(near) else f"{text!r} has a space in it"
    meant = _meant_suffix(suffix)
    number = text[: len(text) - len(suffix)]
    if meant:
        return f"{text!r} has the unknown suffix {suffix!r}; write " + " or ".join(
            f"'{number}{name}' ({meaning})" for name, meaning in meant
        )
    known = " ".join([*_DECIMAL_EXPONENTS, *_BINARY_EXPONENTS]).strip()
    return f"{text!r} has the unknown suffix {suffix!r}; known are {' '.join(known.split())}"


def _reads(text: str) -> bool:
    try:
        _parse_text(text)
    except QuantityError:
        return False
    return True


def _meant_suffix(suffix: str) -> list[tuple[str, str]]:
    letter = suffix.lower().removesuffix("b").removesuffix("i").upper()
    if letter not in {"K", "M", "G", "T", "P", "E"}:
        return []
    decimal, binary = ("k" if letter == "K" else letter), f"{letter}i"
    meanings = [
        (binary, f"2^{_BINARY_EXPONENTS[binary]}"),
        (decimal, f"10^{_DECIMAL_EXPONENTS[decimal]}"),
    ]
    return meanings[:1] if "i" in suffix.lower() else meanings


def _assemble(text: str, sign: int, whole: str, part: str, format_: _Format, exponent: int) -> Quantity:
    digits = int((whole + part) or "0")
    base = 2 if format_ is _Format.BINARY_SI else 10
    exact = Fraction(digits * _NANO) * Fraction(base) ** exponent / 10 ** len(part)
    nano = math.ceil(exact)
    if format_ is _Format.BINARY_SI:
        nano = min(nano, _MAX_BINARY * _NANO)
        if nano < _NANO:
            format_ = _Format.DECIMAL_SI
    written = text if nano and _kept_as_written(whole, part, format_, exponent) else None
    quantity = Quantity(sign * nano, format_, written)
    if format_ is _Format.DECIMAL_SI and _canonical_exponent(nano)[1] > max(_DECIMAL_SUFFIXES):
        raise QuantityError(f"{text!r} is more than a quantity without an exponent can say; write it as 1e21")
    return quantity


def _kept_as_written(whole: str, part: str, format_: _Format, exponent: int) -> bool:
    """Whether Go's fast path takes the text and leaves it alone, canonical or not (`ParseQuantity`)."""
    stripped = whole.lstrip("0")
    number = stripped or "0"
    shifted = number + part
    if format_ is _Format.BINARY_SI:
        precision = 15 - len(number) - exponent * 3 // 10 - 1
        fits = not part and precision >= 0 and int(shifted) << exponent <= _MAX_BINARY
        return fits and int(shifted) & 7 != 0
    scale = exponent - len(part)
    if len(shifted) > _MAX_INT64_DIGITS or scale < -9:
        return False
    return scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"


def _write_binary(count: int) -> str:
    exponent = 0
    while count % 1024 == 0:
        count //= 1024
        exponent += 10
    return f"{count}{_BINARY_SUFFIXES.get(exponent, '')}"


def _write_decimal(nano: int, format_: _Format) -> str:
    mantissa, exponent = _canonical_exponent(nano)
    if format_ is _Format.DECIMAL_EXPONENT:
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    return f"{mantissa}{_DECIMAL_SUFFIXES[exponent]}"


def _canonical_exponent(nano: int) -> tuple[int, int]:
    """The shortest mantissa whose exponent is a multiple of three."""
    exponent = -9
    while nano and nano % 1000 == 0:
        nano //= 1000
        exponent += 3
    return nano, exponent


def _divide_away_from_zero(dividend: int, divisor: int) -> int:
    quotient = -(-abs(dividend) // divisor)
    return quotient if dividend >= 0 else -quotient
