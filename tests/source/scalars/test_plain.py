from __future__ import annotations

import pytest

from controlplane.source import Dialect
from controlplane.source.scalars import core, kubernetes, vllm
from controlplane.source.scalars.plain import describe, is_text, read, same
from controlplane.source.scalars.unreadable import Unreadable
from tests.source.oracle_answers import answers

SPELLINGS = sorted(
    {row["text"].removeprefix("v: ") for row in answers("kubernetes_scalars") if row["text"][:3] == "v: "}
)


@pytest.mark.parametrize(
    "text", ["image", "registry.example/vllm:v0.11", "Qwen", "/cache", "é", "trueish", "offline"]
)
def test_ordinary_word_takes_the_short_way(text: str) -> None:
    assert is_text(text)


@pytest.mark.parametrize("text", [text for text in SPELLINGS if is_text(text)])
def test_short_way_is_taken_only_where_all_readers_see_a_text(text: str) -> None:
    assert (core.resolve(text), kubernetes.resolve(text), vllm.resolve(text)) == (text, text, text)


@pytest.mark.parametrize("text", ["8", "1.5", "true", "null", "~", "-3", ".5", "0x1F", "8.0", "no-op", "1Gi", "500m"])
def test_scalar_that_all_readers_read_alike_is_agreed(text: str) -> None:
    assert read(text).agreed


@pytest.mark.parametrize(
    "text", ["yes", "No", "on", "OFF", "y", "012", "08", "0o14", "1_000", "0b11", "12:30", "1e3", "2026-01-01", "="]
)
def test_scalar_that_readers_read_differently_is_not_agreed(text: str) -> None:
    assert not read(text).agreed


def test_explanation_names_the_own_reader_first_and_joins_those_that_agree() -> None:
    assert read("no").explain(Dialect.POLICY) == (
        'the text "no" here (YAML 1.2), but the boolean false to Kubernetes\' reader and to PyYAML (YAML 1.1)'
    )
    assert read("012").explain(Dialect.KUBERNETES) == (
        "the number 10 to Kubernetes' reader and to PyYAML (YAML 1.1), but the number 12 in YAML 1.2"
    )


def test_date_is_called_a_date_though_its_text_is_kept() -> None:
    assert read("2026-01-01").explain(Dialect.POLICY).endswith("but a date to PyYAML (YAML 1.1)")


@pytest.mark.parametrize("text", ["9" * 1_001, "1" + ":1" * 1_000, "0" + "_" * 1_000, "." + "1" * 1_000])
def test_monstrous_number_is_unreadable_to_all(text: str) -> None:
    assert all(isinstance(read(text).by(dialect), Unreadable) for dialect in Dialect)


def test_long_text_that_begins_like_a_number_is_a_text() -> None:
    text = "1" * 1_000 + " apples"
    assert (read(text).core, read(text).agreed) == (text, True)


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (float("nan"), float("nan")), (None, None), ("a", "a")])
def test_equal_values_are_the_same(one: object, other: object) -> None:
    assert same(one, other)


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, "1"), (None, ""), ("a", Unreadable("a"))])
def test_values_of_other_types_are_not_the_same(one: object, other: object) -> None:
    assert not same(one, other)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "the boolean true"),
        (1000.0, "the number 1000"),
        (0.5, "the number 0.5"),
        (float("-inf"), "the number -.inf"),
        ("a", 'the text "a"'),
        (Unreadable("x"), "an error"),
    ],
)
def test_value_is_described_with_its_type(value: object, text: str) -> None:
    assert describe(value) == text
