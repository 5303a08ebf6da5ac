from __future__ import annotations

import pytest

from controlplane.rules import catalogue
from tests.mutations.links import LINKS, Link
from tests.mutations.proof import SEEDS, mutated
from tests.mutations.slots import names, rendered, template
from tests.rules.judging import findings_of

_LINKS = [pytest.param(link, id=f"{link.base}-{link.name}".replace(" ", "-")) for link in LINKS]


@pytest.mark.parametrize("name", names())
def test_unbroken_manifest_is_clean(name: str) -> None:
    found = findings_of(rendered(template(name), {}).text)
    assert [f"{f.span.line}: {f.rule}: {f.message}" for f in found] == []


@pytest.mark.parametrize("link", _LINKS)
def test_broken_link_is_found_on_its_line(link: Link) -> None:
    for seed in range(SEEDS):
        outcome = mutated(link, seed)
        assert outcome.verdict == "caught", (outcome.values, outcome.found)


def test_links_name_rules_that_exist() -> None:
    known = {entry.id for entry in catalogue()}
    assert {rule for link in LINKS for rule in link.rules} <= known
