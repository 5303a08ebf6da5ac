"""The pages of the rules: one for each, made of what its file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.cli.explanations import known_ids
from controlplane.cli.views.explanation_text import Explained, explained
from controlplane.rules.catalogue import catalogue
from tools import rule_pages

RULE = Explained(
    "ray/one",
    "A | B.",
    "error",
    "Because.",
    "Do it.",
    "ray",
    "0.2.0",
    "preview",
    ("a: ```  # fires",),
    ("a: 1",),
    ("Ray 2.60, somewhere",),
)


def test_every_rule_has_a_page_and_every_id_a_row() -> None:
    pages = rule_pages.pages(explained())
    assert pages.keys() == {"README.md", *(f"{entry.id}.md" for entry in catalogue())}
    for rule in known_ids():
        assert f"({rule}.md)" in pages["README.md"] or f"`{rule}`" in pages["README.md"]


def test_page_shows_the_bad_example_before_the_good() -> None:
    page = rule_pages.page(RULE)
    assert page.startswith("# ray/one\n\nA | B.\n\nSeverity error, layer ray, since 0.2.0. It is a preview")
    order = ["## Why", "## Found in", "# fires", "## What to do", "## Clean", "a: 1", "## Sources"]
    assert [page.index(part) for part in order] == sorted(page.index(part) for part in order)


def test_back_ticks_and_bars_of_a_rule_end_nothing() -> None:
    assert "````yaml\na: ```  # fires\n````" in rule_pages.page(RULE)
    assert "| A \\| B. |" in rule_pages.index([RULE], [])


def test_stale_missing_and_left_over_pages_are_found_and_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rule_pages, "FOLDER", tmp_path)
    monkeypatch.setattr(rule_pages, "explained", lambda: {RULE.id: RULE})
    assert rule_pages.main("--check") == 1
    assert rule_pages.main("--write") == 0
    assert rule_pages.main("--check") == 0
    (tmp_path / "ray" / "gone.md").write_text("x")
    (tmp_path / "ray" / "one.md").write_text("x")
    capsys.readouterr()
    assert rule_pages.main("--check") == 1
    assert capsys.readouterr().err == "stale: docs/rules/ray/one.md\nstale: docs/rules/ray/gone.md\n"
    assert rule_pages.main("--write") == 0
    assert sorted(path.name for path in tmp_path.rglob("*.md")) == ["README.md", "one.md"]
