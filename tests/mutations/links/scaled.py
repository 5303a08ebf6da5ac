"""Links of a Deployment that KEDA scales on a query."""

from __future__ import annotations

from tests.mutations.links.link import Rows, beside, one

SCALED_OBJECT: Rows = [
    (
        "least above most",
        "kubernetes/autoscaler-min-exceeds-max",
        "least most",
        one("least", 5, 9),
        "kubernetes/quota-exceeded kubernetes/pods-exceed-nodes",
    ),
    (
        "ceiling above the machines",
        "cross/ceiling-exceeds-machines",
        "most",
        beside(one("most", 5, 9, 20), quota_gpus=64),
    ),
    ("ceiling above the quota", "cross/ceiling-exceeds-quota", "most quota_gpus", one("quota_gpus", 1, 2, 3)),
    (
        "replicas written twice",
        "cross/replicas-written-twice",
        "replicas_line",
        lambda r: {"replicas_line": f"replicas: {r.randint(1, 4)}"},
    ),
    (
        "metric gone",
        "cross/metric-gone",
        "metric",
        one("metric", "vllm:gpu_cache_usage_perc", "vllm:num_requests_swapped"),
        "cross/metric-target-out-of-reach",
    ),
    (
        "metric gone in the release",
        "cross/metric-gone",
        "metric",
        beside(one("version", "0.20.0"), metric="vllm:gpu_cache_usage_perc", target="0.7"),
    ),
    (
        "share of the cache in percent",
        "cross/metric-target-out-of-reach",
        "target",
        beside(one("target", 50, 80), metric="vllm:kv_cache_usage_perc"),
    ),
    (
        "pod GPUs > tensor parallel",
        "cross/gpus-left-idle",
        "gpus",
        one("gpus", 2, 4),
        "cross/ceiling-exceeds-quota cross/ceiling-exceeds-machines",
    ),
    (
        "fraction of a GPU",
        "kubernetes/gpu-fractional",
        "gpus",
        one("gpus", "0.5", "500m"),
        "cross/ceiling-exceeds-quota",
    ),
]
