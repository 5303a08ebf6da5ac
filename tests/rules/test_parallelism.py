"""Degrees of parallelism as people write them."""

from __future__ import annotations

from controlplane.rules.parallelism import written_factor
from controlplane.source import Dialect, read_yaml
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known, value_of
from controlplane.stack.read import read
from tests.mutations.slots import rendered, template


def _engine(degree: str) -> DeployedEngine:
    text = rendered(template("serve_llm"), {"tp": degree}).text
    [engine] = engines_of(read(read_yaml(text.encode(), "a.yaml", Dialect.KUBERNETES).documents).stack)
    return engine


def test_factor_to_point_at_is_the_largest_that_is_written() -> None:
    fact = written_factor(_engine("4"))
    assert isinstance(fact, Known)
    assert value_of(fact) == 4


def test_truth_value_is_no_factor() -> None:
    assert not isinstance(written_factor(_engine("true")), Known)
