"""Nothing from anybody's YAML controls the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.cli.terminal import paint, printable, wants_colour


@given(st.text())
def test_no_control_or_format_character_is_left(text: str) -> None:
    shown = printable(text)
    assert all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf") for c in shown)


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_bidirectional_override_is_shown_by_its_code() -> None:
    assert printable("user\u202eexe") == "user\\u202eexe"


def test_paint_without_colour_is_the_text() -> None:
    assert paint("x", "red", "bold", colour=False) == "x"
    assert paint("x", "red", colour=True) == "\x1b[31mx\x1b[0m"


def test_half_of_a_surrogate_pair_is_escaped() -> None:
    assert printable("\udcff.yaml") == "\\udcff.yaml"


def test_closed_output_takes_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", None)
    assert not wants_colour()
