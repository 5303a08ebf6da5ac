"""Links of a RayService of its own: upgrades, priorities, placement groups and options by version."""

from __future__ import annotations

from tests.mutations.links.link import Rows, alike, beside, one

RAY_UPGRADE: Rows = [
    (
        "no room for the second cluster",
        "ray/upgrade-needs-second-cluster",
        "name upgrade",
        alike("desired least most", 3, 4),
        "kubernetes/quota-exceeded-by-rollout",
    ),
    (
        "two clusters above the quota",
        "kubernetes/quota-exceeded-by-rollout",
        "quota_gpus name upgrade gpus",
        one("quota_gpus", 8, 12),
    ),
    ("no such upgrade", "ray/upgrade-type-unknown", "upgrade", one("upgrade", "Rolling", "newCluster")),
    (
        "incremental upgrade without its parts",
        "ray/incremental-upgrade-incomplete",
        "upgrade",
        one("upgrade", "NewClusterWithIncrementalUpgrade"),
    ),
    ("bundle larger than any node", "ray/bundle-larger-than-any-node", "bundle_gpus", one("bundle_gpus", 5, 8)),
    (
        "bundle of too many CPUs",
        "ray/bundle-larger-than-any-node",
        "bundle_gpus bundle_cpus",
        one("bundle_cpus", 9, 64),
    ),
    ("actor above its bundle", "ray/actor-exceeds-first-bundle", "actor_gpus", one("actor_gpus", 3, 4)),
    (
        "bundles above the workers",
        "ray/bundles-exceed-max-workers",
        "serve_replicas most bundle_gpus gpus",
        one("serve_replicas", 5, 9),
    ),
    ("head preempted before workers", "kubernetes/head-preempted-before-workers", "head_class", one("heads", 1, 999)),
    ("head without workers' class", "kubernetes/head-preempted-before-workers", "head_class", one("serving", 3000)),
    (
        "authentication of a later Ray",
        "ray/auth-mode-needs-newer-ray",
        "auth ray",
        beside(one("ray", "2.46.0", "2.50.0"), auth="token"),
    ),
    (
        "import path without a colon",
        "ray/serve-import-path-malformed",
        "import_path",
        one("import_path", "vision", "vision/app"),
    ),
    (
        "option misspelt",
        "ray/serve-option-unknown",
        "serve_option",
        one("serve_option", "health_check_periods_s: 10", "max_replica_per_node: 1"),
    ),
    ("value out of bounds", "ray/serve-value-out-of-bounds", "ongoing", one("ongoing", 0, -1)),
    (
        "replicas and autoscaling",
        "ray/serve-replicas-and-autoscaling",
        "serve_replicas serve_option",
        one("serve_option", "autoscaling_config: {min_replicas: 1, max_replicas: 2, target_ongoing_requests: 4}"),
    ),
    (
        "per-node limit with bundles",
        "ray/serve-per-node-limit-with-bundles",
        "serve_option",
        one("serve_option", "max_replicas_per_node: 1"),
    ),
    (
        "start parameter misspelt",
        "ray/start-param-misspelt",
        "worker_param",
        one("worker_param", 'num-cpu: "8"', 'object-store-memmory: "100"'),
    ),
    (
        "labels in start parameters",
        "ray/labels-in-start-params",
        "worker_param",
        one("worker_param", 'labels: \'{"zone": "a"}\''),
    ),
    (
        "CPUs that the pod has not",
        "ray/num-cpus-exceed-pod",
        "worker_param cpus",
        one("worker_param", 'num-cpus: "9"', 'num-cpus: "64"'),
    ),
    ("port of Serve without its name", "ray/serve-port-not-named", "port_name", one("port_name", "http", "svc")),
    (
        "workers: least above most",
        "ray/min-exceeds-max",
        "least most",
        one("least", 3, 5),
        " ".join(
            (
                "ray/replicas-outside-bounds",
                "ray/upgrade-needs-second-cluster",
                "kubernetes/quota-exceeded-by-rollout",
                "kubernetes/quota-exceeded",
                "kubernetes/pods-exceed-nodes",
            )
        ),
    ),
    (
        "resources in both places",
        "ray/start-params-and-resources",
        "worker_param hosts num_gpus",
        beside(one("hosts", 'resources: {GPU: "4"}')),
    ),
    (
        "port of Serve that it does not listen on",
        "ray/serve-port-differs",
        "serve_port port_name",
        one("serve_port", 9000, 8001),
    ),
]
