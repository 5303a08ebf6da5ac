"""Workflow ids."""

from __future__ import annotations

from controlplane.workflows.messages import ClusterRef, RevisionRef, RolloutRequest, ServiceRef
from controlplane.workflows.names import drift_check_id, entity_id, rollout_id, schedule_id

CLUSTER = ClusterRef("arn:aws:eks:eu-north-1:1:cluster/prod")
SERVICE = ServiceRef("llm", "chat")


def test_a_cluster_name_with_a_slash_stays_one_part() -> None:
    place = "arn%3Aaws%3Aeks%3Aeu-north-1%3A1%3Acluster%2Fprod/llm/chat"
    assert entity_id(CLUSTER, SERVICE) == f"service/{place}"
    assert schedule_id(CLUSTER, SERVICE) == f"drift/{place}"
    assert drift_check_id(CLUSTER, SERVICE) == f"drift-check/{place}"


def test_a_rollout_is_named_after_its_plan() -> None:
    digest = "0123456789abcdef0123456789abcdef"
    request = RolloutRequest("r", ClusterRef("prod"), SERVICE, RevisionRef(1, "d"), f"sha256:{digest}", None, "ada")
    assert rollout_id(request) == "rollout/prod/llm/chat/0123456789abcdef"
