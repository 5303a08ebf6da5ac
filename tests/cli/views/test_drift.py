"""Drift as people and programs see it."""

from __future__ import annotations

from controlplane.cli.views import drift_json, drift_text
from controlplane.plan.changes import FieldAction, FieldChange
from controlplane.plan.drift import DriftReport, DriftState, ObjectDrift
from controlplane.stack.references import ObjectRef

REF = ObjectRef("apps/v1", "Deployment", "llm", "chat")
FIELD = FieldChange(("spec", "replicas"), "spec.replicas", FieldAction.CHANGED, 2, 1, ("kubectl",))
REPORTS = {"llm/chat": DriftReport((ObjectDrift(REF, DriftState.DRIFTED, (FIELD,)),))}


def test_a_drifted_field_is_told_with_both_values_and_its_manager() -> None:
    text = drift_text.render(REPORTS, colour=False, flights={})
    assert "spec.replicas: is 2, was applied as 1   [kubectl]" in text
    assert "rolling out" not in text


def test_what_a_rollout_in_flight_may_have_written_is_not_called_drift_without_saying_so() -> None:
    flights = {"llm/chat": "revision 3 by ada since 2026-01-02 03:04:05 UTC"}
    text = drift_text.render(REPORTS, colour=False, flights=flights)
    assert "note: rolling out revision 3 by ada since 2026-01-02 03:04:05 UTC" in text
    service = drift_json.document(REPORTS, flights)["services"]["llm/chat"]
    assert (service["drifted"], service["in_flight"]) == (1, flights["llm/chat"])
    assert drift_json.document(REPORTS, {})["services"]["llm/chat"]["in_flight"] == ""


def test_a_service_without_a_good_revision_is_not_passed_over() -> None:
    text = drift_text.render(REPORTS, colour=False, flights={}, unjudged=["llm/new"])
    assert "llm/new: no revision was ever found good, so there is nothing to compare with" in text
    assert drift_json.document(REPORTS, {}, ["llm/new"])["without_good_revision"] == ["llm/new"]
