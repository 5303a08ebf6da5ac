from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from controlplane.plan.health import HealthStatus, assess
from controlplane.stack.references import ObjectRef

NOW = datetime.fromisoformat("2026-11-29T12:00:00Z")


def other(api_version: str, kind: str, **more: Any) -> tuple[ObjectRef, dict[str, Any]]:
    metadata = {"name": "a", "namespace": "llm", "generation": 2}
    live = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}
    return ObjectRef(api_version, kind, "llm", "a"), live


def condition(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, Any]:
    return {
        "observedGeneration": 2,
        "conditions": [{"type": kind, "status": status, "reason": reason, "message": message}],
    }


@pytest.mark.parametrize(
    ("given", "status", "reason"),
    [
        pytest.param(other("v1", "Service"), "Healthy", "Present", id="service"),
        pytest.param(other("v1", "ConfigMap"), "Healthy", "Present", id="config map"),
        pytest.param(other("policy/v1", "PodDisruptionBudget"), "Healthy", "Present", id="budget"),
        pytest.param(
            other("policy/v1", "PodDisruptionBudget", status={"observedGeneration": 1}),
            "Progressing",
            "NotObserved",
            id="budget not looked at",
        ),
        pytest.param(
            other("v1", "PersistentVolumeClaim", status={"phase": "Bound"}), "Healthy", "Bound", id="bound claim"
        ),
        pytest.param(other("v1", "PersistentVolumeClaim"), "Progressing", "Pending", id="pending claim"),
        pytest.param(
            other("v1", "PersistentVolumeClaim", status={"phase": "Lost"}), "Degraded", "Lost", id="lost claim"
        ),
        pytest.param(other("x.example/v1", "Engine"), "Unknown", "NoCondition", id="nothing is told"),
        pytest.param(
            other("x.example/v1", "Engine", status=condition("Ready", "True", "AllGood")),
            "Healthy",
            "AllGood",
            id="ready",
        ),
        pytest.param(
            other("x.example/v1", "Engine", status=condition("Ready", "False", "Loading", "1 of 2")),
            "Progressing",
            "Loading",
            id="not ready",
        ),
        pytest.param(
            other("x.example/v1", "Engine", status={**condition("Ready", "True"), "observedGeneration": 1}),
            "Progressing",
            "NotObserved",
            id="ready for an older generation",
        ),
        pytest.param(
            other("x.example/v1", "Engine", status=condition("Stalled", "True", "BadSpec")),
            "Degraded",
            "BadSpec",
            id="stalled",
        ),
        pytest.param(
            other("x.example/v1", "Engine", status=condition("Reconciling", "True")),
            "Progressing",
            "Reconciling",
            id="reconciling",
        ),
        pytest.param(
            other("apiextensions.k8s.io/v1", "CustomResourceDefinition", status=condition("Established", "True")),
            "Healthy",
            "Established",
            id="definition",
        ),
    ],
)
def test_other_kinds_are_judged_by_what_they_report(
    given: tuple[ObjectRef, dict[str, Any]], status: str, reason: str
) -> None:
    ref, live = given
    health = assess(ref, live, now=NOW)
    assert (health.status, health.reason) == (status, reason)


def test_an_absent_object_is_missing_and_a_deleted_one_is_under_way() -> None:
    ref, live = other("v1", "ConfigMap")
    assert assess(ref, None, now=NOW).status is HealthStatus.MISSING
    live["metadata"]["deletionTimestamp"] = "2026-11-29T11:59:00Z"
    assert assess(ref, live, now=NOW).reason == "Terminating"
