"""What the edits of the family ray/ make of a manifest: the finding is gone, and nothing else has come."""

from __future__ import annotations

import textwrap

import pytest

from controlplane.cli.fixes import fixed
from controlplane.rules import catalogue
from tests.rules.judging import FILE, findings_of

_EDITED = [
    pytest.param(entry.id, text, id=f"{entry.id}-{number}")
    for entry in catalogue()
    if entry.id.startswith("ray/")
    for number, text in enumerate(entry.rule.bad)
    if any(f.rule == entry.id and f.remedy is not None and f.remedy.edits for f in findings_of(text))
]


def test_some_rules_have_edits() -> None:
    assert len(_EDITED) >= 5


@pytest.mark.parametrize(("rule", "text"), _EDITED)
def test_edit_repairs_what_was_found(rule: str, text: str) -> None:
    given = textwrap.dedent(text).lstrip("\n")
    repaired = fixed({FILE: given}, [f for f in findings_of(given) if f.rule == rule], unsafe=True).texts[FILE]
    assert repaired != given
    assert [f.rule for f in findings_of(repaired)] == []
