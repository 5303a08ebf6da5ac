"""Which machines take a pod: what is sure is a refusal, all else may run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane.rules.machines import LabelRefusal, TaintRefusal, candidates, lacking, refusal
from controlplane.source import parse_quantity
from controlplane.stack.facts import ABSENT, Derived, Fact, Known, OneOf, Unknown, Why
from controlplane.stack.inventory import NodePool, Taint
from controlplane.stack.pods import Constraints, Container, Count, NodeRequirement, PodSet, Toleration

_HERE = Derived("given")
_TWO = Known(2, _HERE)
_POOL = NodePool(
    "gpu",
    Count(_TWO, _TWO, _TWO),
    {"cpu": parse_quantity("8"), "nvidia.com/gpu": parse_quantity("4")},
    labels={"tier": "gpu"},
    varying_labels=frozenset({"zone"}),
)
_TAINTED = replace(_POOL, taints=(Taint("nvidia.com/gpu", "present"),))


def _pods(constraints: Constraints | None = None, **limits: str) -> PodSet:
    amounts = {name.replace("__", "/"): Known(parse_quantity(text), _HERE) for name, text in limits.items()}
    one = Known(1, _HERE)
    pods = PodSet("p", Count(one, one, one), one, (Container("c", ABSENT, limits=amounts),))
    return replace(pods, constraints=constraints or Constraints())


def _affinity(*alternatives: tuple[NodeRequirement, ...]) -> Constraints:
    required: Fact[tuple[NodeRequirement, ...]] = (
        OneOf(alternatives, _HERE) if len(alternatives) > 1 else Known(alternatives[0], _HERE)
    )
    return Constraints(node_requirements=required)


def test_label_with_another_value_is_refused() -> None:
    found = refusal(_pods(Constraints(node_selector=Known({"tier": "cpu"}, _HERE))), _POOL)
    assert found == LabelRefusal("gpu", "tier", "tier: cpu", "gpu")


def test_label_that_differs_among_the_nodes_may_be_there() -> None:
    assert refusal(_pods(Constraints(node_selector=Known({"zone": "a"}, _HERE))), _POOL) is None


def test_label_that_no_node_has_is_refused_unless_only_a_fleet_speaks() -> None:
    pods = _pods(Constraints(node_selector=Known({"rack": "7"}, _HERE)))
    assert isinstance(refusal(pods, _POOL), LabelRefusal)
    assert refusal(pods, replace(_POOL, varying_labels=None)) is None


def test_one_alternative_of_an_affinity_is_enough() -> None:
    gpu, cpu = NodeRequirement("tier", "In", ("gpu",)), NodeRequirement("tier", "In", ("cpu",))
    assert refusal(_pods(_affinity((cpu,), (gpu,))), _POOL) is None
    assert isinstance(refusal(_pods(_affinity((cpu,), (gpu, cpu))), _POOL), LabelRefusal)


def test_taint_keeps_away_whom_it_is_not_tolerated_by() -> None:
    assert refusal(_pods(cpu="1"), _TAINTED) == TaintRefusal("gpu", Taint("nvidia.com/gpu", "present"))
    bears = Constraints(tolerations=Known((Toleration("nvidia.com/gpu", "Exists"),), _HERE))
    assert refusal(_pods(bears, cpu="1"), _TAINTED) is None


def test_taint_named_as_a_resource_is_tolerated_for_who_asks_for_the_resource() -> None:
    assert refusal(_pods(None, **{"nvidia.com__gpu": "1"}), _TAINTED) is None


@pytest.mark.parametrize(
    "constraints",
    [
        Constraints(tolerations=Unknown(Why.TEMPLATED)),
        Constraints(node_selector=Unknown(Why.TEMPLATED), tolerations=Unknown(Why.TEMPLATED)),
    ],
)
def test_what_is_not_known_refuses_nothing(constraints: Constraints) -> None:
    assert refusal(_pods(constraints, cpu="1"), _TAINTED) is None


def test_runtime_class_may_add_tolerations() -> None:
    pods = replace(_pods(cpu="1"), runtime_class=Known("nvidia", _HERE))
    assert refusal(pods, _TAINTED) is None


def test_resource_that_a_fleet_does_not_speak_of_is_not_lacking() -> None:
    requests = {"rdma/hca": 10**9, "ephemeral-storage": 10**9, "nvidia.com/mig-1g.10gb": 10**9, "cpu": 9 * 10**9}
    assert dict(lacking(requests, replace(_POOL, varying_labels=None))) == {
        "nvidia.com/mig-1g.10gb": 0,
        "cpu": 8 * 10**9,
    }


def test_pool_without_the_gpus_that_are_asked_for_is_no_candidate() -> None:
    pool = replace(_POOL, varying_labels=None)
    bare = replace(pool, name="cpu", allocatable={"cpu": parse_quantity("64")})
    asked = {"nvidia.com/gpu": 2 * 10**9, "cpu": 10**9}
    assert candidates((bare, pool), asked) == (pool,)
    assert candidates((bare,), asked) == (bare,)
    assert candidates((bare, pool), {"cpu": 10**9}) == (bare, pool)
    assert candidates((bare, pool), {"nvidia.com/gpu": 8 * 10**9}) == (pool,)
    assert candidates((bare, pool), {"example.com/nic": 10**9}) == (bare, pool)
