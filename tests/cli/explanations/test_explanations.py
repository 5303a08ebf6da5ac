"""Every id that a finding can carry is explained, and what is explained exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import controlplane
from controlplane.cli.explanations import EXPLANATIONS, known_ids
from controlplane.cli.suppressions import FAMILY

ROOT = Path(controlplane.__file__).parent
ID = re.compile(
    r"(?:policy|guardrail|yaml|kubernetes|serve|ray|vllm|cross|lint|suppression)/[a-z0-9]+(?:-[a-z0-9]+)*\Z"
)
NOT_IDS = {"policy/v1"}
"""A group and version of Kubernetes."""


def _written_ids() -> Iterator[tuple[str, Path]]:
    """Every text in the source that has the form of an id, outside the explanations and the rules' own examples."""
    for path in sorted(ROOT.rglob("*.py")):
        if path.is_relative_to(ROOT / "cli" / "explanations") or path.is_relative_to(ROOT / "rules"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.match(node.value):
                yield node.value, path


def test_every_id_in_the_source_is_explained() -> None:
    written = {rule for rule, _ in _written_ids()} - NOT_IDS
    assert len(written) > 50
    assert written - known_ids() == set()


def test_every_explanation_is_of_an_id_that_exists() -> None:
    written = {rule for rule, _ in _written_ids()}
    # Findings about comments are made from the family and a last word.
    own = {f"{FAMILY}{slug}" for slug in ("malformed", "expired", "unused", "unknown-rule")}
    assert EXPLANATIONS.keys() - written == own


@pytest.mark.parametrize("rule", sorted(EXPLANATIONS))
def test_explanation_is_made_of_sentences(rule: str) -> None:
    entry = EXPLANATIONS[rule]
    for text in (entry.title, entry.why, entry.remedy):
        assert text.endswith(".")
        assert "  " not in text
