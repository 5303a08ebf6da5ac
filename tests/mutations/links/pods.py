"""Links inside Kubernetes objects: names, amounts, priorities, what an autoscaler looks at."""

from __future__ import annotations

from tests.mutations.links.link import Rows, one

SMALL: Rows = [
    (
        "GPU request without a limit",
        "kubernetes/gpu-limit-missing",
        "request",
        lambda _: {"gpu": "cpu: 8", "request": ", nvidia.com/gpu: 1"},
    ),
    ("engine without a GPU", "cross/engine-without-gpu-request", "resources request gpu", one("gpu", "cpu: 8")),
    (
        "memory of a GPU as a resource",
        "cross/gpu-memory-as-pod-resource",
        "gpu",
        one("gpu", "aliyun.com/gpu-mem: 20"),
        "cross/engine-without-gpu-request",
    ),
    (
        "quota of what nobody limits",
        "kubernetes/quota-needs-amounts",
        "container cpu gpu",
        one("memory", "cpu: 8"),
    ),
    ("toleration with a value", "kubernetes/toleration-refused", "toleration", one("toleration", ", value: present")),
    ("port twice", "kubernetes/duplicate-key-in-list", "second_port", one("second_port", 8000)),
    ("variable twice", "kubernetes/duplicate-key-in-list", "variable", one("variable", "LOG_LEVEL")),
    (
        "secret in the open",
        "kubernetes/literal-secret",
        "value",
        lambda _: {"variable": "HF_TOKEN", "value": "q8WzT4mLr7NcV2pXs9Ea"},
    ),
    ("name of a container", "kubernetes/name-refused", "container", one("container", "Engine", "engine_1")),
    ("name of a port", "kubernetes/name-refused", "port_name", one("port_name", "metrics-endpoint-http", "Metrics")),
    ("value of a label", "kubernetes/label-value-refused", "tier", one("tier", "example/llama-8B", '"gpu pool"')),
    ("priority of the system", "kubernetes/priority-class-refused", "priority", one("priority", 2000000000)),
    ("class of the system", "kubernetes/priority-class-refused", "class", one("class", "system-models")),
    (
        "engine with the system's class",
        "kubernetes/engine-with-system-priority",
        "uses",
        one("uses", "system-node-critical", "system-cluster-critical"),
    ),
]

BUSY: Rows = [
    (
        "share of a request that is not there",
        "kubernetes/autoscaler-needs-request",
        "request resource",
        one("request", "ephemeral-storage: 1Gi"),
    ),
    ("two autoscalers", "kubernetes/two-autoscalers-one-workload", "other", one("other", "rank")),
    (
        "target that nobody scales",
        "kubernetes/autoscaler-target-not-scalable",
        "kind api",
        lambda _: {"api": "ray.io/v1", "kind": "RayService"},
    ),
    (
        "no metric but use of the node",
        "cross/scales-on-utilisation",
        "queue resource",
        one(
            "queue", "{type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 80}}}"
        ),
    ),
]

NEIGHBOURS: Rows = [
    ("port of the neighbour", "vllm/port-taken-twice", "port other_port", one("other_port", 8000)),
    ("argument gone", "vllm/argument-removed", "extra", one("extra", "--swap-space=4", "--num-scheduler-steps=8")),
]
