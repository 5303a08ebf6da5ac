"""Fields of custom resources by release, and what KubeRay's operator checks beyond them."""

from __future__ import annotations

import pytest

from controlplane.stack.kuberay_tables import (
    COMPONENT_OF,
    field,
    field_since,
    fields,
    gates,
    nearest_field,
    versions,
)


@pytest.mark.parametrize(
    ("kind", "path", "since"),
    [
        ("RayCluster", "spec.autoscalerOptions.version", "1.4.2"),
        ("RayCluster", "spec.workerGroupSpecs[].labels", "1.5.0"),
        ("RayCluster", "spec.authOptions.mode", "1.5.1"),
        ("RayCluster", "spec.upgradeStrategy.type", "1.6.0"),
        ("RayCluster", "spec.workerGroupSpecs[].priority", "1.7.0"),
        ("RayService", "spec.rayClusterConfig.authOptions.mode", "1.5.1"),
        ("RayService", "spec.rayClusterDeletionDelaySeconds", "1.5.0"),
        ("RayService", "spec.suspend", "1.7.0"),
        ("RayJob", "spec.rayClusterSpec.workerGroupSpecs[].priority", "1.7.0"),
        ("RayJob", "spec.preRunningDeadlineSeconds", "1.6.0"),
        ("RayCronJob", "spec.jobTemplate.rayClusterSpec.rayVersion", "1.6.0"),
    ],
)
def test_field_appears_with_its_release(kind: str, path: str, since: str) -> None:
    assert field_since(kind, path) == since
    assert path in (fields(kind, "1.7.0") or ())


def test_field_of_a_later_release_is_absent_before() -> None:
    assert field("RayCluster", "spec.workerGroupSpecs[].priority", "1.6.2") is None
    assert "spec.authOptions" not in (fields("RayCluster", "1.5.0") or ())


def test_field_says_what_it_takes() -> None:
    version = field("RayCluster", "spec.autoscalerOptions.version", "1.7.0")
    assert version is not None
    assert version.choices == ("v1", "v2")
    most = field("RayService", "spec.rayClusterConfig.workerGroupSpecs[].maxReplicas", "1.7.0")
    assert most is not None
    assert (most.type, most.required, most.default) == ("integer", True, 2147483647)
    managed = field("RayCluster", "spec.managedBy", "1.7.0")
    assert managed is not None
    assert "self == oldSelf" in managed.rules
    params = field("RayCluster", "spec.headGroupSpec.rayStartParams", "1.7.0")
    assert params is not None
    assert params.free


def test_misspelled_field_has_a_nearest_sibling() -> None:
    path = "spec.rayClusterConfig.autoscalerOptions.idleTimeoutSecond"
    assert nearest_field("RayService", path, "1.7.0") == "idleTimeoutSeconds"


def test_gates_changed_their_defaults() -> None:
    old, new = gates("1.6.2"), gates("v1.7.0")
    assert old is not None
    assert new is not None
    assert (old["RayServiceIncrementalUpgrade"], new["RayServiceIncrementalUpgrade"]) == (False, True)
    assert new["RayCronJob"] is False
    assert gates("1.9.0") is None


@pytest.mark.parametrize(
    ("kind", "version", "path"),
    [
        ("LeaderWorkerSet", "0.7.0", "spec.leaderWorkerTemplate.size"),
        ("ScaledObject", "2.18.0", "spec.triggers[].metricType"),
        ("ClusterQueue", "0.14.0", "spec.resourceGroups[].flavors[].resources[].nominalQuota"),
        ("LocalQueue", "0.14.0", "spec.clusterQueue"),
        ("ResourceFlavor", "0.14.0", "spec.nodeLabels"),
        ("LLMInferenceService", "0.17.0", "spec.parallelism.tensor"),
    ],
)
def test_other_components_have_the_fields_that_rules_need(kind: str, version: str, path: str) -> None:
    assert path in (fields(kind, version) or ())


def test_every_kind_has_fields_in_every_release_of_its_component() -> None:
    for kind, component in COMPONENT_OF.items():
        for version in versions(component):
            if kind == "RayCronJob" and version.startswith(("1.3", "1.4", "1.5")):
                continue  # the kind is new in 1.6
            assert fields(kind, version), (kind, version)


def test_unknown_kind_or_release_has_no_answer() -> None:
    assert fields("Deployment", "1.7.0") is None
    assert fields("RayCluster", "2.0.0") is None
    assert field("RayCluster", "spec.nothing", "1.7.0") is None
