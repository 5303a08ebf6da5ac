"""Links of KServe's services."""

from __future__ import annotations

from tests.mutations.links.link import Rows, alike, one

LLM_INFERENCE_SERVICE: Rows = [
    ("GPUs fewer than ranks", "cross/parallelism-exceeds-gpus", "tp gpus", one("tp", 4, 8)),
    ("GPUs fewer than ranks, by the pod", "cross/parallelism-exceeds-gpus", "tp gpus", one("gpus", 1)),
    ("replicas above the quota", "kubernetes/quota-exceeded", "quota_gpus gpus replicas", one("quota_gpus", 1, 2, 3)),
    ("no node with the label", "kubernetes/no-pool-takes-the-pod", "selector", one("selector", "a100", "b200")),
    ("memory larger than any node", "kubernetes/pod-larger-than-any-node", "memory", one("memory", "1100Gi", "2Ti")),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 16, 127)),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "extra",
        one("extra", "--enable-prefix-cachng", "--max-num-sequences=9"),
    ),
    ("argument gone", "vllm/argument-removed", "extra", one("extra", "--swap-space=4", "--num-scheduler-steps=8")),
    ("variable gone", "vllm/variable-removed", "variable", one("variable", "VLLM_ATTENTION_BACKEND", "VLLM_USE_V1")),
]

INFERENCE_SERVICE: Rows = [
    ("GPUs fewer than ranks", "cross/parallelism-exceeds-gpus", "tp gpus", one("tp", 4, 8)),
    ("GPUs more than ranks", "cross/gpus-left-idle", "tp gpus", one("tp", 1)),
    (
        "GPU request differs from limit",
        "kubernetes/gpu-request-differs-from-limit",
        "request gpus",
        one("request", 1, 4),
    ),
    (
        "request above limit",
        "kubernetes/request-exceeds-limit",
        "memory_request memory",
        one("memory_request", "97Gi", "200Gi"),
    ),
    ("CPU request above limit", "kubernetes/request-exceeds-limit", "cpus request", one("cpus", 4, 7)),
    (
        "memory above the LimitRange",
        "kubernetes/limit-range-conflict",
        "memory most_memory",
        one("most_memory", "64Gi", "95Gi"),
    ),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 16, 63)),
    ("heads not divisible", "vllm/heads-not-divisible", "tp", alike("tp request gpus", 3, 5, 6)),
    ("no such choice", "vllm/value-not-a-choice", "dtype", one("dtype", "fp16", "bf16")),
    (
        "bfloat16 on an old GPU",
        "vllm/dtype-unsupported-by-gpu",
        "dtype",
        one("product", "Tesla-T4"),
        "vllm/gpu-older-than-image",
    ),
    ("argument gone", "vllm/argument-removed", "extra", one("extra", "--swap-space=4", "--use-v2-block-manager")),
    (
        "argument of a later version",
        "vllm/argument-too-new vllm/argument-unknown",
        "drain",
        one("version", "0.11.2", "0.16.0"),
    ),
    ("grace shorter than drain", "kubernetes/grace-period-too-short", "grace drain", one("drain", 121, 300, 600)),
    (
        "longer than the model",
        "vllm/length-exceeds-positions",
        "length",
        one("length", 262144),
        "vllm/long-prompt-blocks-short-ones",
    ),
]
