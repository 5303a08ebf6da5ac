"""Placement groups onto Ray nodes: certain answers, and what stays undecided."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.placement.bundles import Answer, Gang, RayNodes, Strategy, hold, ray_amounts, together


def nodes(count: int | None, gpus: float, cpus: float = 8, name: str = "gpu") -> RayNodes:
    return RayNodes(name, ray_amounts({"GPU": gpus, "CPU": cpus}), count)


def gang(strategy: Strategy, *gpus: float) -> Gang:
    return Gang(tuple(ray_amounts({"GPU": each}) for each in gpus), strategy)


def test_bundles_of_one_gpu_fill_the_nodes() -> None:
    assert hold([gang(Strategy.PACK, *[1] * 16)], [nodes(2, 8)]) is Answer.FITS
    assert hold([gang(Strategy.PACK, *[1] * 17)], [nodes(2, 8)]) is Answer.IMPOSSIBLE


def test_bundle_larger_than_every_node_fits_nowhere_however_many_there_are() -> None:
    assert hold([gang(Strategy.PACK, 4)], [nodes(None, 2)]) is Answer.IMPOSSIBLE
    assert nodes(None, 2).holds(ray_amounts({"GPU": 2}))
    assert not nodes(None, 2).holds(ray_amounts({"GPU": 2.0001}))


def test_sum_that_is_enough_is_not_enough_when_it_is_split() -> None:
    assert hold([gang(Strategy.PACK, 3, 3, 3)], [nodes(3, 4)]) is Answer.FITS
    assert hold([gang(Strategy.PACK, 3, 3, 3, 3)], [nodes(3, 4)]) is Answer.IMPOSSIBLE
    assert hold([gang(Strategy.PACK, 3, 3, 2)], [nodes(2, 4)]) is Answer.IMPOSSIBLE


def test_strict_pack_needs_one_node_for_all() -> None:
    assert hold([gang(Strategy.STRICT_PACK, 4, 4)], [nodes(2, 8)]) is Answer.FITS
    assert hold([gang(Strategy.STRICT_PACK, 8, 8)], [nodes(2, 8)]) is Answer.IMPOSSIBLE


def test_strict_spread_needs_a_node_for_each() -> None:
    assert hold([gang(Strategy.STRICT_SPREAD, 1, 1)], [nodes(2, 8)]) is Answer.FITS
    assert hold([gang(Strategy.STRICT_SPREAD, 1, 1, 1)], [nodes(2, 8)]) is Answer.IMPOSSIBLE
    assert hold([gang(Strategy.STRICT_SPREAD, 1, 1, 1)], [nodes(None, 8)]) is Answer.FITS
    assert hold([gang(Strategy.STRICT_SPREAD, 1, 1)] * 4, [nodes(2, 8)]) is Answer.FITS


def test_nodes_that_take_no_bundle_do_not_help_strict_spread() -> None:
    assert hold([gang(Strategy.STRICT_SPREAD, 1, 1)], [nodes(1, 8), nodes(5, 0, name="cpu")]) is Answer.IMPOSSIBLE


def test_gangs_share_the_nodes() -> None:
    assert hold([gang(Strategy.STRICT_PACK, 4, 4)] * 2, [nodes(2, 8)]) is Answer.FITS
    assert hold([gang(Strategy.STRICT_PACK, 4, 4)] * 3, [nodes(2, 8)]) is Answer.IMPOSSIBLE


def test_every_resource_counts() -> None:
    wants = Gang((ray_amounts({"GPU": 1, "CPU": 5}),) * 2)
    assert hold([wants], [nodes(1, 8, cpus=8)]) is Answer.IMPOSSIBLE
    assert hold([wants], [nodes(1, 8, cpus=10)]) is Answer.FITS


def test_resource_of_unknown_amount_takes_anything() -> None:
    unknown = RayNodes("gpu", ray_amounts({"GPU": 8}), 1, frozenset({"CPU"}))
    assert hold([Gang((ray_amounts({"GPU": 1, "CPU": 500}),) * 8)], [unknown]) is Answer.FITS
    assert hold([Gang((ray_amounts({"GPU": 1, "CPU": 500}),) * 9)], [unknown]) is Answer.IMPOSSIBLE


def test_nothing_fits_everywhere() -> None:
    assert hold([], []) is Answer.FITS
    assert hold([Gang((ray_amounts({"GPU": 0}),))], [nodes(1, 0)]) is Answer.FITS


def test_bundles_that_ask_for_nothing_still_need_a_node() -> None:
    assert hold([Gang(({},))], []) is Answer.IMPOSSIBLE


def test_nodes_that_may_never_be_started_hold_nothing() -> None:
    assert hold([gang(Strategy.PACK, 1)], [nodes(0, 8)]) is Answer.IMPOSSIBLE


def test_search_that_would_take_too_long_is_undecided() -> None:
    sizes = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13]
    hard = [Gang((ray_amounts({"GPU": size}),)) for size in sizes]
    assert hold(hard, [nodes(4, 19)], effort=3) is Answer.UNDECIDED


def test_many_bundles_are_judged_by_simple_bounds() -> None:
    assert hold([gang(Strategy.PACK, *[1] * 1000)], [nodes(100, 8)]) is Answer.IMPOSSIBLE
    assert hold([gang(Strategy.PACK, *[3] * 1000)], [nodes(400, 8)]) is Answer.IMPOSSIBLE
    assert hold([gang(Strategy.PACK, *[1] * 1000)], [nodes(125, 8)]) is Answer.UNDECIDED


def test_amounts_are_ten_thousandths_as_ray_counts_them() -> None:
    assert ray_amounts({"GPU": 0.1}) == {"GPU": 1000}
    assert together([ray_amounts({"GPU": 0.1})] * 3) == ray_amounts({"GPU": 0.3})


_AMOUNTS = st.fixed_dictionaries({"CPU": st.integers(0, 4), "GPU": st.integers(0, 3)})
_GANGS = st.builds(
    lambda bundles, strategy: Gang(tuple(bundles), strategy),
    st.lists(_AMOUNTS, min_size=1, max_size=3),
    st.sampled_from(list(Strategy)),
)
_NODES = st.builds(lambda amounts, count: RayNodes("n", amounts, count), _AMOUNTS, st.integers(0, 2))


@settings(max_examples=150, deadline=None)
@given(st.lists(_GANGS, max_size=2), st.lists(_NODES, max_size=2))
def test_answer_is_that_of_trying_everything(gangs: list[Gang], kinds: list[RayNodes]) -> None:
    wanted = Answer.FITS if _by_trying_everything(gangs, kinds) else Answer.IMPOSSIBLE
    assert hold(gangs, kinds) is wanted


def _by_trying_everything(gangs: list[Gang], kinds: list[RayNodes]) -> bool:
    """Every bundle on every node, by the definition of the strategies."""
    machines = [kind.amounts for kind in kinds for _ in range(kind.count or 0)]
    bundles = [(number, bundle) for number, g in enumerate(gangs) for bundle in g.bundles]
    return any(
        _allowed(gangs, machines, bundles, places)
        for places in itertools.product(range(len(machines)), repeat=len(bundles))
    )


def _allowed(gangs: list[Gang], machines: list, bundles: list, places: tuple[int, ...]) -> bool:  # type: ignore[type-arg]
    for index, machine in enumerate(machines):
        here = together(bundle for (_, bundle), place in zip(bundles, places, strict=True) if place == index)
        if any(amount > machine.get(name, 0) for name, amount in here.items()):
            return False
    for number, each in enumerate(gangs):
        used = [place for (owner, _), place in zip(bundles, places, strict=True) if owner == number]
        if each.strategy is Strategy.STRICT_PACK and len(set(used)) > 1:
            return False
        if each.strategy is Strategy.STRICT_SPREAD and len(set(used)) < len(used):
            return False
    return True


_ASKED = json.loads((Path(__file__).parent / "recording" / "ray_scheduler.json").read_text())["cases"]


def test_what_rays_own_scheduler_places_is_never_called_impossible() -> None:
    answers = [(case["placed"], _answer_to(case)) for case in _ASKED]
    assert (True, Answer.IMPOSSIBLE) not in answers
    assert (True, Answer.FITS) in answers
    # It places greedily, so that some it gives up do fit.
    assert [answer for placed, answer in answers if not placed].count(Answer.IMPOSSIBLE) > len(answers) // 4


def _answer_to(case: dict[str, list[list[object]]]) -> Answer:
    kinds = [RayNodes("n", _named(amounts), count) for amounts, count in case["nodes"]]  # type: ignore[arg-type]
    gangs = [
        Gang(tuple(_named(bundle) for bundle in bundles), Strategy(strategy))  # type: ignore[attr-defined, arg-type]
        for strategy, bundles in case["gangs"]
    ]
    return hold(gangs, kinds)


def _named(amounts: list[float]) -> dict[str, int]:
    return dict(ray_amounts({"CPU": amounts[0], "GPU": amounts[1]}))
