from __future__ import annotations

from controlplane.stack.facts import value_of
from controlplane.stack.references import PriorityClass
from tests.stack.manifests import read_text


def test_a_priority_class_has_its_value() -> None:
    head = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"
    text = head + "value: 1000\nglobalDefault: false\npreemptionPolicy: Never\n"
    (found,) = read_text(text).stack.references
    assert isinstance(found, PriorityClass)
    values = (value_of(found.value), value_of(found.global_default), value_of(found.preemption_policy))
    assert values == (1000, False, "Never")
