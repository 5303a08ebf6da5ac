"""A plan's preconditions survive their short form."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from controlplane.emit.bundle import EmittedObject, Manifest
from controlplane.plan.changes import Action, Change, Reason
from controlplane.plan.staleness import precondition, stale
from controlplane.stack.references import ObjectRef
from controlplane.workflows.binding import bind, key_of, precondition_of, ref_of

REF = ObjectRef("apps/v1", "Deployment", "llm", "chat")
DESIRED: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "chat", "namespace": "llm", "labels": {"app": "chat"}},
    "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "vllm", "image": "new"}]}}},
}
LIVE: Manifest = {
    **DESIRED,
    "metadata": {**DESIRED["metadata"], "uid": "u-1", "resourceVersion": "7", "managedFields": []},
    "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "vllm", "image": "old"}]}}},
}


def change(action: Action = Action.UPDATE, live: Manifest | None = LIVE) -> Change:
    """One change of a plan."""
    desired = EmittedObject(REF, DESIRED, {}, "llm/chat")
    return Change(REF, action, Reason.FIELDS_DIFFER, desired, precondition(DESIRED, live))


def test_a_precondition_comes_back_field_by_field() -> None:
    planned = bind(change())
    assert precondition_of(planned, DESIRED, LIVE) == precondition(DESIRED, LIVE)
    assert stale(REF, precondition_of(planned, DESIRED, LIVE), DESIRED, LIVE) is None


def test_a_changed_field_is_named() -> None:
    planned = bind(change())
    edited = {**LIVE, "spec": {**LIVE["spec"], "replicas": 3}}
    found = stale(REF, precondition_of(planned, DESIRED, edited), DESIRED, edited)
    assert found is not None
    assert found.label == "spec.replicas"


def test_an_object_that_was_absent_is_bound_to_its_absence() -> None:
    planned = bind(change(Action.CREATE, live=None))
    assert planned.uid == ""
    assert stale(REF, precondition_of(planned, DESIRED, None), DESIRED, None) is None
    assert stale(REF, precondition_of(planned, DESIRED, LIVE), DESIRED, LIVE) is not None


def test_replacement_deletion_and_force_are_kept() -> None:
    assert bind(change(Action.REPLACE)).replace
    assert bind(replace(change(Action.DELETE), desired=None)).delete
    assert bind(change(), force=True).force


def test_a_bound_object_is_small_and_holds_no_value() -> None:
    text = json.dumps(asdict(bind(change())))
    assert len(text) < 500
    assert "old" not in text
    assert "new" not in text


def test_references_travel_both_ways() -> None:
    assert ref_of(key_of(REF)) == REF
    assert str(key_of(REF)) == str(REF)
