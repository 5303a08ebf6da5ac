"""What a pod asks of a node."""

from __future__ import annotations

from dataclasses import replace

from controlplane.placement import limits_of, requests_of
from controlplane.source import Quantity, parse_quantity
from controlplane.stack.facts import ABSENT, Derived, Fact, Known
from controlplane.stack.pods import Container, Count, PodSet

ONE = 10**9


def quantity(text: str) -> Fact[Quantity]:
    return Known(parse_quantity(text), Derived("test"))


def pod_set(*containers: Container, init: tuple[Container, ...] = ()) -> PodSet:
    count = Known(1, Derived("test"))
    return PodSet("p", Count(count, count, count), count, containers, init)


def container(**requests: str) -> Container:
    return Container("c", ABSENT, requests={key: quantity(text) for key, text in requests.items()})


def test_containers_are_added_up_and_the_pod_counts_as_one() -> None:
    found = requests_of(pod_set(container(cpu="500m", memory="1Gi"), container(cpu="1")))
    assert found == {"cpu": 3 * ONE // 2, "memory": (1 << 30) * ONE, "pods": ONE}


def test_largest_init_container_counts_where_it_asks_for_more() -> None:
    found = requests_of(pod_set(container(cpu="1"), init=(container(cpu="4"), container(cpu="2", memory="1"))))
    assert found == {"cpu": 4 * ONE, "memory": ONE, "pods": ONE}


def test_limit_stands_in_for_a_missing_request() -> None:
    limited = Container(
        "c", ABSENT, requests={"cpu": quantity("1")}, limits={"cpu": quantity("2"), "a/b": quantity("3")}
    )
    assert requests_of(pod_set(limited)) == {"cpu": ONE, "a/b": 3 * ONE, "pods": ONE}


def test_amount_that_is_not_known_counts_as_nothing() -> None:
    assert requests_of(pod_set(Container("c", ABSENT, requests={"cpu": ABSENT}))) == {"pods": ONE}


def sidecar(**requests: str) -> Container:
    return replace(container(**requests), restart_policy=Known("Always", Derived("test")))


def test_sidecar_runs_beside_the_containers() -> None:
    found = requests_of(pod_set(container(cpu="1"), init=(sidecar(cpu="500m"),)))
    assert found["cpu"] == 3 * ONE // 2


def test_init_container_runs_beside_the_sidecars_before_it_only() -> None:
    before = requests_of(pod_set(container(cpu="1"), init=(sidecar(cpu="1"), container(cpu="4"))))
    behind = requests_of(pod_set(container(cpu="1"), init=(container(cpu="4"), sidecar(cpu="1"))))
    assert (before["cpu"], behind["cpu"]) == (5 * ONE, 4 * ONE)


def test_overhead_comes_on_top() -> None:
    found = requests_of(replace(pod_set(container(cpu="1")), overhead={"cpu": quantity("250m")}))
    assert found["cpu"] == 5 * ONE // 4


def test_limits_are_added_up_without_requests_standing_in() -> None:
    limited = Container("c", ABSENT, requests={"cpu": quantity("1")}, limits={"memory": quantity("1Gi")})
    assert limits_of(pod_set(limited, limited)) == {"memory": (2 << 30) * ONE}
