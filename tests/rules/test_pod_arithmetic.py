"""Sums and roundings that rules share, as Kubernetes makes them."""

from __future__ import annotations

import pytest

from controlplane.rules.pod_arithmetic import RollingUpdate, rolling_update, scaled, shown
from controlplane.stack.facts import ABSENT, Derived, Fact, Known, Unknown, Why
from controlplane.stack.model import Strategy

_HERE = Derived("given")


def _known(value: int | str) -> Fact[int | str]:
    return Known(value, _HERE)


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable"), [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 1), (5, 2, 1), (10, 3, 2)]
)
def test_default_rounds_surge_up_and_unavailable_down(replicas: int, surge: int, unavailable: int) -> None:
    assert rolling_update(Strategy(), replicas) == RollingUpdate(surge, unavailable)


def test_one_pod_may_be_missing_where_both_come_to_nothing() -> None:
    """Kubernetes, `ResolveFenceposts`: 0 and 1 % of 10 rounded down would never end."""
    strategy = Strategy(max_surge=_known(0), max_unavailable=_known("1%"))
    assert rolling_update(strategy, 10) == RollingUpdate(0, 1)


def test_other_strategies_and_unknown_numbers_are_no_rolling_update() -> None:
    assert rolling_update(Strategy(type=Known("Recreate", _HERE)), 3) is None
    assert rolling_update(Strategy(type=Unknown(Why.TEMPLATED)), 3) is None
    assert rolling_update(Strategy(max_surge=Unknown(Why.TEMPLATED)), 3) is None
    assert rolling_update(Strategy(max_unavailable=_known("a third")), 3) is None


def test_percentage_is_read_of_the_whole() -> None:
    assert (scaled("90%", 1, up=True), scaled("90%", 1, up=False)) == (1, 0)
    assert (scaled(3, 10, up=True), scaled("3", 10, up=True), scaled(None, 10, up=True)) == (3, None, None)


def test_amounts_are_shown_as_people_write_them() -> None:
    assert shown("memory", 16 * 2**30 * 10**9) == "16Gi"
    assert shown("limits.memory", 9048576 * 10**3 * 10**9) == "8836500Ki"
    assert shown("cpu", 4820 * 10**6) == "4820m"
    assert shown("nvidia.com/gpu", 2 * 10**9) == "2"


def test_nothing_is_known_of_an_absent_count() -> None:
    assert rolling_update(Strategy(max_surge=ABSENT, max_unavailable=ABSENT), 0) == RollingUpdate(0, 1)
