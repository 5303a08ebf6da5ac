from __future__ import annotations

import pytest

from controlplane.stack.field_types import choices, fields_of, root_type, source_of


@pytest.mark.parametrize(
    ("api_version", "kind", "expected"),
    [
        ("apps/v1", "Deployment", "V1Deployment"),
        ("autoscaling/v2", "HorizontalPodAutoscaler", "V2HorizontalPodAutoscaler"),
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler", ""),
        ("ray.io/v1", "RayCluster", "RayCluster"),
        ("ray.io/v1alpha1", "RayCluster", ""),
        ("example.com/v1", "Deployment", ""),
    ],
)
def test_root_is_told_by_version_and_kind(api_version: str, kind: str, expected: str) -> None:
    assert root_type(api_version, kind) == expected


@pytest.mark.parametrize(
    ("type_name", "field", "takes"),
    [
        ("V1PodSpec", "containers", "[V1Container]"),
        ("RayCluster", "spec", "RayCluster.spec"),
        ("RayCluster.spec", "workerGroupSpecs", "[RayCluster.spec.workerGroupSpecs[]]"),
        ("RayCluster.spec.workerGroupSpecs[]", "template", "V1PodTemplateSpec"),
        ("RayCluster.spec.workerGroupSpecs[]", "rayStartParams", ""),
        ("RayCluster.spec.workerGroupSpecs[]", "minReplicas", "integer"),
        ("RayService.spec", "rayClusterConfig", "RayCluster.spec"),
        ("RayCronJob.spec", "jobTemplate", "RayJob.spec"),
        ("LLMInferenceService.spec", "template", "V1PodSpec"),
        ("LLMInferenceService.spec", "router", ""),
        ("LeaderWorkerSet.spec.leaderWorkerTemplate", "workerTemplate", "V1PodTemplateSpec"),
        ("ScaledObject.spec.triggers[]", "metadata", "{string}"),
    ],
)
def test_field_takes_what_its_schema_says(type_name: str, field: str, takes: str) -> None:
    assert fields_of(type_name)[field] == takes


def test_field_that_a_later_release_dropped_is_known_still() -> None:
    assert "deletionPolicy" in fields_of("RayJob.spec")


def test_choices_are_those_of_every_release_and_none_where_a_release_takes_any() -> None:
    assert choices("RayCluster.spec.autoscalerOptions", "version") == {"v1", "v2"}
    assert choices("RayService.spec.upgradeStrategy", "type") == frozenset()
    assert "Never" in choices("V1Container", "imagePullPolicy")
    assert choices("V1Container", "name") == frozenset()


def test_source_names_the_versions() -> None:
    assert source_of("V1Container").startswith("Kubernetes 1.")
    assert source_of("RayCluster.spec") == "kuberay 1.3.2 to 1.7.0"
