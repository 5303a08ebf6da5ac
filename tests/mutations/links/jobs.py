"""Links of what runs to its end: RayJob, a Job in a Kueue queue, CronJob."""

from __future__ import annotations

from tests.mutations.links.link import Rows, alike, beside, one

RAY_JOB: Rows = [
    (
        "ranks of the entrypoint above the GPUs",
        "cross/parallelism-exceeds-gpus",
        "tp driver_gpus gpus",
        one("tp", 4, 8),
    ),
    (
        "driver asks for more GPUs than a node has",
        "ray/actor-larger-than-any-node",
        "driver_gpus",
        one("driver_gpus", 3, 4, 8),
        "cross/gpus-left-idle",
    ),
    (
        "driver asks for more CPUs than a node has",
        "ray/actor-larger-than-any-node",
        "driver_cpus",
        one("driver_cpus", 9, 64),
    ),
    (
        "driver asks for a resource nobody has",
        "ray/custom-resource-not-provided",
        "custom",
        one("custom", "cash", "disk"),
    ),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 16, 63)),
    (
        "heads not divisible",
        "vllm/heads-not-divisible",
        "tp",
        beside(one("tp", 3, 5, 6, 7), gpus=8, num_gpus=8),
        "cross/parallelism-exceeds-gpus cross/gpus-left-idle",
    ),
    (
        "longer than the model",
        "vllm/length-exceeds-positions",
        "length",
        one("length", 262144),
        "vllm/long-prompt-blocks-short-ones",
    ),
    (
        "argument misspelt",
        "vllm/argument-unknown",
        "extra",
        one("extra", "--enable-prefix-cachng", "--enable-chuncked-prefill"),
    ),
    (
        "argument gone",
        "vllm/argument-removed",
        "extra",
        one("extra", "--use-v2-block-manager", "--num-scheduler-steps 8", "--preemption-mode swap"),
    ),
    ("fraction out of bounds", "vllm/value-out-of-bounds", "fraction", one("fraction", 90, 1.2)),
    (
        "num-gpus differs from the pod",
        "ray/num-gpus-differs-from-pod",
        "num_gpus gpus",
        one("num_gpus", 0, 1, 4),
        "ray/actor-larger-than-any-node cross/parallelism-exceeds-gpus cross/gpus-left-idle",
    ),
    (
        "image of another Ray",
        "ray/worker-image-differs-from-head",
        "worker_image head_image",
        one("worker_image", "2.46.0-py311-cu124", "2.50.0-py311-cu128"),
        "ray/ray-version-differs-from-image",
    ),
    (
        "Ray version of the image",
        "ray/ray-version-differs-from-image",
        "ray head_image worker_image",
        one("ray", "2.44.0", "2.48.0"),
    ),
    (
        "workers: least above most",
        "ray/min-exceeds-max",
        "least most",
        one("least", 2, 3),
        "ray/replicas-outside-bounds",
    ),
    ("time to live without shutdown", "ray/job-option-needs-shutdown", "shutdown ttl", one("shutdown", "false")),
    ("name too long", "ray/name-too-long", "name", lambda r: {"name": "batch-" + "x" * r.randint(42, 60)}),
    (
        "backoff of an interactive job",
        "ray/job-backoff-not-supported",
        "backoff mode",
        lambda r: {"mode": "submissionMode: InteractiveMode", "backoff": f"backoffLimit: {r.randint(1, 5)}"},
    ),
    (
        "sidecar of a pod that restarts",
        "ray/job-sidecar-mode-conflict",
        "mode restart",
        beside(one("restart", "Always", "OnFailure"), mode="submissionMode: SidecarMode"),
    ),
]

QUEUED: Rows = [
    ("one pod above the queue", "kubernetes/queue-cannot-admit", "quota_gpus gpus parallelism", one("gpus", 16, 9)),
    (
        "all pods above the queue",
        "kubernetes/queue-cannot-admit",
        "quota_gpus gpus parallelism",
        one("parallelism", 5, 6, 8),
    ),
    (
        "quota below the job",
        "kubernetes/queue-cannot-admit",
        "quota_gpus gpus parallelism",
        one("quota_gpus", 0, 1, 3),
    ),
    (
        "CPUs above the queue",
        "kubernetes/queue-cannot-admit",
        "quota_cpus cpus parallelism",
        one("quota_cpus", 4, 15),
    ),
    (
        "memory above the queue",
        "kubernetes/queue-cannot-admit",
        "quota_memory memory parallelism",
        one("quota_memory", "64Gi", "100Gi"),
    ),
    (
        "resource that the queue does not cover",
        "kubernetes/queue-cannot-admit",
        "gpus",
        one("covered", "amd.com/gpu", "nvidia.com/mig-1g.10gb"),
    ),
    (
        "memory above the LimitRange",
        "kubernetes/limit-range-conflict",
        "most_memory memory",
        one("most_memory", "32Gi", "63Gi"),
    ),
    (
        "limit above the LimitRange",
        "kubernetes/limit-range-conflict",
        "most_memory memory",
        one("memory", "129Gi", "200Gi"),
    ),
    ("restart policy of a Job", "kubernetes/restart-policy-refused", "restart", one("restart", "Always")),
    ("fraction of a GPU", "kubernetes/gpu-fractional", "gpus", one("gpus", "0.5", "500m")),
]

CRON_JOB: Rows = [
    ("pod GPUs < tensor parallel", "cross/parallelism-exceeds-gpus", "tp gpus", one("tp", 8)),
    ("pod GPUs < tensor parallel, by the pod", "cross/parallelism-exceeds-gpus", "tp gpus", one("gpus", 1, 2, 3)),
    ("pod GPUs > tensor parallel", "cross/gpus-left-idle", "tp gpus", one("tp", 1, 2)),
    (
        "quota below what one run asks",
        "kubernetes/quota-exceeded",
        "quota_gpus gpus parallelism",
        one("quota_gpus", 0, 3, 7),
    ),
    ("restart policy of a Job", "kubernetes/restart-policy-refused", "restart", one("restart", "Always")),
    (
        "mount of a volume nobody made",
        "kubernetes/mount-without-volume",
        "mount",
        one("mount", "memory", "shmem"),
        "kubernetes/shared-memory-missing",
    ),
    (
        "shared memory above the limit",
        "kubernetes/shared-memory-exceeds-limit",
        "shm_size",
        one("shm_size", "201Gi", "512Gi"),
    ),
    (
        "heads not divisible",
        "vllm/heads-not-divisible",
        "tp",
        alike("tp gpus", 3, 5, 6, 7),
        "kubernetes/quota-exceeded",
    ),
    ("budget below sequences", "vllm/token-budget-below-sequences", "tokens seqs", one("tokens", 32, 127)),
    (
        "longer than the model",
        "vllm/length-exceeds-positions",
        "length",
        one("length", 200000, 1000000),
        "vllm/long-prompt-blocks-short-ones",
    ),
]
