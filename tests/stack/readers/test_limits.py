from __future__ import annotations

from controlplane.source import parse_quantity
from controlplane.stack.facts import value_of
from controlplane.stack.references import LimitRange, ResourceQuota
from tests.stack.manifests import at, read_text

QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus, namespace: llm}
spec:
  hard: {requests.nvidia.com/gpu: "8", pods: 20}
  scopes: [NotTerminating]
  scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}
"""
LIMITS = """\
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: llm}
spec:
  limits:
  - {type: Container, max: {memory: 64Gi}, min: {cpu: 100m}, default: {cpu: 1}, defaultRequest: {cpu: 500m}}
"""


def test_a_quota_has_its_hard_limits_and_its_scopes_in_words() -> None:
    (found,) = read_text(QUOTA).stack.references
    assert isinstance(found, ResourceQuota)
    assert {name: value_of(amount) for name, amount in found.hard.items()} == {
        "requests.nvidia.com/gpu": parse_quantity("8"),
        "pods": parse_quantity("20"),
    }
    assert found.scopes == ("NotTerminating", "PriorityClass In high")
    assert at(QUOTA, found.origin) == "gpus"


def test_a_limit_range_has_bounds_and_defaults() -> None:
    (found,) = read_text(LIMITS).stack.references
    assert isinstance(found, LimitRange)
    (item,) = found.items
    amounts = (item.max["memory"], item.min["cpu"], item.default["cpu"], item.default_request["cpu"])
    assert item.type == "Container"
    assert tuple(map(value_of, amounts)) == tuple(map(parse_quantity, ("64Gi", "100m", "1", "500m")))
