from __future__ import annotations

import pytest

from controlplane.sandbox.claims import SIMULATED_LABEL, SimulatedClaim, apply_claims
from controlplane.sandbox.lifecycle import Sandbox
from tests.sandbox.waiting import until

pytestmark = pytest.mark.cluster


def test_claim_is_bound_at_once_and_named_simulated_and_a_second_time_changes_nothing(
    sandbox: Sandbox, namespace: str
) -> None:
    api = sandbox.api()
    assert apply_claims(api, [SimulatedClaim(namespace, "models")]) == 1
    path = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/models"
    claim = until(lambda: api.get(path), lambda claim: claim["status"].get("phase") == "Bound")
    assert claim["metadata"]["labels"] == {SIMULATED_LABEL: "true"}
    apply_claims(api, [SimulatedClaim(namespace, "models")])
    assert api.get(path)["metadata"]["resourceVersion"] == claim["metadata"]["resourceVersion"]
    api.delete(path)
    api.delete(f"/api/v1/persistentvolumes/{namespace}-models")
