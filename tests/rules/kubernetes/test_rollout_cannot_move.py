"""Rollouts that may neither add a pod nor take one away."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of

_DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  strategy: {{type: RollingUpdate, rollingUpdate: {rolling}}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec: {{containers: [{{name: main, image: "registry.example/app:1.0"}}]}}
"""
_GROUP = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: chat}}
spec:
  rolloutStrategy: {{type: RollingUpdate, rollingUpdateConfiguration: {rolling}}}
  leaderWorkerTemplate:
    size: 2
    workerTemplate: {{spec: {{containers: [{{name: main, image: "registry.example/app:1.0"}}]}}}}
"""


@pytest.mark.parametrize("text", [_DEPLOYMENT, _GROUP])
@pytest.mark.parametrize(
    ("rolling", "is_told"),
    [
        ("{maxSurge: 0, maxUnavailable: 0}", True),
        ('{maxSurge: "0%", maxUnavailable: 0}', True),
        ("{maxSurge: 0}", False),
        ("{maxUnavailable: 0}", False),
        ("{maxSurge: 0, maxUnavailable: 1%}", False),
        ("{maxSurge: ${SURGE}, maxUnavailable: 0}", False),
    ],
)
def test_both_bounds_at_nothing_are_told(text: str, rolling: str, is_told: bool) -> None:
    found = {finding.rule for finding in findings_of(text.format(rolling=rolling))}
    assert ("kubernetes/rollout-cannot-move" in found) == is_told
