"""Links of workloads whose pods have an order."""

from __future__ import annotations

from tests.mutations.links.link import Rows, one

LEADER_WORKER_SET: Rows = [
    ("nodes differ from the group", "cross/group-differs-from-parallelism", "nnodes size", one("nnodes", 4, 8)),
    ("group differs from nodes", "cross/group-differs-from-parallelism", "nnodes size", one("size", 3, 4, 8)),
    (
        "ranks more than the group's GPUs",
        "cross/group-differs-from-parallelism",
        "tp pp size gpus",
        one("pp", 3, 4, 8),
    ),
    ("GPUs fewer than ranks", "cross/group-differs-from-parallelism", "tp pp size gpus", one("gpus", 1, 2, 4)),
    ("no shared memory", "kubernetes/shared-memory-missing", "tp shm_path engine", one("shm_path", "/shm")),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 64, 128)),
    ("argument gone", "vllm/argument-removed", "extra", one("extra", "--swap-space 4", "--num-lookahead-slots 2")),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "extra",
        one("extra", "--enable-prefix-cachng", "--enable-expert-paralel"),
    ),
    (
        "ranks that nodes do not divide",
        "vllm/nodes-do-not-divide-ranks",
        "nnodes",
        lambda r: {"tp": r.choice([3, 5, 7]), "pp": 1},
        "cross/group-differs-from-parallelism cross/gpus-left-idle",
    ),
    ("switch with a value", "vllm/switch-given-a-value", "extra", one("extra", "--trust-remote-code true")),
]

STATEFUL_SET: Rows = [
    ("budget below sequences, in a file", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 16, 32)),
    (
        "key of a file misspelt",
        "vllm/argument-unknown",
        "key",
        one("key", "enable-prefix-cachng", "enable-chuncked-prefill"),
    ),
    (
        "key of a file gone",
        "vllm/argument-removed",
        "key",
        one("key", "use-v2-block-manager", "disable-log-requests"),
    ),
    ("GPUs fewer than ranks", "cross/parallelism-exceeds-gpus", "tp gpus", one("tp", 2, 4)),
    ("GPUs more than ranks", "cross/gpus-left-idle", "tp gpus", one("gpus", 2, 4)),
    (
        "JSON cut short",
        "vllm/value-not-readable",
        "speculative",
        one("speculative", '{"method": "ngram"', "{method: ngram}"),
    ),
    (
        "key of a JSON value gone",
        "vllm/json-key-unknown",
        "compilation",
        one("compilation", '{"use_inductor": true}', '{"full_cuda_graph": true}'),
    ),
    (
        "speculation without a number",
        "vllm/speculation-incomplete",
        "speculative",
        one(
            "speculative",
            '{"method": "ngram", "prompt_lookup_max": 4}',
            '{"method": "eagle3", "num_speculative_tokens": 3}',
        ),
    ),
]
