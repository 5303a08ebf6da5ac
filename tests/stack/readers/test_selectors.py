from __future__ import annotations

from controlplane.stack.facts import Unknown, value_of
from controlplane.stack.references import DisruptionBudget
from tests.stack.manifests import read_text


def test_a_selector_of_one_value_each_is_a_selector_of_labels() -> None:
    head = (
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchExpressions: "
    )
    (one,) = read_text(head + "[{key: app, operator: In, values: [chat]}]}}\n").stack.references
    (two,) = read_text(head + "[{key: app, operator: In, values: [chat, code]}]}}\n").stack.references
    assert isinstance(one, DisruptionBudget)
    assert isinstance(two, DisruptionBudget)
    assert value_of(one.selector) == {"app": "chat"}
    assert isinstance(two.selector, Unknown)
