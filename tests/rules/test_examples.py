"""Every rule's own examples: it fires where they say, and what it calls good is clean under all rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import controlplane.rules
from controlplane.rules import CataloguedRule, catalogue
from controlplane.rules.catalogue import FAMILIES
from tests.rules.judging import findings_of, marked_lines

_ALL = [pytest.param(entry, id=entry.id) for entry in catalogue()]
_BAD = [pytest.param(e, text, id=f"{e.id}-{n}") for e in catalogue() for n, text in enumerate(e.rule.bad)]
_GOOD = [pytest.param(e, text, id=f"{e.id}-{n}") for e in catalogue() for n, text in enumerate(e.rule.good)]


@pytest.mark.parametrize(("entry", "text"), _BAD)
def test_bad_example_fires_the_rule_exactly_where_it_is_marked(entry: CataloguedRule, text: str) -> None:
    found = findings_of(text)
    assert sorted(f.span.line for f in found if f.rule == entry.id) == marked_lines(text)
    assert marked_lines(text)
    assert {f.rule for f in found} <= {entry.id, *entry.rule.also}


@pytest.mark.parametrize(("entry", "text"), _GOOD)
def test_good_example_is_clean_under_all_rules(entry: CataloguedRule, text: str) -> None:
    assert [f"{f.span.line}: {f.rule}: {f.message}" for f in findings_of(text)] == []


@pytest.mark.parametrize("entry", _ALL)
def test_rule_says_all_that_its_page_needs(entry: CataloguedRule) -> None:
    rule = entry.rule
    assert rule.bad
    assert rule.good
    assert entry.title.endswith(".")
    assert rule.remedy.endswith(".")
    assert rule.rationale.endswith(".")


@pytest.mark.parametrize("entry", _ALL)
def test_finding_has_a_place_and_a_remedy(entry: CataloguedRule) -> None:
    found = [f for text in entry.rule.bad for f in findings_of(text) if f.rule == entry.id]
    for finding in found:
        assert finding.span.file
        assert finding.remedy is not None
        assert finding.remedy.text.endswith(".")


def test_every_file_in_the_folders_of_rules_is_a_rule() -> None:
    root = Path(controlplane.rules.__file__).parent
    files = {
        f"{family}/{path.stem.replace('_', '-')}"
        for family in FAMILIES
        for path in (root / family).glob("*.py")
        if not path.stem.startswith("_")
    }
    assert files == {entry.id for entry in catalogue()}


def test_also_names_rules_that_exist() -> None:
    known = {entry.id for entry in catalogue()} | {"kubernetes/field-type"}
    assert {name for entry in catalogue() for name in entry.rule.also} <= known
