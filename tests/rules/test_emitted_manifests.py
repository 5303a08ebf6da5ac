from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.judging import findings_of

GOLDEN = Path(__file__).parents[1] / "golden"
_EMITTED = sorted(path.name for path in GOLDEN.glob("*.yaml") if not path.name.endswith(".explained.yaml"))


@pytest.mark.parametrize("name", _EMITTED)
def test_what_policies_compile_to_is_clean_under_all_rules(name: str) -> None:
    found = findings_of((GOLDEN / name).read_text(encoding="utf-8"))
    assert [f"{f.span.line}: {f.rule}: {f.message}" for f in found] == []


def test_there_is_something_emitted() -> None:
    assert len(_EMITTED) >= 3
