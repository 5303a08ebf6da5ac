"""An expression that waits against one that does not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from controlplane.regex import regex

_TEXT = "a1 b22\nc3"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("findall", (_TEXT,)),
        ("split", (_TEXT, 1)),
        ("sub", ("_", _TEXT)),
        ("subn", ("_", _TEXT, 2)),
    ],
)
def test_methods_answer_as_those_of_a_compiled_one(method: str, arguments: tuple[Any, ...]) -> None:
    waiting, compiled = regex(r"^[a-z]\d", re.MULTILINE), re.compile(r"^[a-z]\d", re.MULTILINE)
    for _ in range(2):
        assert getattr(waiting, method)(*arguments) == getattr(compiled, method)(*arguments)


@pytest.mark.parametrize("method", ["match", "search", "fullmatch"])
def test_matches_are_those_of_a_compiled_one(method: str) -> None:
    waiting, compiled = regex(r"\d+"), re.compile(r"\d+")
    for text in ("22", "b22", "b"):
        found, wanted = getattr(waiting, method)(text), getattr(compiled, method)(text)
        assert (found and found.span()) == (wanted and wanted.span())


def test_iteration_takes_bounds() -> None:
    assert [found[0] for found in regex(r"\d+").finditer(_TEXT, 2, 8)] == ["22"]


def test_what_a_compiled_one_knows_of_itself_is_known() -> None:
    assert regex("(a)(?P<b>b)", re.IGNORECASE).groupindex == {"b": 2}
    assert regex("a").pattern == "a"
    with pytest.raises(AttributeError):
        regex("a").nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_wrong_expression_is_told_when_it_is_used() -> None:
    waiting = regex("(")
    with pytest.raises(re.error):
        waiting.match("")
