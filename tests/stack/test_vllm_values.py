from __future__ import annotations

from typing import Any

import pytest

from controlplane.stack.vllm_values import dotted_value, guessed_value, json_or_text, readable_integer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1k", 1000),
        ("1K", 1024),
        ("2m", 2 * 10**6),
        ("2M", 2 * 2**20),
        ("80g", 80 * 10**9),
        ("1G", 2**30),
        ("1t", 10**12),
        ("1T", 2**40),
        ("25.6k", 25600),
        (" 7 ", 7),
        ("16384", 16384),
        ("1.5K", "1.5K"),
        ("1.5", "1.5"),
        ("k", "k"),
        ("1kb", "1kb"),
        ("", ""),
    ],
)
def test_suffixes_of_integers_are_vllm_s(text: str, value: Any) -> None:
    assert readable_integer(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("null", None),
        ("0.5", 0.5),
        ("-1", -1),
        ('{"a": [1]}', {"a": [1]}),
        ('"text"', '"text"'),
        ("text", "text"),
        ("True", "True"),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("1e999", "1e999"),
        ('{"a": 1e999}', '{"a": 1e999}'),
        ("[" * 100_000, "[" * 100_000),
        ("[" * 66 + "]" * 66, "[" * 66 + "]" * 66),
        ("9" * 10_000, "9" * 10_000),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_guess_is_json_where_it_reads_as_sound_json(text: str, value: Any) -> None:
    assert guessed_value(text) == value


def test_a_json_text_is_a_text_where_json_is_asked_for() -> None:
    assert json_or_text('"text"') == "text"


@pytest.mark.parametrize(
    ("text", "is_list", "value"),
    [("1", False, 1), ("1k", False, 1000), ("x", False, "x"), ('"x"', False, "x"), ("a,1", True, ["a", "1"])],
)
def test_values_behind_a_dotted_flag(text: str, is_list: bool, value: Any) -> None:
    assert dotted_value(text, is_list=is_list) == value
