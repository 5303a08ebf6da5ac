"""A Stack that uses every field there is, with values that a real API server takes."""

from __future__ import annotations

from dataclasses import replace

from controlplane.source import parse_quantity
from controlplane.stack.inventory import Inventory
from controlplane.stack.model import Stack, Strategy
from controlplane.stack.pods import (
    ConfigKey,
    Constraints,
    Container,
    EmptyDir,
    EnvVar,
    ExecProbe,
    FieldPath,
    HttpGet,
    ImageVolume,
    Mount,
    NodeRequirement,
    PodSet,
    Port,
    Probe,
    SecretKey,
    TcpSocket,
    Toleration,
    TopologySpread,
    Volume,
)
from controlplane.stack.references import DisruptionBudget, Namespace, ObjectRef, Service, ServicePort
from tests.emit import example
from tests.emit.example import known


def whole() -> Stack:
    """One workload with everything, and a reference of every kind and shape."""
    first = example.workload()
    return Stack(
        inventory=Inventory((example.pool(),)),
        workloads=(
            replace(
                first,
                pod_sets=(_pods(),),
                engines=(
                    example.engine(
                        max_model_len=16384,
                        enable_prefix_caching=False,
                        enable_chunked_prefill=True,
                        compilation_config={"mode": 3, "cudagraph_capture_sizes": [1, 2, 4]},
                        allowed_origins=["https://a.example", "*"],
                        chat_template="{{ messages }} costs $5 or $(PRICE)\n",
                        shutdown_timeout=45,
                    ),
                ),
                strategy=Strategy(known("RollingUpdate"), known("50%"), known("25%"), known(900)),
                annotations={"example.dev/note": "12:30"},
            ),
        ),
        references=(
            DisruptionBudget(
                ref=ObjectRef("policy/v1", "PodDisruptionBudget", "llm", "chat"),
                selector=known(example.LABELS),
                min_available=known("50%"),
                labels=example.LABELS,
            ),
            Namespace(ObjectRef("v1", "Namespace", "", "llm"), {"example.dev/team": "012"}),
            Service(
                ref=ObjectRef("v1", "Service", "llm", "chat"),
                selector=known(example.LABELS),
                ports=(ServicePort("http", 80, "http"), ServicePort("side", 81, 9000, "UDP")),
                labels=example.LABELS,
                annotations={"example.dev/on": "on"},
                headless=True,
            ),
        ),
    )


def _pods() -> PodSet:
    return replace(
        example.pods(),
        containers=(_engine(), _sidecar()),
        init_containers=(Container("fetch", known("registry.example/fetch:1"), command=(known("true"),)),),
        volumes=(
            *example.pods().volumes,
            Volume("scratch", known(EmptyDir())),
            Volume("weights", known(ImageVolume("registry.example/weights:1", "IfNotPresent"))),
        ),
        constraints=Constraints(
            node_selector=known({"example.dev/pool": "h100"}),
            node_requirements=known((NodeRequirement("example.dev/pool", "In", ("h100", "h200")),)),
            tolerations=known(
                (
                    Toleration("nvidia.com/gpu", "Equal", "present", "NoSchedule"),
                    Toleration("node.kubernetes.io/unreachable", "Exists", effect="NoExecute", toleration_seconds=0),
                )
            ),
            spread=known((TopologySpread("kubernetes.io/hostname", 1, "ScheduleAnyway", example.LABELS),)),
            priority_class=known("system-node-critical"),
        ),
        service_account=known("default"),
        image_pull_secrets=("registry",),
    )


def _engine() -> Container:
    return replace(
        example.container(),
        env=(
            *example.container().env,
            EnvVar("TEMPLATE", known("first\n  second: on\n")),
            EnvVar("EMPTY", known("")),
            EnvVar("ADDRESS", known(FieldPath("status.podIP"))),
            EnvVar("OPTIONAL", known(ConfigKey("settings", "key", optional=True))),
            EnvVar("MAYBE", known(SecretKey("hub", "other", optional=True))),
        ),
        mounts=(*example.container().mounts, Mount("weights", "/weights", read_only=True, sub_path="model")),
        liveness_probe=Probe(TcpSocket("http"), known(30), known(10), known(10), known(6)),
        image_pull_policy=known("Always"),
    )


def _sidecar() -> Container:
    return Container(
        name="metrics",
        image=known("registry.example/metrics:2"),
        command=(known("/bin/metrics"),),
        args=(known("--level=$(LEVEL)"), known("")),
        requests={"cpu": known(parse_quantity("1000m")), "memory": known(parse_quantity("1.5Gi"))},
        ports=(Port("side", 9000, "UDP"),),
        startup_probe=Probe(ExecProbe(("/bin/ready", "--now")), known(5), known(10), known(1), known(3)),
        readiness_probe=Probe(HttpGet("/", 9001, "HTTPS"), known(0), known(10), known(1), known(3)),
    )
