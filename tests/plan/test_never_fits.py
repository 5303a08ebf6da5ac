from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from controlplane.plan.never_fits import quantity, requests_of, why_never

GPU = "nvidia.com/gpu"


def node(name: str = "n", *, taints: list[dict[str, str]] | None = None, **allocatable: str) -> dict[str, Any]:
    given = {key.replace("gpu", GPU): value for key, value in allocatable.items()}
    return {
        "metadata": {"name": name, "labels": {"pool": "h100", "gpus": "8"}},
        "spec": {"taints": taints or []},
        "status": {"allocatable": {"cpu": "192", "memory": "2000Gi", "pods": "110", GPU: "8", **given}},
    }


def pod(gpus: int = 1, **spec: Any) -> dict[str, Any]:
    container = {"name": "vllm", "resources": {"limits": {GPU: str(gpus)}, "requests": {"cpu": "500m"}}}
    return {"spec": {"containers": [container], **spec}}


def test_a_pod_that_an_empty_node_could_take_is_not_lost() -> None:
    assert why_never(pod(8), [node(gpu="4"), node(gpu="8")]) is None


def test_too_large_a_request_is_told_with_both_numbers() -> None:
    assert why_never(pod(16), [node(gpu="4"), node(gpu="8")]) == (
        "the pod asks for 16 nvidia.com/gpu; the largest of 2 matching nodes has 8"
    )


def test_no_single_node_has_all_of_it() -> None:
    wide, tall = node(gpu="8", cpu="2"), node(gpu="1", cpu="64")
    asking = pod(8)
    asking["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "32"
    assert why_never(asking, [wide, tall]) == (
        "the pod asks for 32 cpu, 8 nvidia.com/gpu; none of 2 matching nodes has all of it at once"
    )


def test_a_selector_that_matches_no_node_is_told() -> None:
    assert why_never(pod(nodeSelector={"pool": "b200"}), [node(), node()]) == (
        "none of 2 nodes has the labels that the pod asks for"
    )


def test_a_cluster_without_nodes_is_told() -> None:
    assert why_never(pod(), []) == "the cluster has no nodes"


@pytest.mark.parametrize(
    ("requirement", "matches"),
    [
        ({"key": "pool", "operator": "In", "values": ["h100", "b200"]}, True),
        ({"key": "pool", "operator": "NotIn", "values": ["h100"]}, False),
        ({"key": "absent", "operator": "NotIn", "values": ["h100"]}, True),
        ({"key": "pool", "operator": "Exists"}, True),
        ({"key": "pool", "operator": "DoesNotExist"}, False),
        ({"key": "gpus", "operator": "Gt", "values": ["4"]}, True),
        ({"key": "gpus", "operator": "Lt", "values": ["4"]}, False),
        ({"key": "pool", "operator": "Gt", "values": ["4"]}, False),
    ],
    ids=lambda value: value.get("operator") if isinstance(value, dict) else None,
)
def test_required_affinity_selects_nodes_as_the_scheduler_does(requirement: dict[str, Any], matches: bool) -> None:
    terms = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    assert (why_never(pod(affinity=affinity), [node()]) is None) is matches


def test_one_of_several_terms_is_enough_and_an_empty_one_matches_nothing() -> None:
    by_name = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}
    for terms, found in (([{}, by_name], True), ([{}], False)):
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
        assert (why_never(pod(affinity={"nodeAffinity": required}), [node()]) is None) is found


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        pytest.param(None, False, id="none"),
        pytest.param({"key": GPU, "operator": "Exists"}, True, id="exists"),
        pytest.param({"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}, True, id="equal"),
        pytest.param({"key": GPU, "value": "other"}, False, id="other value"),
        pytest.param({"key": GPU, "operator": "Exists", "effect": "NoExecute"}, False, id="other effect"),
        pytest.param({"key": "other", "operator": "Exists"}, False, id="other key"),
        pytest.param({"operator": "Exists"}, True, id="everything"),
    ],
)
def test_a_taint_bars_a_pod_that_does_not_tolerate_it(toleration: dict[str, str] | None, tolerated: bool) -> None:
    tainted = node(taints=[{"key": GPU, "value": "present", "effect": "NoSchedule"}])
    why = why_never(pod(tolerations=[toleration] if toleration else []), [tainted])
    assert (why is None) is tolerated
    if why:
        assert why == "1 of 1 nodes have the labels, all with a taint that the pod does not tolerate"


@pytest.mark.parametrize(
    "taint",
    [
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
        {"key": "busy", "effect": "PreferNoSchedule"},
    ],
    ids=lambda taint: taint["key"],
)
def test_a_taint_that_passes_or_only_advises_is_not_for_ever(taint: dict[str, str]) -> None:
    assert why_never(pod(), [node(taints=[taint])]) is None


def test_requests_are_counted_as_the_scheduler_counts_them() -> None:
    spec = {
        "containers": [
            {"resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "2", GPU: "4"}}},
            {"resources": {"requests": {"cpu": "1"}}},
        ],
        "initContainers": [
            {"resources": {"requests": {"cpu": "8", "memory": "100Mi"}}},
            {"restartPolicy": "Always", "resources": {"requests": {"memory": "1Gi"}}},
        ],
        "overhead": {"memory": "1Gi"},
    }
    assert requests_of(spec) == {"cpu": 8, "memory": 3 * 1024**3, GPU: 4}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", "8"),
        (8, "8"),
        ("500m", "0.5"),
        ("1.5Gi", str(3 * 1024**3 // 2)),
        ("1G", "1000000000"),
        ("1e3", "1000"),
        ("1E", str(10**18)),
        ("100n", "1e-7"),
    ],
)
def test_quantities_mean_what_they_mean_to_kubernetes(text: str | int, value: str) -> None:
    assert quantity(text) == Decimal(value)
