from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.source import Quantity, QuantityError, parse_quantity
from tests.source.oracle_answers import answers

ANSWERS = answers("kubernetes_quantities")
# Go takes these; we do not. What has no digit is zero to it, and 10^21 and more loses its suffix (`1000E` is `1`).
REFUSED = {"Gi", "m", ".", "-", "+", "1000E", "12000E", "1000000P", "1000000E", "100000000P", "100000000E"}
READ = [answer for answer in ANSWERS if "error" not in answer and answer["text"] not in REFUSED]


@pytest.mark.parametrize("answer", READ, ids=[repr(answer["text"]) for answer in READ])
def test_quantity_is_read_and_written_as_go_does(answer: dict[str, Any]) -> None:
    quantity = parse_quantity(answer["text"])
    assert quantity.canonical() == answer["canonical"]
    assert quantity.value == Fraction(Decimal(answer["decimal"]))
    if 0 <= quantity.value < 2**63:
        assert quantity.bytes() == answer["value"]


@pytest.mark.parametrize("text", sorted({answer["text"] for answer in ANSWERS if "error" in answer} | REFUSED))
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1K", "'1K' has the unknown suffix 'K'; write '1Ki' (2^10) or '1k' (10^3)"),
        ("1gb", "'1gb' has the unknown suffix 'gb'; write '1Gi' (2^30) or '1G' (10^9)"),
        ("16GiB", "'16GiB' has the unknown suffix 'GiB'; write '16Gi' (2^30)"),
        ("1 Gi", "'1 Gi' has a space in it; write '1Gi'"),
        ("", "an empty text is no quantity; write a number such as 8, 500m or 16Gi"),
        ("Gi", "'Gi' does not begin with a number; write one such as 8, 500m or 16Gi"),
        ("1x", "'1x' has the unknown suffix 'x'; known are n u m k M G T P E Ki Mi Gi Ti Pi Ei"),
        ("1e", "'1e' has the unknown suffix 'e'; write '1Ei' (2^60) or '1E' (10^18)"),
        ("1000E", "'1000E' is more than a quantity without an exponent can say; write it as 1e21"),
    ],
)
def test_message_names_the_fault_and_the_right_spelling(text: str, message: str) -> None:
    with pytest.raises(QuantityError) as error:
        parse_quantity(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("number", "canonical"),
    [(8, "8"), (0, "0"), (-1, "-1"), (0.5, "500m"), (1.0, "1"), (1e21, "1e+21"), (1e-9, "1e-09")],
)
def test_number_without_quotes_is_read_as_its_json_text(number: float, canonical: str) -> None:
    assert parse_quantity(number).canonical() == canonical


@pytest.mark.parametrize("number", [True, False, float("nan"), float("inf"), float("-inf"), 10**100, 1e300])
def test_number_that_is_no_quantity_is_refused(number: float) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(number)


@pytest.mark.parametrize("text", ["1" * 10_000, "1e999999999", "1e-999999999", "0." + "0" * 5_000 + "1"])
def test_monstrous_quantity_is_refused_at_once(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize(
    ("count", "canonical"),
    [(0, "0"), (1, "1"), (1023, "1023"), (1024, "1Ki"), (1025, "1025"), (2**30, "1Gi"), (3 * 2**29, "1536Mi"),
     (65536 * 2**20, "64Gi"), (10**9, "1000000000"), (2**60, "1Ei"), (1_000 * 1024, "1000Ki")],
)  # fmt: skip
def test_bytes_are_written_with_the_largest_binary_suffix(count: int, canonical: str) -> None:
    assert Quantity.from_bytes(count).canonical() == canonical


@pytest.mark.parametrize(
    ("text", "whole"), [("1.1Ki", 1127), ("1m", 1), ("1001m", 2), ("2", 2), ("0", 0), ("64Gi", 2**36)]
)
def test_bytes_are_rounded_up(text: str, whole: int) -> None:
    assert parse_quantity(text).bytes() == whole


def test_quantities_are_equal_and_ordered_by_value() -> None:
    assert parse_quantity("1024Mi") == parse_quantity("1Gi") == Quantity.from_bytes(2**30)
    assert len({parse_quantity(text) for text in ("1", "1000m", "1.0", "1e0")}) == 1
    texts = ["2", "1500m", "1Ki", "1k", "-1", "1n"]
    assert sorted(texts, key=parse_quantity) == ["-1", "1n", "1500m", "2", "1k", "1Ki"]
    assert parse_quantity("1") <= parse_quantity("1000m") < parse_quantity("1001m")
    assert parse_quantity("1") != "1"


def test_text_of_a_quantity_is_its_canonical_form() -> None:
    assert f"{parse_quantity('1024Mi')}" == "1Gi"


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    digits=st.integers(0, 10**12),
    point=st.integers(0, 12),
    suffix=st.sampled_from(["", "m", "u", "k", "G", "Ki", "Gi", "Ti"]),
)
def test_canonical_form_has_the_same_value_and_is_canonical(digits: int, point: int, suffix: str) -> None:
    whole, part = divmod(digits, 10**point)
    quantity = parse_quantity(f"{whole}.{part:0{point}d}{suffix}" if point else f"{whole}{suffix}")
    again = parse_quantity(quantity.canonical())
    assert again == quantity
    assert again.canonical() == quantity.canonical()


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(text=st.text(st.sampled_from("0123456789.+-eEinumkKMGTP _x\n"), max_size=12))
def test_any_text_is_a_quantity_or_a_quantity_error(text: str) -> None:
    try:
        quantity = parse_quantity(text)
    except QuantityError:
        return
    assert parse_quantity(quantity.canonical()) == quantity
