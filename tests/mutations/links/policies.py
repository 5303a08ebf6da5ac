"""Links of our own policies: what breaks has to be found where the policy says it."""

from __future__ import annotations

from tests.mutations.links.link import Rows, one

POLICY: Rows = [
    ("ranks above a node", "policy/engine-larger-than-node", "tp node_gpus", one("tp", 16)),
    ("nodes with too few GPUs", "policy/engine-larger-than-node", "tp node_gpus", one("node_gpus", 1, 2)),
    ("heads not divisible", "policy/arguments-exclude-each-other", "tp", one("tp", 3, 5, 6)),
    ("budget below sequences", "policy/arguments-exclude-each-other", "tokens seqs", one("tokens", 16, 64)),
    (
        "longer than the model",
        "vllm/length-exceeds-positions",
        "length",
        one("length", 262144),
        "vllm/long-prompt-blocks-short-ones",
    ),
    ("no such choice", "policy/bad-argument-value", "dtype", one("dtype", "bf16", "int8")),
    ("fraction out of bounds", "policy/bad-value", "fraction", one("fraction", 1.5, 0, 90)),
    (
        "argument misspelt",
        "policy/unknown-argument",
        "extra",
        one("extra", "enable_prefix_cachng", "enable_log_request"),
    ),
    (
        "argument gone",
        "policy/unknown-argument",
        "extra",
        one("extra", "use_v2_block_manager", "num_scheduler_steps"),
    ),
    ("no such pool", "policy/unknown-reference", "pool", one("pool", "a100", "h10")),
    ("no such fleet", "policy/unknown-reference", "fleet", one("fleet", "exmaple", "other")),
    (
        "memory larger than any node",
        "policy/pod-larger-than-node",
        "memory node_memory",
        one("memory", "1100Gi", "2Ti"),
    ),
    ("node smaller than the pod", "policy/pod-larger-than-node", "memory node_memory", one("node_memory", "128Gi")),
    (
        "more replicas than machines",
        "policy/pods-do-not-fit",
        "replicas nodes tp",
        one("replicas", 7, 12),
        "policy/surge-does-not-fit",
    ),
    ("rollout needs machines that are not there", "policy/surge-does-not-fit", "surge", one("replicas", 6)),
    ("shared memory above the limit", "policy/shared-memory-above-limit", "shared memory", one("shared", "300Gi")),
]
