"""What Ray nodes have and what replicas ask for, as the rules count it."""

from __future__ import annotations

from controlplane.placement.bundles import RayNodes, Strategy, ray_amounts
from controlplane.rules.ray_arithmetic import (
    amount_in_words,
    demand_of,
    fewest_replicas,
    in_words,
    is_provided,
    nodes_at_most,
    shortfall,
    version_numbers,
)
from controlplane.stack.facts import ABSENT, Derived, Known, Unknown, Why
from controlplane.stack.pods import Count, CountOwner
from controlplane.stack.ray import RayAutoscaling, RayCluster, RayGroup, RayResources
from controlplane.stack.serve import Bundle, PlacementGroup, ServeDeployment

_HERE = Derived("a test")
_ONE = Known(1, _HERE)


def count(low: int, desired: int, high: int) -> Count:
    return Count(Known(low, _HERE), Known(desired, _HERE), Known(high, _HERE))


def cluster(*, autoscaled: bool = False, version: str = "2.60.0") -> RayCluster:
    autoscaling = RayAutoscaling(enabled=Known(True, _HERE)) if autoscaled else RayAutoscaling()
    return RayCluster(RayGroup("head", is_head=True), autoscaling=autoscaling, version=Known(version, _HERE))


def llm(actor: RayResources, *bundles: dict[str, float]) -> ServeDeployment:
    made = tuple(Bundle({name: Known(amount, _HERE) for name, amount in each.items()}) for each in bundles)
    return ServeDeployment(
        Known("chat", _HERE),
        "app",
        Count(_ONE, _ONE, _ONE),
        actor=actor,
        placement_group=PlacementGroup(Known(made, _HERE)),
        is_llm=True,
    )


def test_nodes_are_replicas_within_their_bounds_times_hosts() -> None:
    group, two = RayGroup("gpu"), Known(2, _HERE)
    assert nodes_at_most(cluster(), group, count(1, 3, 8), _ONE) == 3
    assert nodes_at_most(cluster(), group, count(1, 9, 8), two) == 16
    assert nodes_at_most(cluster(), group, count(1, 0, 8), _ONE) == 1
    assert nodes_at_most(cluster(autoscaled=True), group, count(1, 3, 8), two) == 16
    assert nodes_at_most(cluster(), RayGroup("head", is_head=True), count(0, 0, 0), two) == 1


def test_number_of_nodes_that_is_not_known_is_not_bounded() -> None:
    unknown = Count(_ONE, Unknown(Why.TEMPLATED), Unknown(Why.TEMPLATED))
    assert nodes_at_most(cluster(), RayGroup("gpu"), unknown, _ONE) is None
    assert nodes_at_most(cluster(autoscaled=True), RayGroup("gpu"), unknown, _ONE) is None
    assert nodes_at_most(cluster(), RayGroup("gpu"), count(1, 1, 1), Unknown(Why.TEMPLATED)) is None


def test_first_bundle_of_serve_llm_holds_the_replicas_actor_too() -> None:
    demand = demand_of(llm(RayResources(), {"GPU": 1}, {"GPU": 1}), cluster())
    assert demand is not None
    assert demand.bundles == (ray_amounts({"GPU": 1, "CPU": 1}), ray_amounts({"GPU": 1}))
    assert demand.strategy is Strategy.PACK


def test_actor_of_older_serve_llm_is_left_out() -> None:
    demand = demand_of(llm(RayResources(), {"GPU": 1}), cluster(version="2.46.0"))
    assert demand is not None
    assert demand.bundles == (ray_amounts({"GPU": 1}),)


def test_strategy_that_is_not_known_is_not_judged() -> None:
    deployment = llm(RayResources(), {"GPU": 1})
    group = PlacementGroup(deployment.placement_group.bundles, Unknown(Why.TEMPLATED))  # type: ignore[union-attr]
    unknown = ServeDeployment(Known("chat", _HERE), "app", deployment.replicas, placement_group=group)
    assert demand_of(unknown, cluster()) is None


def test_amounts_that_are_not_known_are_not_asked_for() -> None:
    actor = RayResources(cpu=Unknown(Why.TEMPLATED), gpu=Known(2.0, _HERE))
    plain = ServeDeployment(Known("chat", _HERE), "app", Count(_ONE, _ONE, _ONE), actor=actor)
    demand = demand_of(plain, cluster())
    assert demand is not None
    assert demand.bundles == (ray_amounts({"GPU": 2}),)


def test_fewest_replicas_are_the_minimum_where_serve_scales() -> None:
    scaled = Count(Known(2, _HERE), Unknown(Why.RUNTIME), Known(8, _HERE), CountOwner.SERVE)
    assert fewest_replicas(ServeDeployment(ABSENT, "app", scaled, autoscaled=True)) == 2
    assert fewest_replicas(ServeDeployment(ABSENT, "app", count(3, 3, 3))) == 3
    from_code = Unknown(Why.UNRESOLVED, "the application's code")
    assert fewest_replicas(ServeDeployment(ABSENT, "app", Count(from_code, from_code, from_code))) == 0


def test_shortfall_names_the_resource_and_the_largest_node() -> None:
    nodes = [RayNodes("head", ray_amounts({"CPU": 2})), RayNodes("gpu", ray_amounts({"CPU": 4, "GPU": 1}))]
    found = shortfall(ray_amounts({"CPU": 8}), nodes)
    assert found is not None
    assert (found.resource, found.asked, found.largest, found.group) == ("CPU", 8.0, 4.0, "gpu")
    assert shortfall(ray_amounts({"CPU": 4, "GPU": 1}), nodes) is None


def test_shortfall_of_the_whole_names_no_resource() -> None:
    nodes = [RayNodes("cpu", ray_amounts({"CPU": 8})), RayNodes("gpu", ray_amounts({"CPU": 1, "GPU": 1}))]
    found = shortfall(ray_amounts({"CPU": 4, "GPU": 1}), nodes)
    assert found is not None
    assert found.resource == ""


def test_custom_resources_are_provided_where_some_node_may_have_them() -> None:
    known = RayNodes("a", ray_amounts({"CPU": 2}))
    assert not is_provided(ray_amounts({"rack": 1}), [known])
    assert is_provided(ray_amounts({"CPU": 64}), [known])
    assert is_provided(ray_amounts({"rack": 1}), [known, RayNodes("b", {}, 1, frozenset({"rack"}))])


def test_amounts_read_as_ray_names_them() -> None:
    assert in_words(ray_amounts({"GPU": 1, "CPU": 0.5})) == "0.5 CPU and 1 GPU"
    assert in_words({}) == "nothing"
    assert amount_in_words("memory", 3 * 2**30) == "3 GiB of memory"


def test_version_is_its_first_two_numbers() -> None:
    assert version_numbers("2.52.1") == (2, 52)
    assert version_numbers("nightly") == ()
    assert version_numbers(None) == ()
