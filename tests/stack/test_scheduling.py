from __future__ import annotations

from dataclasses import replace

import pytest

from controlplane.stack.facts import ABSENT, Fact, Known
from controlplane.stack.inventory import Taint
from controlplane.stack.pods import Constraints, NodeRequirement, Toleration
from controlplane.stack.scheduling import admits, bears, selects, tolerates
from tests.emit import example
from tests.stack.strategies import WRITTEN

TAINT = Taint("gpu", "present", "NoSchedule")
POOL = replace(example.pool(), labels={"pool": "h100", "gpus": "8"}, taints=(TAINT,))


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration("gpu", "Equal", "present", "NoSchedule"), True),
        (Toleration("gpu", "Equal", "present"), True),
        (Toleration("gpu", "", "present"), True),
        (Toleration("gpu", "Exists"), True),
        (Toleration("", "Exists"), True),
        (Toleration("", "Exists", effect="NoSchedule"), True),
        (Toleration("gpu", "Equal", "absent"), False),
        (Toleration("gpu", "Equal"), False),
        (Toleration("cpu", "Exists"), False),
        (Toleration("gpu", "Exists", effect="NoExecute"), False),
        (Toleration("", "Equal", "present"), False),
        (Toleration("gpu", "Lt", "present"), False),
    ],
)
def test_a_toleration_matches_key_value_and_effect(toleration: Toleration, expected: bool) -> None:
    assert tolerates(toleration, TAINT) is expected


def test_a_preference_keeps_nobody_away() -> None:
    assert bears(Constraints(), Taint("gpu", "present", "PreferNoSchedule"))
    assert not bears(Constraints(), TAINT)


def constraints(requirement: NodeRequirement | None = None, **selector: str) -> Constraints:
    requirements: Fact[tuple[NodeRequirement, ...]] = Known((requirement,), WRITTEN) if requirement else ABSENT
    return Constraints(node_selector=Known(selector, WRITTEN) if selector else ABSENT, node_requirements=requirements)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (constraints(pool="h100"), True),
        (constraints(pool="l40s"), False),
        (constraints(pool="h100", zone="a"), False),
        (constraints(NodeRequirement("pool", "In", ("a", "h100"))), True),
        (constraints(NodeRequirement("pool", "NotIn", ("h100",))), False),
        (constraints(NodeRequirement("zone", "NotIn", ("a",))), True),
        (constraints(NodeRequirement("pool", "Exists")), True),
        (constraints(NodeRequirement("zone", "Exists")), False),
        (constraints(NodeRequirement("zone", "DoesNotExist")), True),
        (constraints(NodeRequirement("gpus", "Gt", ("4",))), True),
        (constraints(NodeRequirement("gpus", "Lt", ("8",))), False),
        (constraints(NodeRequirement("gpus", "Gt", ())), False),
        (constraints(NodeRequirement("pool", "Gt", ("4",))), False),
        (constraints(NodeRequirement("pool", "Like", ("h",))), False),
        (constraints(NodeRequirement("pool", "Exists"), pool="l40s"), False),
        (Constraints(), False),
    ],
)
def test_labels_select_a_pool_as_the_scheduler_filters(asked: Constraints, expected: bool) -> None:
    assert selects(asked, POOL) is expected


def test_a_pool_admits_only_who_bears_its_taints() -> None:
    tolerating = Constraints(tolerations=Known((Toleration("gpu", "Exists"),), WRITTEN))
    assert admits(tolerating, POOL)
    assert not admits(Constraints(), POOL)
    assert not admits(replace(tolerating, node_selector=Known({"pool": "l40s"}, WRITTEN)), POOL)
