"""What these rules call refused, a real API server refuses; what they call good, it takes, strictly."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest
import yaml

from controlplane.rules import CataloguedRule, catalogue
from controlplane.sandbox.errors import ApiRefused
from controlplane.sandbox.lifecycle import Sandbox

pytestmark = pytest.mark.cluster

_REFUSED_AT_ONCE = {
    "kubernetes/autoscaler-min-exceeds-max": "minReplicas",
    "kubernetes/gpu-fractional": "must be an integer",
    "kubernetes/gpu-limit-missing": "Limit must be set for non overcommitable resources",
    "kubernetes/gpu-request-differs-from-limit": "must be equal to nvidia.com/gpu limit of 2",
    "kubernetes/label-value-refused": "a valid label must be",
    "kubernetes/mount-without-volume": "Not found",
    "kubernetes/priority-class-refused": "priority",
    "kubernetes/restart-policy-refused": "restartPolicy",
    "kubernetes/request-exceeds-limit": "must be less than or equal to memory limit",
    "kubernetes/selector-differs-from-labels": "`selector` does not match template `labels`",
    "kubernetes/toleration-refused": "value must be empty when `operator` is 'Exists'",
}
"""The rule's own object is refused, with these words. Quotas and limit ranges refuse the pods only, later."""

_COLLECTIONS = {
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "HorizontalPodAutoscaler": "/apis/autoscaling/v2/namespaces/{}/horizontalpodautoscalers",
    "LimitRange": "/api/v1/namespaces/{}/limitranges",
    "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/{}/poddisruptionbudgets",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "RayCluster": "/apis/ray.io/v1/namespaces/{}/rayclusters",
    "ResourceQuota": "/api/v1/namespaces/{}/resourcequotas",
    "Service": "/api/v1/namespaces/{}/services",
}
_OURS = [entry for entry in catalogue() if entry.id.startswith("kubernetes/")]


def _objects(text: str) -> list[dict[str, Any]]:
    documents = yaml.safe_load_all(textwrap.dedent(text))
    return [document for document in documents if document["kind"] in _COLLECTIONS]


def _create(sandbox: Sandbox, namespace: str, manifest: dict[str, Any]) -> None:
    metadata = {key: value for key, value in manifest["metadata"].items() if key != "namespace"}
    path = f"{_COLLECTIONS[manifest['kind']].format(namespace)}?dryRun=All&fieldValidation=Strict"
    sandbox.api().request("POST", path, json.dumps({**manifest, "metadata": metadata}), "application/json")


@pytest.mark.parametrize("entry", _OURS, ids=lambda entry: entry.id)
def test_api_server_takes_what_a_rule_calls_good(sandbox: Sandbox, namespace: str, entry: CataloguedRule) -> None:
    for text in entry.rule.good:
        for manifest in _objects(text):
            _create(sandbox, namespace, manifest)


@pytest.mark.parametrize("entry", [e for e in _OURS if e.id in _REFUSED_AT_ONCE], ids=lambda entry: entry.id)
def test_api_server_refuses_what_a_rule_says_it_refuses(
    sandbox: Sandbox, namespace: str, entry: CataloguedRule
) -> None:
    for text in entry.rule.bad:
        for manifest in _objects(text):
            with pytest.raises(ApiRefused, match=_REFUSED_AT_ONCE[entry.id]):
                _create(sandbox, namespace, manifest)


def test_every_rule_that_speaks_of_a_refusal_is_asked_of_the_server() -> None:
    assert set(_REFUSED_AT_ONCE) <= {entry.id for entry in _OURS}
