"""Durations as Go writes them (`time.ParseDuration`, Go 1.26), and the plainer ones of a policy.

Results are seconds as an exact Fraction, a whole number of nanoseconds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from controlplane.regex import regex

_NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_MAX_NANOSECONDS: Final = 2**63 - 1
_MAX_TEXT: Final = 100
_TERM = regex(r"(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<unit>[^0-9.]*)")
_LONG_UNITS: Final = {
    "d": 24, "day": 24, "days": 24, "w": 168, "week": 168, "weeks": 168,
}  # fmt: skip
_WORDS: Final = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m",
    "minutes": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "S": "s", "M": "m", "H": "h",
}  # fmt: skip


class DurationError(ValueError):
    """The text is no duration; the message names the fault and a right spelling."""


def parse_go_duration(text: str) -> Fraction:
    """Seconds of `1h30m`, `1.5h`, `300ms`, `-2s` or `0`, as Go reads them.

    A fraction finer than a nanosecond is cut. Raises DurationError.
    """
    if len(text) > _MAX_TEXT:
        raise DurationError(f"a duration of {len(text)} characters is too long; {_MAX_TEXT} are read")
    unsigned = text[1:] if text[:1] in {"-", "+"} else text
    if not unsigned:
        raise DurationError(f"{text!r} is no duration; write a number with a unit, such as 30s, 10m or 1h30m")
    total = 0 if unsigned == "0" else _sum_terms(text, unsigned)
    if total > _MAX_NANOSECONDS + (text[0] == "-"):
        raise DurationError(f"{text!r} is longer than {_MAX_NANOSECONDS // 10**9} s, the longest duration there is")
    return Fraction(-total if text[0] == "-" else total, 10**9)


def parse_duration(text: str) -> Fraction:
    """Seconds of a policy's duration: Go's form without a sign, and always with a unit. Raises DurationError."""
    if text[:1] in {"-", "+"}:
        raise DurationError(f"{text!r} has a sign; write the length of time alone, such as 30s")
    if text == "0":
        raise DurationError("'0' has no unit; write 0s")
    return parse_go_duration(text)


def _sum_terms(text: str, unsigned: str) -> int:
    total, position = 0, 0
    while position < len(unsigned):
        match = _TERM.match(unsigned, position)
        if match is None or not (match["whole"] or match["part"]):
            raise DurationError(f"{text!r} has no number before {unsigned[position:]!r}; write one such as 1h30m")
        total += _nanoseconds(text, match["whole"], match["part"] or "", match["unit"])
        position = match.end()
    return total


def _nanoseconds(text: str, whole: str, part: str, unit: str) -> int:
    if unit not in _NANOSECONDS:
        raise DurationError(_unit_fault(text, whole, part, unit))
    scale = _NANOSECONDS[unit]
    return int(whole or "0") * scale + _fraction(part, scale)


def _fraction(part: str, scale: int) -> int:
    """Go multiplies the fraction as a float64, and drops the digits that an int64 has no room for."""
    digits, divisor = 0, 1.0
    for digit in part:
        if digits > _MAX_NANOSECONDS // 10:
            break
        digits = digits * 10 + int(digit)
        divisor *= 10
    return int(float(digits) * (scale / divisor))


def _unit_fault(text: str, whole: str, part: str, unit: str) -> str:
    number = f"{whole}.{part}" if part else whole
    name = unit.strip()
    if not name:
        return f"{text!r} has no unit after {number}; write {number}s for seconds or {number}m for minutes"
    if name in _NANOSECONDS:
        return f"{text!r} has a space in it; write {number}{name}"
    if name in _WORDS:
        return f"{text!r} has the unknown unit {name!r}; write {number}{_WORDS[name]}"
    if name in _LONG_UNITS and whole and not part:
        return f"{text!r} has the unknown unit {name!r}; the longest is h, so write {int(whole) * _LONG_UNITS[name]}h"
    return f"{text!r} has the unknown unit {name!r}; known are ns us ms s m h"
