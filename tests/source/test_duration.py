from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from controlplane.source import DurationError, parse_duration, parse_go_duration
from tests.source.oracle_answers import answers

ANSWERS = answers("go_durations")
READ = [answer for answer in ANSWERS if "error" not in answer]


@pytest.mark.parametrize("answer", READ, ids=[repr(answer["text"]) for answer in READ])
def test_duration_is_read_as_go_does(answer: dict[str, Any]) -> None:
    assert parse_go_duration(answer["text"]) * 10**9 == answer["nanoseconds"]


@pytest.mark.parametrize("text", [answer["text"] for answer in ANSWERS if "error" in answer])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(DurationError):
        parse_go_duration(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("30", "'30' has no unit after 30; write 30s for seconds or 30m for minutes"),
        ("1 s", "'1 s' has a space in it; write 1s"),
        ("5min", "'5min' has the unknown unit 'min'; write 5m"),
        ("1d", "'1d' has the unknown unit 'd'; the longest is h, so write 24h"),
        ("2w", "'2w' has the unknown unit 'w'; the longest is h, so write 336h"),
        ("1y", "'1y' has the unknown unit 'y'; known are ns us ms s m h"),
        ("", "'' is no duration; write a number with a unit, such as 30s, 10m or 1h30m"),
        ("s", "'s' has no number before 's'; write one such as 1h30m"),
        ("10000000h", "'10000000h' is longer than 9223372036 s, the longest duration there is"),
    ],
)
def test_message_names_the_fault_and_the_right_spelling(text: str, message: str) -> None:
    with pytest.raises(DurationError) as error:
        parse_go_duration(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("10m", 600), ("1h", 3600), ("1h30m", 5400), ("500ms", Fraction(1, 2))]
)
def test_duration_of_a_policy_is_in_seconds(text: str, seconds: Fraction) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["-1s", "+1s", "0", "1", ""])
def test_duration_of_a_policy_has_a_unit_and_no_sign(text: str) -> None:
    with pytest.raises(DurationError):
        parse_duration(text)


def test_monstrous_duration_is_refused_at_once() -> None:
    with pytest.raises(DurationError):
        parse_go_duration("1" * 100_000 + "s")
