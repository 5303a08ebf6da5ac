from __future__ import annotations

import pytest

from controlplane.rules import catalogue
from tests.mutations.links.chain import LINKS
from tests.mutations.links.link import Link
from tests.mutations.proof import SEEDS, mutations
from tests.mutations.slots import names, rendered, template
from tests.mutations.verdicts import said

_LINKS = [pytest.param(link, id=f"{link.base}-{link.name}".replace(" ", "-")) for link in LINKS]

_WITHOUT_MUTATION = {
    "kubernetes/rollout-needs-volume-twice": "a hint at what a rollout needs, where nothing is broken",
    "cross/scales-on-utilisation": "taking the other metric out is two mutations; the rule's examples show it",
    "kubernetes/autoscaler-target-not-scalable": "no good manifest names a target of another kind",
    "ray/accelerator-type-unseen-by-autoscaler": "the good manifest would have to lack what the rule asks for",
}


@pytest.mark.parametrize("name", names())
def test_unbroken_manifest_is_clean(name: str) -> None:
    found = said(rendered(template(name), {}).text)
    assert [f"{f.span.line}: {f.rule}: {f.message}" for f in found] == []


@pytest.mark.parametrize("link", _LINKS)
def test_broken_link_is_found_on_its_line_and_nothing_else_is(link: Link) -> None:
    for outcome in mutations(link, SEEDS):
        assert (outcome.verdict, outcome.false) == ("caught", ()), (outcome.values, outcome.found)


def test_links_name_rules_that_exist() -> None:
    known = {entry.id for entry in catalogue()}
    named = {rule for link in LINKS for rule in (*link.rules, *link.also)}
    assert {rule for rule in named if not rule.startswith("policy/")} <= known


def test_every_rule_has_a_mutation_that_it_catches() -> None:
    caught = {rule for link in LINKS for rule in link.rules}
    assert {entry.id for entry in catalogue()} - caught == set(_WITHOUT_MUTATION)


def test_every_good_manifest_is_broken() -> None:
    assert {link.base for link in LINKS} == set(names())
