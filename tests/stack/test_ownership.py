from __future__ import annotations

import pytest

from controlplane.stack.facts import value_of
from controlplane.stack.pods import Count, CountOwner
from tests.stack.manifests import read_text

WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: llm}
spec: {replicas: 3, template: {spec: {containers: [{name: main, image: i}]}}}
---
"""
HPA = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: llm}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}, minReplicas: 2, maxReplicas: 8}
"""
KEDA = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat, namespace: llm}
spec: {scaleTargetRef: {name: chat}, minReplicaCount: 1, maxReplicaCount: 5}
"""


def count(text: str) -> Count:
    (found,) = read_text(text).stack.workloads
    return found.pod_sets[0].count


@pytest.mark.parametrize(
    ("autoscaler", "owner", "bounds"),
    [(HPA, CountOwner.HPA, (2, 3, 8)), (KEDA, CountOwner.KEDA, (1, 3, 5))],
)
def test_an_autoscaler_owns_the_replicas_of_its_target(
    autoscaler: str, owner: CountOwner, bounds: tuple[int, int, int]
) -> None:
    found = count(WORKLOAD + autoscaler)
    assert found.owner is owner
    assert (value_of(found.min), value_of(found.desired), value_of(found.max)) == bounds


@pytest.mark.parametrize(
    "autoscaler",
    [
        HPA.replace("name: chat}, min", "name: other}, min"),
        HPA.replace("kind: Deployment", "kind: StatefulSet"),
        HPA.replace("apiVersion: apps/v1, kind: Deployment", "apiVersion: own.example/v1, kind: Deployment"),
        HPA.replace("namespace: llm", "namespace: other"),
    ],
)
def test_an_autoscaler_of_something_else_owns_nothing(autoscaler: str) -> None:
    assert count(WORKLOAD + autoscaler).owner is CountOwner.DECLARED
