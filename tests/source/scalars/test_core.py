from __future__ import annotations

import math

import pytest

from controlplane.source.scalars.core import resolve, resolve_tagged
from controlplane.source.scalars.unreadable import Unreadable

# The examples of YAML 1.2.2, section 10.3.2, and their neighbours.
VALUES = [
    ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"),
    ("true", True), ("True", True), ("TRUE", True), ("tRUE", "tRUE"),
    ("false", False), ("False", False), ("FALSE", False),
    ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"), ("n", "n"),
    ("0", 0), ("-0", 0), ("+1", 1), ("-19", -19), ("012", 12),
    ("0o7", 7), ("0o14", 12), ("0o8", "0o8"), ("-0o7", "-0o7"),
    ("0x3A", 58), ("0XFF", "0XFF"), ("-0x1", "-0x1"), ("0b11", "0b11"), ("1_000", "1_000"), ("1,000", "1,000"),
    ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)), ("18446744073709551615", 2**64 - 1),
    ("0.", 0.0), ("-0.0", -0.0), (".5", 0.5), ("+12e03", 12000.0),
    ("-2E+05", -200000.0), ("1e3", 1000.0), ("1.5", 1.5),
    (".", "."), ("1.2.3", "1.2.3"), ("1e", "1e"), ("e3", "e3"), (".e3", ".e3"),
    (".inf", math.inf), ("-.Inf", -math.inf), ("+.INF", math.inf), ("inf", "inf"),
    ("12:30", "12:30"), ("2026-01-01", "2026-01-01"), ("<<", "<<"), ("=", "="), ("\u0661", "\u0661"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[repr(text) for text, _ in VALUES])
def test_plain_scalar_has_the_value_of_the_core_schema(text: str, value: object) -> None:
    read = resolve(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_not_a_number_is_a_float(text: str) -> None:
    read = resolve(text)
    assert isinstance(read, float)
    assert math.isnan(read)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("18446744073709551616", "20 digits"),
        ("-9223372036854775809", "19 digits"),
        ("9" * 10_000, "10000 digits"),
        ("0x" + "f" * 5_000, "digits"),
        ("1e999", "1.8e308"),
    ],
    ids=["uint64+1", "int64-1", "ten thousand digits", "long hexadecimal", "huge exponent"],
)
def test_number_that_no_machine_number_holds_is_unreadable(text: str, reason: str) -> None:
    read = resolve(text)
    assert isinstance(read, Unreadable)
    assert reason in read.reason


def test_leading_zeros_do_not_make_a_number_long() -> None:
    assert resolve("0" * 10_000 + "7") == 7


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("int", "1", 1), ("float", "1", 1.0), ("float", "1.5", 1.5), ("bool", "true", True), ("null", "", None)],
)
def test_tag_that_fits_keeps_the_value(kind: str, text: str, value: object) -> None:
    read = resolve_tagged(kind, text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"), [("int", "x"), ("int", "1.5"), ("bool", "yes"), ("null", "x"), ("float", "x"), ("int", "")]
)
def test_tag_that_does_not_fit_is_unreadable(kind: str, text: str) -> None:
    assert isinstance(resolve_tagged(kind, text), Unreadable)
