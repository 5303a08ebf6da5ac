"""Links of engines in the forms that they are written in: a script, a pair for prefill and decode, ranks, slices."""

from __future__ import annotations

from tests.mutations.links.link import Rows, alike, one

SCRIPT: Rows = [
    ("ranks above the GPUs, by a variable", "cross/parallelism-exceeds-gpus", "tp use_tp gpus", one("tp", 4, 8)),
    ("ranks above the GPUs, by the pod", "cross/parallelism-exceeds-gpus", "tp use_tp gpus", one("gpus", 1)),
    ("ranks fewer than the GPUs", "cross/gpus-left-idle", "tp gpus", one("gpus", 3, 4)),
    ("heads not divisible", "vllm/heads-not-divisible", "tp use_tp", alike("tp gpus", 3, 5, 6, 7)),
    (
        "budget below sequences, by a variable of the script",
        "vllm/token-budget-below-sequences",
        "tokens seqs use_tokens use_seqs",
        one("seqs", 5000, 8192),
    ),
    (
        "budget below sequences, by a default",
        "vllm/token-budget-below-sequences",
        "tokens seqs use_tokens use_seqs",
        one("tokens", 16, 95),
    ),
    (
        "longer than the model",
        "vllm/length-exceeds-positions",
        "length",
        one("length", 262144),
        "vllm/long-prompt-blocks-short-ones",
    ),
    ("port that no probe asks", "kubernetes/probe-port-not-served", "probe_port", one("port", 8000, 8080)),
    ("probe asks another port", "kubernetes/probe-port-not-served", "probe_port", one("probe_port", 8000, 8080)),
    ("no such choice", "vllm/value-not-a-choice", "dtype", one("dtype", "bf16", "int8")),
    ("argument gone", "vllm/argument-removed", "extra", one("extra", "--swap-space 4", "--num-scheduler-steps=8")),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "extra",
        one("extra", "--enable-prefix-cachng", "--max-num-sequences 8"),
    ),
    (
        "argument of a later version",
        "vllm/argument-too-new vllm/argument-unknown",
        "drain",
        one("version", "0.10.2", "0.16.0"),
    ),
    (
        "JSON cut short",
        "vllm/value-not-readable",
        "override",
        one("override", '{"temperature": 0.7', "{temperature: 0.7}"),
    ),
    (
        "grace shorter than drain",
        "kubernetes/grace-period-too-short",
        "grace drain pre_stop",
        one("grace", 20, 45, 59),
    ),
    (
        "grace shorter than drain, by the script",
        "kubernetes/grace-period-too-short",
        "grace drain pre_stop",
        one("drain", 90, 300),
    ),
    ("no shared memory", "kubernetes/shared-memory-missing", "engine_name tp shm_path", one("shm_path", "/shm")),
    (
        "deadline shorter than loading",
        "kubernetes/rollout-fails-while-loading",
        "deadline",
        one("deadline", 60, 90, 100),
    ),
    (
        "KV heads not divisible",
        "vllm/kv-heads-not-divisible",
        "tp use_tp",
        lambda r: {**dict.fromkeys(("tp", "gpus"), r.choice([7, 14])), "model": "Qwen/Qwen2.5-7B-Instruct"},
    ),
]

DISAGGREGATED: Rows = [
    (
        "connector without a role",
        "vllm/kv-connector-without-role",
        "prefill_transfer",
        one("prefill_transfer", '{"kv_connector": "NixlConnector"}'),
    ),
    (
        "connector without a role, behind =",
        "vllm/kv-connector-without-role",
        "decode_transfer",
        one("decode_transfer", '{"kv_connector": "NixlConnector"}'),
    ),
    (
        "no such role",
        "vllm/json-value-refused",
        "prefill_transfer",
        one("prefill_transfer", '{"kv_connector": "NixlConnector", "kv_role": "producer"}'),
    ),
    (
        "key misspelt",
        "vllm/json-key-unknown",
        "decode_transfer",
        one("decode_transfer", '{"kv_conector": "NixlConnector", "kv_role": "kv_both"}'),
    ),
    (
        "JSON cut short",
        "vllm/value-not-readable",
        "prefill_transfer",
        one("prefill_transfer", '{"kv_connector": "NixlConnector"'),
    ),
    (
        "budget below sequences",
        "vllm/token-budget-below-sequences",
        "prefill_tokens prefill_seqs",
        one("prefill_tokens", 16, 63),
    ),
    (
        "probe asks another port",
        "kubernetes/probe-port-not-served",
        "prefill_probe",
        one("prefill_probe", 8000, 8200),
    ),
    (
        "Service port nobody serves",
        "kubernetes/service-port-not-served",
        "prefill_target",
        one("prefill_target", 8000, 9999),
    ),
    (
        "Service selects nothing",
        "kubernetes/service-selects-no-pod",
        "service_role",
        one("service_role", "prefil", "router"),
    ),
    (
        "selector differs from labels",
        "kubernetes/selector-differs-from-labels",
        "prefill_selector prefill_label",
        one("prefill_selector", "decode", "prefiller"),
    ),
    ("ranks above the GPUs of decode", "cross/parallelism-exceeds-gpus", "tp gpus", one("tp", 4, 8)),
]

DATA_PARALLEL: Rows = [
    (
        "ranks above the GPUs, by data",
        "cross/parallelism-exceeds-gpus",
        "dp dp_local tp gpus",
        alike("dp dp_local", 8, 16),
    ),
    ("ranks above the GPUs, by tensor", "cross/parallelism-exceeds-gpus", "dp dp_local tp gpus", one("tp", 4, 8)),
    ("ranks above the GPUs, by the pod", "cross/parallelism-exceeds-gpus", "dp dp_local tp gpus", one("gpus", 2, 4)),
    ("GPUs left idle", "cross/gpus-left-idle", "dp dp_local tp gpus", one("tp", 1)),
    ("more local ranks than ranks", "vllm/data-parallel-ranks-disagree", "dp dp_local", one("dp", 1, 2)),
    (
        "two modes at once",
        "vllm/data-parallel-modes-exclude-each-other",
        "extra",
        one("extra", "--data-parallel-external-lb"),
    ),
    ("headless with API servers", "vllm/headless-with-api-servers", "extra servers", one("extra", "--headless")),
    ("no such backend", "vllm/value-not-a-choice", "all2all", one("all2all", "deepep", "nccl")),
    (
        "expert balancing without experts",
        "vllm/expert-balancing-without-experts",
        "expert extra",
        lambda _: {"expert": "--enable-eplb"},
    ),
    (
        "expert parallel with one rank",
        "vllm/expert-parallel-without-ranks",
        "expert",
        alike("dp dp_local tp gpus", 1),
    ),
    (
        "selector differs from labels",
        "kubernetes/selector-differs-from-labels",
        "label",
        one("label", "mixtral"),
        "kubernetes/service-selects-no-pod",
    ),
    ("argument misspelt", "vllm/argument-unknown", "extra", one("extra", "--data-paralel-rpc-port=13345")),
]

SLICES: Rows = [
    ("tensor parallel on slices", "kubernetes/gpu-slices-with-tensor-parallelism", "tp", alike("tp slices", 2), ""),
    ("slices and whole GPUs", "kubernetes/gpu-kinds-mixed", "other resource", one("other", "nvidia.com/gpu: 1")),
    (
        "time-slices and tensor parallel",
        "kubernetes/gpu-slices-with-tensor-parallelism",
        "shared_tp",
        alike("shared_tp shared", 2),
        "",
    ),
    ("fractions above one GPU", "vllm/memory-fractions-exceed-gpu", "fraction", one("fraction", 0.6, 0.9)),
    ("fraction of a slice", "kubernetes/gpu-fractional", "slices", one("slices", "0.5", "500m")),
    ("KV cache above the GPU", "vllm/kv-cache-exceeds-gpu", "kv_bytes", one("kv_bytes", "64G", "90G")),
    (
        "ranks above the slices",
        "cross/parallelism-exceeds-gpus",
        "tp slices",
        one("tp", 2, 4),
        "kubernetes/gpu-slices-with-tensor-parallelism kubernetes/shared-memory-missing",
    ),
]

OLD_RELEASE: Rows = [
    (
        "arguments of an old release on a new one",
        "vllm/argument-removed",
        "swap guided",
        one("version", "0.20.0", "0.33.0"),
        "vllm/variable-removed cross/metric-gone vllm/value-not-known",
    ),
    (
        "argument of a later version",
        "vllm/argument-too-new vllm/argument-unknown",
        "extra",
        one("extra", "--shutdown-timeout=60", "--kv-offloading-size=8"),
    ),
    ("no such choice", "vllm/value-not-a-choice", "guided", one("guided", "xgramar", "regex")),
    (
        "fp8 KV cache on Ampere",
        "vllm/kv-cache-dtype-unsupported-by-gpu",
        "kv_dtype",
        one("kv_dtype", "fp8", "fp8_e4m3"),
    ),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 16, 63)),
    (
        "variable misspelt",
        "vllm/variable-unknown",
        "variable",
        one("variable", "VLLM_LOGING_LEVEL", "VLLM_ATENTION_BACKEND"),
    ),
    ("share of the cache in percent", "cross/metric-target-out-of-reach", "target", one("target", 70, 90)),
    ("argument on its way out", "vllm/argument-deprecated", "extra", one("extra", "--disable-log-requests")),
    (
        "argument that turns the engine back",
        "vllm/argument-turns-v1-off",
        "extra",
        one("extra", "--max-num-partial-prefills=4"),
    ),
    (
        "argument gone",
        "vllm/argument-removed",
        "extra",
        one("extra", "--num-scheduler-steps=8"),
    ),
    ("variable of a later version", "vllm/variable-too-new", "variable", one("variable", "VLLM_USE_RUST_FRONTEND")),
    (
        "quantization on an old GPU",
        "vllm/quantization-unsupported-by-gpu",
        "extra",
        lambda r: {"extra": "--quantization=fp8", "product": "Tesla-T4", "version": r.choice(["0.10.1", "0.10.2"])},
    ),
]
