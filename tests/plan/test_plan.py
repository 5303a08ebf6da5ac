"""From observations to a plan: the action, its reason, and nothing done that was not asked for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controlplane.emit.bundle import Manifest
from controlplane.plan.changes import Action, Change, Observed, Reason, Refusal
from controlplane.plan.drift import DriftState, drift
from controlplane.plan.plan import plan, ref_of
from tests.plan.realistic import bundle, config_map, deployment, disruption_budget, service, with_value

_TRIPLES = Path(__file__).parent / "triples"


def observed(name: str) -> tuple[Manifest, Observed]:
    case: dict[str, Any] = json.loads((_TRIPLES / f"{name}.json").read_text())
    refusal = Refusal(**case["refusal"]) if case["refusal"] else None
    return case["wanted"], Observed(ref_of(case["wanted"]), case["live"], case["predicted"], refusal=refusal)


def change_of(wanted: Manifest, seen: Observed, *more: Manifest) -> Change:
    others = [Observed(ref_of(m), None, m) for m in more]
    made = plan(bundle(wanted, *more), [seen, *others])
    return next(change for change in made.changes if change.ref == seen.ref)


def test_every_recorded_case_is_update_or_unchanged_as_its_fields_say() -> None:
    for path in sorted(_TRIPLES.glob("*.json")):
        wanted, seen = observed(path.stem)
        change = change_of(wanted, seen)
        found = drift(bundle(wanted).objects, [seen]).objects[0]
        if seen.predicted is not None:
            assert change.action is (Action.UPDATE if change.fields else Action.UNCHANGED)
            assert found.state is (DriftState.DRIFTED if change.fields else DriftState.SAME)
        assert found.fields == change.fields


def test_an_edit_that_an_apply_cannot_undo_is_drift_all_the_same() -> None:
    wanted, seen = observed("deployment-token-edited-in")
    change = change_of(wanted, seen)
    assert (change.action, change.reason) == (Action.CANNOT_COMPARE, Reason.REFUSED)
    report = drift(bundle(wanted).objects, [seen])
    assert [each.state for each in report.drifted] == [DriftState.DRIFTED]
    assert report.drifted[0].refusal is not None


@pytest.mark.parametrize("status", [403, 500])
def test_a_refusal_that_is_not_about_the_object_is_not_drift(status: int) -> None:
    wanted, seen = observed("deployment-image-edited")
    refused = Observed(seen.ref, seen.live, None, refusal=Refusal(status, "X", "webhook is down"))
    report = drift(bundle(wanted).objects, [refused])
    assert report.drifted == ()
    assert [each.state for each in report.unclear] == [DriftState.CANNOT_COMPARE]
    assert change_of(wanted, refused).fields == ()


@pytest.mark.parametrize(
    ("status", "message", "action"),
    [
        (422, 'Deployment.apps "chat" is invalid: spec.selector: field is immutable', Action.REPLACE),
        (422, "spec.clusterIP: may not be changed once set", Action.REPLACE),
        (422, "updates to statefulset spec for fields other than 'replicas' are forbidden", Action.REPLACE),
        (409, "the field is immutable", Action.REPLACE),
        (422, "spec.replicas: Invalid value: -1", Action.CANNOT_COMPARE),
        (403, "the field is immutable", Action.CANNOT_COMPARE),
    ],
)
def test_only_an_immutable_field_makes_a_replacement(status: int, message: str, action: Action) -> None:
    wanted, seen = observed("deployment-image-edited")
    refused = Observed(seen.ref, seen.live, None, refusal=Refusal(status, "Invalid", message))
    change = change_of(wanted, refused)
    assert change.action is action
    assert change.refusal is not None
    if action is Action.REPLACE:
        assert [f.label for f in change.fields] == ["spec.template.spec.containers[name=vllm].image"]


def test_an_object_that_was_never_ours_is_not_replaced() -> None:
    wanted, seen = observed("deployment-image-edited")
    assert seen.live is not None
    live = {**seen.live, "metadata": {**seen.live["metadata"]}}
    live["metadata"]["managedFields"] = [
        entry for entry in live["metadata"]["managedFields"] if entry["manager"] != "controlplane"
    ]
    refusal = Refusal(422, "Invalid", 'Deployment.apps "chat" is invalid: spec.selector: field is immutable')
    change = change_of(wanted, replace(seen, live=live, predicted=None, refusal=refusal))
    assert change.action is Action.CANNOT_COMPARE
    assert change.refusal is not None
    assert "made by kubectl-edit" in change.refusal.message
    assert "never applied by us" in change.refusal.message


def test_changes_come_in_apply_order_with_their_service() -> None:
    manifests = (disruption_budget(), deployment(), service(), config_map())
    made = plan(bundle(*manifests), [Observed(ref_of(m), None, m) for m in manifests], cluster_uid="c")
    assert [c.ref.kind for c in made.changes] == ["ConfigMap", "Service", "Deployment", "PodDisruptionBudget"]
    assert {c.service for c in made.changes} == {"llm/chat"}
    assert all((c.action, c.reason) == (Action.CREATE, Reason.ABSENT) for c in made.changes)
    assert all(c.precondition.uid is None for c in made.changes)
    assert made.cluster_uid == "c"


def test_a_pending_namespace_is_only_pending_when_the_plan_makes_it() -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "llm"}}
    unseen = Observed(ref_of(config_map()), None, None)
    pending = change_of(config_map(), unseen, space)
    assert (pending.action, pending.reason) == (Action.CREATE, Reason.NAMESPACE_PENDING)
    alone = change_of(config_map(), unseen)
    assert alone.action is Action.CANNOT_COMPARE
    assert alone.refusal is not None
    assert "namespace llm does not exist" in alone.refusal.message


def test_an_object_that_is_being_deleted_cannot_be_compared() -> None:
    wanted, seen = observed("deployment-as-applied")
    assert seen.live is not None
    seen.live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    change = change_of(wanted, seen)
    assert change.action is Action.CANNOT_COMPARE
    assert change.refusal is not None
    assert "2026-01-01T00:00:00Z" in change.refusal.message
    [found] = drift(bundle(wanted).objects, [seen]).unclear
    assert found.refusal == change.refusal


def test_orphans_are_named_and_left_alone() -> None:
    orphan = {**config_map(), "metadata": {"name": "old", "namespace": "llm"}}
    moved = {**deployment(), "apiVersion": "apps/v2"}
    seen = Observed(ref_of(deployment()), None, deployment())
    made = plan(bundle(deployment()), [seen], orphans=[orphan, orphan, moved])
    assert len(made.notes) == 1
    assert made.notes[0].startswith("ConfigMap/llm/old carries our labels")
    assert made.count(Action.DELETE) == 0


def test_a_webhook_that_rewrites_our_field_is_one_note_and_no_change() -> None:
    wanted, seen = observed("deployment-as-applied")
    assert seen.live is not None
    assert seen.predicted is not None
    path = ("spec", "template", "spec", "containers", 0, "image")
    live, predicted = (with_value(state, path, "mirror.example/x:1") for state in (seen.live, seen.predicted))
    made = plan(bundle(wanted), [Observed(seen.ref, live, predicted)])
    assert made.changes[0].action is Action.UNCHANGED
    assert len(made.notes) == len(made.changes[0].overruled) == 1
    assert "containers[name=vllm].image" in made.notes[0]
    assert drift(bundle(wanted).objects, [Observed(seen.ref, live, predicted)]).drifted == ()


def test_an_object_that_nobody_observed_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        plan(bundle(deployment()), [])


def test_neither_a_prediction_nor_a_refusal_is_a_fault_of_ours() -> None:
    _, seen = observed("deployment-as-applied")
    with pytest.raises(ValueError, match="without a prediction"):
        plan(bundle(deployment()), [Observed(seen.ref, seen.live, None)])
