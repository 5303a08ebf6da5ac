"""The links of the chain, and how each is broken: what a mutation changes, and what lint has to say where.

A link is broken by a value drawn at random among those that certainly break it. `rules` are the ids of which at least
one has to be found, `slots` those whose line a finding may stand on (both ends of the link where both are right).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a good manifest. `draw` gives the slots to change."""

    base: str
    name: str
    rules: tuple[str, ...]
    slots: tuple[str, ...]
    draw: Callable[[Random], Values]


def _one(slot: str, *values: object) -> Callable[[Random], Values]:
    return lambda random: {slot: random.choice(values)}


def _link(base: str, name: str, rules: str, slots: str, draw: Callable[[Random], Values]) -> Link:
    return Link(base, name, tuple(rules.split()), tuple(slots.split()), draw)


_DEPLOYMENT = [
    ("pod GPUs < tensor parallel", "cross/parallelism-exceeds-gpus", "tp gpus", _one("tp", 8)),
    (
        "pod GPUs < tensor parallel, by the pod",
        "cross/parallelism-exceeds-gpus",
        "tp gpus",
        lambda random: dict.fromkeys(("gpus", "request"), random.choice([1, 2, 3])),
    ),
    (
        "pod GPUs > tensor parallel",
        "cross/gpus-left-idle",
        "tp gpus",
        lambda random: dict.fromkeys(("gpus", "request"), random.choice([5, 6, 7, 8])),
    ),
    (
        "GPU request differs from limit",
        "kubernetes/gpu-request-differs-from-limit",
        "request gpus",
        _one("request", 1, 2, 3, 8),
    ),
    (
        "fraction of a GPU",
        "kubernetes/gpu-fractional",
        "request gpus",
        lambda random: dict.fromkeys(("gpus", "request"), random.choice(["0.5", "500m", "1.5"])),
    ),
    (
        "heads not divisible by tensor parallel",
        "vllm/heads-not-divisible",
        "tp",
        lambda random: dict.fromkeys(("gpus", "request", "tp"), random.choice([3, 5, 6, 7])),
    ),
    ("taint not borne", "kubernetes/no-pool-takes-the-pod", "toleration selector", _one("toleration", "gpu", "spot")),
    ("no node with the label", "kubernetes/no-pool-takes-the-pod", "selector", _one("selector", "a100", "l40s")),
    (
        "memory larger than any node",
        "kubernetes/pod-larger-than-any-node",
        "memory_request memory_limit",
        lambda random: dict.fromkeys(("memory_request", "memory_limit"), random.choice(["1100Gi", "2Ti"])),
    ),
    (
        "more GPUs than any node",
        "kubernetes/pod-larger-than-any-node",
        "request gpus",
        lambda _: dict.fromkeys(("gpus", "request", "tp"), 16) | {"quota_gpus": 32},
    ),
    (
        "quota below what replicas ask",
        "kubernetes/quota-exceeded",
        "quota_gpus gpus request replicas",
        _one("quota_gpus", 1, 4, 7),
    ),
    (
        "replicas above the quota",
        "kubernetes/quota-exceeded",
        "quota_gpus gpus request replicas",
        _one("replicas", 5, 6, 9),
    ),
    (
        "rollout surges above the quota",
        "kubernetes/quota-exceeded-by-rollout",
        "quota_gpus surge replicas gpus request",
        lambda random: {"surge": random.choice([1, 2]), "unavailable": 0, "quota_gpus": random.choice([8, 9, 11])},
    ),
    (
        "rollout deadlock",
        "kubernetes/rollout-deadlock",
        "surge unavailable replicas",
        lambda random: {"replicas": 4, "surge": random.choice([1, 2]), "unavailable": 0, "quota_gpus": 64},
    ),
    (
        "claim of one node for two pods",
        "kubernetes/volume-cannot-be-shared",
        "access replicas",
        _one("access", "ReadWriteOnce", "ReadWriteOncePod"),
    ),
    ("Service injects VLLM_PORT", "kubernetes/service-link-collision", "service_name", _one("service_name", "vllm")),
    (
        "Service selects nothing",
        "kubernetes/service-selects-no-pod",
        "service_selector",
        _one("service_selector", "chatt", "engine"),
    ),
    (
        "Service port nobody serves",
        "kubernetes/service-port-not-served",
        "target_port",
        _one("target_port", 8080, 9000, "metrics"),
    ),
    (
        "probe asks another port",
        "kubernetes/probe-port-not-served",
        "probe_port",
        _one("probe_port", 8080, 80, "health"),
    ),
    ("budget blocks every drain", "kubernetes/disruption-budget-blocks-drain", "pdb", _one("pdb", 0, '"0%"')),
    (
        "liveness kills a loading model",
        "kubernetes/probe-kills-loading-model",
        "startup_failures",
        _one("startup_failures", 1, 2, 3),
    ),
    (
        "grace shorter than drain",
        "kubernetes/grace-period-too-short",
        "grace drain pre_stop",
        _one("grace", 10, 30, 60, 74),
    ),
    (
        "no shared memory for ranks",
        "kubernetes/shared-memory-missing",
        "tp shm_path engine",
        _one("shm_path", "/shm", "/scratch"),
    ),
    (
        "shared memory larger than the limit",
        "kubernetes/shared-memory-exceeds-limit",
        "shm_size memory_limit",
        _one("shm_size", "256Gi", "300Gi"),
    ),
    (
        "memory in thousandths",
        "kubernetes/memory-unit-wrong",
        "memory_request",
        _one("memory_request", "200000m", "1000m"),
    ),
    (
        "host cache above the memory limit",
        "cross/host-cache-exceeds-memory-limit",
        "offload memory_limit",
        _one("offload", 201, 256, 512),
    ),
    (
        "argument gone",
        "vllm/argument-removed",
        "extra",
        _one(
            "extra",
            "--swap-space=4",
            "--max-num-partial-prefills=4",
            "--num-scheduler-steps=8",
            "--guided-decoding-backend=xgrammar",
            "--task=generate",
        ),
    ),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "extra",
        _one(
            "extra",
            "--enable-prefix-cachng",
            "--max-num-sequences=8",
            "--enable-chuncked-prefill",
            "--tensor-paralel-size=4",
        ),
    ),
    (
        "argument of a later version",
        "vllm/argument-too-new vllm/argument-unknown",
        "extra drain offload",
        lambda random: {"version": random.choice(["0.10.2", "0.9.2"])},
    ),
    ("no such choice", "vllm/value-not-a-choice", "dtype", _one("dtype", "bf16", "fp64", "int8")),
    ("fraction out of bounds", "vllm/value-out-of-bounds", "fraction", _one("fraction", "1.5", "0", "90", "-0.5")),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", _one("tokens", 16, 64, 100)),
    ("longer than the model", "vllm/length-exceeds-positions", "length", _one("length", 262144, 1000000)),
    (
        "bfloat16 on an old GPU",
        "vllm/dtype-unsupported-by-gpu",
        "dtype",
        lambda random: {"product": random.choice(["Tesla-T4", "Tesla-V100-SXM2-32GB"])},
    ),
    (
        "fp8 KV cache on an old GPU",
        "vllm/kv-cache-dtype-unsupported-by-gpu",
        "kv_dtype",
        lambda random: {
            "kv_dtype": random.choice(["fp8", "fp8_e4m3"]),
            "product": "Tesla-T4",
            "dtype": "half",
        },
    ),
    (
        "variable gone",
        "vllm/variable-removed",
        "variable",
        _one("variable", "VLLM_USE_V1", "VLLM_ATTENTION_BACKEND", "VLLM_RPC_TIMEOUT"),
    ),
]

_AUTOSCALED = [
    ("autoscaler: least above most", "kubernetes/autoscaler-min-exceeds-max", "least most", _one("least", 7, 9)),
    (
        "ceiling above the machines",
        "cross/ceiling-exceeds-machines",
        "most",
        lambda r: {"most": r.choice([9, 12, 20]), "quota_gpus": 32},
    ),
    ("ceiling above the quota", "cross/ceiling-exceeds-quota", "most quota_gpus", _one("quota_gpus", 1, 3, 5)),
    (
        "replicas written twice",
        "cross/replicas-written-twice",
        "replicas_line",
        lambda r: {"replicas_line": f"replicas: {r.randint(1, 6)}"},
    ),
    ("target above max_num_seqs", "cross/metric-target-out-of-reach", "target", _one("target", 65, 100, 128)),
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

_SERVE_LLM = [
    (
        "bundles fewer than ranks",
        "cross/bundles-differ-from-parallelism",
        "tp bundle last_bundle",
        _one("last_bundle", "{CPU: 1}"),
    ),
    ("bundle of several GPUs", "ray/bundle-of-several-gpus", "bundle", _one("bundle", 2, 4)),
    ("ranks more than bundles", "cross/bundles-differ-from-parallelism", "tp bundle", _one("tp", 8)),
    (
        "worker smaller than STRICT_PACK",
        "ray/strict-strategy-impossible ray/bundles-exceed-max-workers",
        "bundle strategy last_bundle gpus num_gpus",
        lambda r: dict.fromkeys(("gpus", "num_gpus"), r.choice([1, 2])),
    ),
    ("num-gpus above the pod", "ray/num-gpus-differs-from-pod", "num_gpus gpus", _one("num_gpus", 5, 8)),
    ("num-gpus below the pod", "ray/num-gpus-differs-from-pod", "num_gpus gpus", _one("num_gpus", 0, 1, 2, 3)),
    ("num-cpus above the pod", "ray/num-cpus-exceed-pod", "param", _one("param", 'num-cpus: "64"', 'num-cpus: "33"')),
    (
        "Serve limit below the engine",
        "cross/serve-limit-below-engine",
        "ongoing seqs",
        lambda r: {"ongoing": r.choice([5, 16, 100]), "target": 4},
    ),
    ("target above the engine", "cross/target-exceeds-running-set", "target seqs", _one("target", 129, 160, 190)),
    (
        "target above Serve's limit",
        "cross/target-exceeds-max-ongoing",
        "target ongoing",
        _one("target", 193, 256, 1000),
    ),
    (
        "Serve above the workers",
        "cross/serve-replicas-exceed-workers",
        "serve_most most gpus num_gpus",
        _one("serve_most", 3, 4, 8),
    ),
    ("Serve: least above most", "ray/serve-min-exceeds-max", "serve_least serve_most", _one("serve_least", 3, 5)),
    ("workers: least above most", "ray/min-exceeds-max", "least most", _one("least", 3, 5)),
    ("heads not divisible", "vllm/heads-not-divisible", "tp", _one("tp", 3, 5, 6)),
    (
        "argument gone",
        "vllm/argument-removed",
        "kwarg",
        _one("kwarg", "use_v2_block_manager", "num_scheduler_steps", "enable_prompt_adapter"),
    ),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "kwarg",
        _one("kwarg", "enable_prefix_cachng", "enable_chuncked_prefill"),
    ),
    (
        "Serve option misspelt",
        "ray/serve-option-unknown",
        "option",
        _one("option", "graceful_shutdown_timeout", "max_concurent_queries"),
    ),
    (
        "Ray version of the image",
        "ray/ray-version-differs-from-image",
        "ray head_image worker_image",
        _one("ray", "2.46.0", "2.48.0"),
    ),
    (
        "worker image of another Ray",
        "ray/worker-image-differs-from-head",
        "worker_image head_image",
        _one("worker_image", "2.46.0-py311-cu124", "2.50.0-py311-cu128"),
    ),
    (
        "accelerator not on any group",
        "ray/accelerator-type-not-provided",
        "accelerator",
        _one("accelerator", "A100", "L4", "B200"),
    ),
    (
        "option of autoscaler v2",
        "ray/option-needs-autoscaler-v2",
        "idle autoscaler_version",
        lambda _: {"idle": "idleTimeoutSeconds: 60", "autoscaler_version": "version: v1"},
    ),
    ("name too long", "ray/name-too-long", "name", lambda r: {"name": "chat-" + "x" * r.randint(43, 60)}),
    ("longer than the model", "vllm/length-exceeds-positions", "length", _one("length", 262144, 500000)),
]

_SERVE = [
    ("actor larger than any node", "ray/actor-larger-than-any-node", "actor_gpus", _one("actor_gpus", 3, 4, 8)),
    ("actor of too many CPUs", "ray/actor-larger-than-any-node", "actor_cpus", _one("actor_cpus", 17, 32)),
    (
        "custom resource nobody has",
        "ray/custom-resource-not-provided",
        "actor_option custom",
        _one("custom", "cash", "store"),
    ),
    ("Serve above the workers", "cross/serve-replicas-exceed-workers", "serve_most most", _one("serve_most", 5, 9)),
    ("target above Serve's limit", "cross/target-exceeds-max-ongoing", "target ongoing", _one("target", 17, 64)),
    ("Serve: least above most", "ray/serve-min-exceeds-max", "serve_least serve_most", _one("serve_least", 5, 8)),
    ("workers: least above most", "ray/min-exceeds-max", "least most", _one("least", 3, 5)),
    ("replicas outside the bounds", "ray/replicas-outside-bounds", "desired least most", _one("desired", 0, 1, 3, 9)),
    (
        "object store above shared memory",
        "ray/object-store-exceeds-shared-memory",
        "store",
        _one("store", 'object-store-memory: "137438953472"'),
    ),
    (
        "accelerator not provided",
        "ray/accelerator-type-not-provided",
        "actor_option",
        _one("actor_option", "accelerator_type: H100", "accelerator_type: A100"),
    ),
]

_LEADER_WORKER_SET = [
    ("nodes differ from the group", "cross/group-differs-from-parallelism", "nnodes size", _one("nnodes", 4, 8)),
    ("group differs from nodes", "cross/group-differs-from-parallelism", "nnodes size", _one("size", 3, 4, 8)),
    (
        "ranks more than the group's GPUs",
        "cross/group-differs-from-parallelism",
        "tp pp size gpus",
        _one("pp", 3, 4, 8),
    ),
    ("GPUs fewer than ranks", "cross/group-differs-from-parallelism", "tp pp size gpus", _one("gpus", 1, 2, 4)),
    ("no shared memory", "kubernetes/shared-memory-missing", "tp shm_path engine", _one("shm_path", "/shm")),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", _one("tokens", 64, 128)),
    ("argument gone", "vllm/argument-removed", "extra", _one("extra", "--swap-space 4", "--num-lookahead-slots 2")),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "extra",
        _one("extra", "--enable-prefix-cachng", "--enable-expert-paralel"),
    ),
]

_STATEFUL_SET = [
    ("budget below sequences, in a file", "vllm/token-budget-below-sequences", "tokens seqs", _one("tokens", 16, 32)),
    (
        "key of a file misspelt",
        "vllm/argument-unknown",
        "key",
        _one("key", "enable-prefix-cachng", "enable-chuncked-prefill"),
    ),
    (
        "key of a file gone",
        "vllm/argument-removed",
        "key",
        _one("key", "use-v2-block-manager", "disable-log-requests"),
    ),
    ("GPUs fewer than ranks", "cross/parallelism-exceeds-gpus", "tp gpus", _one("tp", 2, 4)),
    ("GPUs more than ranks", "cross/gpus-left-idle", "tp gpus", _one("gpus", 2, 4)),
    (
        "JSON cut short",
        "vllm/value-not-readable",
        "speculative",
        _one("speculative", '{"method": "ngram"', "{method: ngram}"),
    ),
    (
        "key of a JSON value gone",
        "vllm/json-key-unknown",
        "compilation",
        _one("compilation", '{"use_inductor": true}', '{"full_cuda_graph": true}'),
    ),
]

_RAY_CLUSTER = [
    ("num-gpus above the pod", "ray/num-gpus-differs-from-pod", "num_gpus gpus", _one("num_gpus", 2, 4, 8)),
    ("num-cpus above the pod", "ray/num-cpus-exceed-pod", "num_cpus cpus", _one("num_cpus", 17, 64)),
    ("memory above the pod", "ray/memory-exceeds-pod", "memory", _one("memory", 137438953472, 68719476737)),
    ("workers: least above most", "ray/min-exceeds-max", "least most", _one("least", 5, 9)),
    (
        "slices unseen by the autoscaler",
        "ray/autoscaler-blind-to-gpus",
        "mig second mig_resource",
        _one("mig", 'num-cpus: "4"'),
    ),
    ("group named twice", "ray/duplicate-group-name", "second", _one("second", "small")),
    (
        "Ray version of the image",
        "ray/ray-version-differs-from-image",
        "ray head_image worker_image",
        _one("ray", "2.46.0", "2.40.0"),
    ),
    (
        "worker image of another Ray",
        "ray/worker-image-differs-from-head",
        "worker_image head_image",
        _one("worker_image", "2.46.0-py311-gpu"),
    ),
    ("name too long", "ray/name-too-long", "name", lambda r: {"name": "batch-" + "x" * r.randint(48, 60)}),
    (
        "options without an autoscaler",
        "ray/autoscaler-option-without-autoscaler",
        "autoscaling options",
        _one("autoscaling", "false"),
    ),
]

LINKS: tuple[Link, ...] = tuple(
    _link(base, *row)
    for base, rows in {
        "deployment": _DEPLOYMENT,
        "autoscaled": _AUTOSCALED,
        "serve_llm": _SERVE_LLM,
        "serve": _SERVE,
        "leader_worker_set": _LEADER_WORKER_SET,
        "stateful_set": _STATEFUL_SET,
        "ray_cluster": _RAY_CLUSTER,
    }.items()
    for row in rows
)
