"""A plan as people read it."""

from __future__ import annotations

from typing import Any

from controlplane.cli.views import plan_text
from controlplane.plan.changes import Action, Change, ChangeSet, FieldAction, FieldChange, Precondition, Reason
from controlplane.stack.references import ObjectRef

REF = ObjectRef("apps/v1", "Deployment", "llm", "chat")


def field(action: FieldAction, before: Any, after: Any) -> FieldChange:
    return FieldChange(("spec", "args"), "spec.args", action, before, after)


def rendered(*fields: FieldChange) -> str:
    change = Change(REF, Action.UPDATE, Reason.FIELDS_DIFFER, None, Precondition("u", "d"), fields)
    return plan_text.render(ChangeSet((change,)), colour=False)


def test_only_what_left_a_list_and_what_came_in_is_shown() -> None:
    before = ["--served-model-name=a-name-that-alone-fills-the-line-of-a-terminal", "--max-num-seqs=64", "--seed=1"]
    less = rendered(field(FieldAction.CHANGED, before, [before[0], before[2]]))
    assert '~ spec.args: without "--max-num-seqs=64"' in less
    more = rendered(field(FieldAction.CHANGED, before, [*before, "--enforce-eager"]))
    assert '~ spec.args: with "--enforce-eager"' in more
    other = rendered(field(FieldAction.CHANGED, before, [before[0], "--max-num-seqs=32", before[2]]))
    assert '~ spec.args: "--max-num-seqs=64" -> "--max-num-seqs=32"' in other


def test_lists_without_a_common_item_and_a_new_order_are_told_as_such() -> None:
    assert '~ spec.args: ["a"] -> ["b"]' in rendered(field(FieldAction.CHANGED, ["a"], ["b"]))
    assert "the same items, in another order" in rendered(field(FieldAction.CHANGED, ["a", "b"], ["b", "a"]))


def test_an_adopted_object_is_one_line_and_not_one_for_each_of_its_fields() -> None:
    text = rendered(*(field(FieldAction.ADOPTED, "v", "v") for _ in range(80)))
    assert "= 80 fields are as the policies say already, and become ours" in text
    assert len(text.splitlines()) == 5
