from __future__ import annotations

import pytest

from tests.rules.judging import findings_of, marked_lines

_RAY_CLUSTER = """
apiVersion: {version}
kind: RayCluster
metadata: {{name: batch}}
spec:
  rayVersion: 2.52.0
  {line}
  headGroupSpec:
    rayStartParams: {{num-cpus: "0"}}
    template:
      spec:
        containers:
          - name: head
            image: rayproject/ray:2.52.0
            resources: {{limits: {{cpu: 4, memory: 16Gi}}}}
"""


def _unknown(text: str) -> list[tuple[int, str]]:
    return [
        (finding.span.line, finding.remedy.text)
        for finding in findings_of(text)
        if finding.rule == "kubernetes/field-unknown" and finding.remedy is not None
    ]


def _cluster(line: str, version: str = "ray.io/v1") -> str:
    return _RAY_CLUSTER.format(version=version, line=line)


def test_misspelt_key_of_a_custom_resource_is_told_at_the_key() -> None:
    text = _cluster("enableIntreeAutoscaling: true  # fires")
    assert _unknown(text) == [(marked_lines(text)[0], "Write enableInTreeAutoscaling.")]


def test_misspelt_key_is_found_in_the_items_of_a_list() -> None:
    text = """
        apiVersion: keda.sh/v1alpha1
        kind: ScaledObject
        metadata: {name: chat}
        spec:
          scaleTargetRef: {name: chat}
          triggers:
            - type: cpu
              metricTyp: Utilization  # fires
              metadata: {value: "60"}
        """
    assert _unknown(text) == [(marked_lines(text)[0], "Write metricType.")]


@pytest.mark.parametrize(
    "text",
    [
        _cluster("enableInTreeAutoscaling: true"),
        # A key like no other may belong to a release that nobody has read yet.
        _cluster("tenancy: shared"),
        # A map that takes any keys.
        _cluster("headServiceAnnotations: {anotation: x}"),
        # Another version of the API has other keys.
        _cluster("enableIntreeAutoscaling: true", version="ray.io/v1alpha1"),
    ],
)
def test_keys_that_may_be_right_are_left_alone(text: str) -> None:
    assert _unknown(text) == []


def test_key_of_an_embedded_cluster_is_judged_like_the_clusters_own() -> None:
    text = """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          rayClusterConfig:
            rayVersion: 2.52.0
            workerGroupSpec: []  # fires
            headGroupSpec:
              rayStartParams: {}
              template: {spec: {containers: [{name: head, image: "rayproject/ray:2.52.0"}]}}
        """
    assert _unknown(text) == [(marked_lines(text)[0], "Write workerGroupSpecs.")]
