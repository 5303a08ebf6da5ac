"""Which container of a group Ray runs in."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of

_CLUSTER = """
apiVersion: ray.io/v1
kind: {kind}
metadata: {{name: chat}}
spec:
  rayVersion: 2.60.0
  headGroupSpec:
    rayStartParams: {{dashboard-host: "{host}"}}
    template:
      spec:
        containers:
          - {{name: "{first}", image: "{image}", resources: {{limits: {{cpu: 2, memory: 8Gi}}}}}}
          - {{name: "{second}", image: "{other}", resources: {{limits: {{cpu: 2, memory: 8Gi}}}}}}
"""
_RAY, _SIDECAR = "rayproject/ray:2.60.0", "registry.example/shipper:1.0"


def _ids(first: str, image: str, second: str, other: str, *, host: str = "0.0.0.0") -> set[str]:  # noqa: S104
    text = _CLUSTER.format(kind="RayCluster", host=host, first=first, image=image, second=second, other=other)
    return {finding.rule for finding in findings_of(text)}


@pytest.mark.parametrize(
    ("second", "other"),
    [
        ("ray-head", "registry.example/team/app:1"),
        ("main", _RAY),
        ("main", "registry.example/rayproject/ray-ml:2.9.0"),
    ],
)
def test_sidecar_before_the_ray_container_is_told(second: str, other: str) -> None:
    assert "ray/first-container-not-ray" in _ids("shipper", _SIDECAR, second, other)


@pytest.mark.parametrize(
    ("first", "image", "second", "other"),
    [
        ("ray-head", _RAY, "shipper", _SIDECAR),
        # Ray's own image under another name, and an image that says nothing beside one that says nothing either.
        ("main", "registry.example/team/ray-app:1", "ray-head", _RAY),
        ("main", _SIDECAR, "other", "registry.example/team/app:1"),
        ("main", "${IMAGE}", "ray-head", _RAY),
    ],
)
def test_first_container_that_may_be_rays_is_left_alone(first: str, image: str, second: str, other: str) -> None:
    assert "ray/first-container-not-ray" not in _ids(first, image, second, other)


def test_dashboard_of_a_plain_cluster_may_stay_on_loopback() -> None:
    assert "ray/dashboard-on-loopback" not in _ids("ray-head", _RAY, "shipper", _SIDECAR, host="127.0.0.1")
