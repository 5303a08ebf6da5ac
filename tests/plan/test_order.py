"""What others need, the workload, what watches it."""

from __future__ import annotations

import pytest

from controlplane.plan.order import Stage, in_apply_order, stage
from controlplane.stack.references import ObjectRef
from tests.plan.realistic import config_map, deployment, disruption_budget, emitted, service


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Namespace", Stage.NEEDED),
        ("PersistentVolumeClaim", Stage.NEEDED),
        ("RoleBinding", Stage.NEEDED),
        ("Service", Stage.NEEDED),
        ("Deployment", Stage.WORKLOAD),
        ("RayService", Stage.WORKLOAD),
        ("SomethingNew", Stage.WORKLOAD),
        ("PodDisruptionBudget", Stage.WATCHING),
        ("HTTPRoute", Stage.WATCHING),
    ],
)
def test_the_stage_of_a_kind(kind: str, expected: Stage) -> None:
    assert stage(ObjectRef("v1", kind, "llm", "chat")) is expected


def test_objects_are_ordered_by_kind_and_stay_in_place_within_one() -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm"}}
    second = {**config_map(), "metadata": {"name": "a-second", "namespace": "llm"}}
    mixed = [disruption_budget(), deployment(), service(), config_map(), second, space]
    ordered = [each.ref for each in in_apply_order(emitted(m) for m in mixed)]
    assert [ref.kind for ref in ordered] == [
        *("Namespace", "ConfigMap", "ConfigMap", "Service", "Deployment", "PodDisruptionBudget")
    ]
    assert [ref.name for ref in ordered if ref.kind == "ConfigMap"] == ["chat", "a-second"]
