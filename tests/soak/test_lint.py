"""A little of every surface in every run of the tests; `python -m tests.soak.lint MINUTES` goes on for longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak import corpus as manifests
from tests.soak.lint import main, one
from tests.soak.surfaces import SURFACES, Corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    texts = manifests.texts()
    return Corpus(texts, manifests.trees(texts))


@pytest.mark.parametrize("surface", SURFACES)
def test_lint_takes_whatever_comes(surface: str, corpus: Corpus, tmp_path: Path) -> None:
    # How long an input takes is told by the long run only: here other work may be in the way.
    told = {number: one(surface, number, corpus, tmp_path / "in") for number in range(8)}
    assert not {number: faults for number, told in told.items() if (faults := [f for f in told if "slow" not in f])}


def test_input_is_the_same_for_the_same_number(corpus: Corpus, tmp_path: Path) -> None:
    made = []
    for _ in range(2):
        one("trees", 5, corpus, tmp_path / "in")
        made.append((tmp_path / "in" / "a.yaml").read_bytes())
    assert made[0] == made[1]


def test_one_input_can_be_run_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["text#3"]) == 0
    assert "the input is in" in capsys.readouterr().out
