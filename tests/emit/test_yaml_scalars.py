from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.emit.yaml_scalars import chomping, fits_literal_block, scalar, text
from controlplane.source import Dialect, read_yaml
from tests.stack.strategies import AWKWARD

anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


def read_by_all(line: str) -> list[Any]:
    """What YAML 1.1 as PyYAML reads it, YAML 1.2 as we do, and Kubernetes' reader make of a value."""
    document = f"key: {line}\n"
    values = [yaml.safe_load(document)]
    for dialect in (Dialect.POLICY, Dialect.KUBERNETES):
        result = read_yaml(document.encode(), "x.yaml", dialect)
        assert result.diagnostics == ()
        values += [found.value for found in result.documents]
    return [value["key"] for value in values]


@pytest.mark.parametrize("value", AWKWARD, ids=repr)
def test_every_reader_takes_an_awkward_text_for_itself(value: str) -> None:
    assert read_by_all(text(value)) == [value] * 3


@settings(deadline=None)
@given(anything)
def test_every_reader_takes_any_text_for_itself(value: str) -> None:
    assert read_by_all(text(value)) == [value] * 3


@settings(deadline=None)
@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_and_words_are_read_as_what_they_are(value: Any) -> None:
    in_yaml = yaml.safe_load(f"key: {scalar(value)}\n")["key"]
    assert in_yaml == value
    assert type(in_yaml) is type(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("chat", "chat"),
        ("registry.example/vllm-openai:v0.33.0", "registry.example/vllm-openai:v0.33.0"),
        ("--max-model-len=16384", "--max-model-len=16384"),
        ("16Gi", "16Gi"),
        ("500m", "500m"),
        ("25%", "25%"),
        ("a b", "a b"),
        ("yes", '"yes"'),
        ("On", '"On"'),
        ("8", '"8"'),
        ("0.33.0", '"0.33.0"'),
        ("10.0.0.1", '"10.0.0.1"'),
        ("1e3", '"1e3"'),
        ("12:30", '"12:30"'),
        ("", '""'),
        ('--config={"a":1}', "'--config={\"a\":1}'"),
        ('it\'s "so"', "'it''s \"so\"'"),
        ("a\tb", '"a\\tb"'),
        ("\u200b", '"\\u200b"'),
        ("\U000f0000", '"\\U000f0000"'),
    ],
)
def test_text_is_quoted_only_where_it_has_to_be(value: str, written: str) -> None:
    assert text(value) == written


@pytest.mark.parametrize(("value", "written"), [(1e-5, "1.0e-05"), (1e22, "1.0e+22"), (0.9, "0.9"), (-2.5, "-2.5")])
def test_floats_have_a_point_so_that_yaml_1_1_sees_a_number(value: float, written: str) -> None:
    assert scalar(value) == written


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_cannot_be_written(value: float) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        scalar(value)


def test_only_scalars_are_scalars() -> None:
    with pytest.raises(TypeError, match="a set is no YAML scalar"):
        scalar({1})


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ("a\nb", True),
        ("a\n", True),
        ("a", False),
        (" a\nb", False),
        ("\na", False),
        ("a\tb\n", False),
        ("a\r\n", False),
    ],
    ids=repr,
)
def test_literal_blocks_are_for_plain_lines(value: str, fits: bool) -> None:
    assert fits_literal_block(value) is fits


@pytest.mark.parametrize(("value", "indicator"), [("a\nb", "-"), ("a\nb\n", ""), ("a\nb\n\n", "+")], ids=repr)
def test_chomping_keeps_the_line_breaks_at_the_end(value: str, indicator: str) -> None:
    assert chomping(value) == indicator
