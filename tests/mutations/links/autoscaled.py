"""Links of a Deployment with a HorizontalPodAutoscaler."""

from __future__ import annotations

from tests.mutations.links.link import Rows, one

AUTOSCALED: Rows = [
    (
        "autoscaler: least above most",
        "kubernetes/autoscaler-min-exceeds-max",
        "least most",
        one("least", 7, 9),
        "kubernetes/quota-exceeded kubernetes/pods-exceed-nodes",
    ),
    (
        "ceiling above the machines",
        "cross/ceiling-exceeds-machines",
        "most",
        lambda r: {"most": r.choice([9, 12, 20]), "quota_gpus": 32},
    ),
    ("ceiling above the quota", "cross/ceiling-exceeds-quota", "most quota_gpus", one("quota_gpus", 1, 3, 5)),
    (
        "replicas written twice",
        "cross/replicas-written-twice",
        "replicas_line",
        lambda r: {"replicas_line": f"replicas: {r.randint(1, 6)}"},
    ),
    ("target above max_num_seqs", "cross/metric-target-out-of-reach", "target", one("target", 65, 100, 128)),
    (
        "share of the cache in percent",
        "cross/metric-target-out-of-reach",
        "target",
        lambda r: {"metric": "vllm:kv_cache_usage_perc", "target": r.choice([50, 80, 90])},
    ),
    (
        "metric gone",
        "cross/metric-gone",
        "metric",
        lambda r: {"metric": r.choice(["vllm:gpu_cache_usage_perc", "vllm:num_requests_swapped"]), "target": "500m"},
    ),
]
