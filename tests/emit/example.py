"""A small but whole Stack: one engine on one GPU, with everything around it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from controlplane.diagnostics import KeyPath, Span
from controlplane.source import parse_quantity
from controlplane.stack.engine import Engine
from controlplane.stack.facts import Declared, Known, derived
from controlplane.stack.inventory import Accelerator, Inventory, NodePool, Taint
from controlplane.stack.model import Stack, Strategy, Workload
from controlplane.stack.pods import (
    Claim,
    Constraints,
    Container,
    Count,
    EmptyDir,
    EnvVar,
    HttpGet,
    Mount,
    PodSet,
    Port,
    Probe,
    SecretKey,
    Toleration,
    Volume,
)
from controlplane.stack.references import DisruptionBudget, Namespace, ObjectRef, Service, ServicePort

LABELS = {"controlplane.dev/service": "chat"}


def place(line: int, *path: str | int) -> Declared:
    """A place in the policy."""
    return Declared(Span("chat.yaml", line, 3, line, 9), path)


def known(value: Any, line: int = 1, *path: str | int) -> Known[Any]:
    """A value written in the policy."""
    return Known(value, place(line, *path))


def count(number: int) -> Count:
    """A fixed number."""
    return Count(known(number), known(number), known(number))


def pool(name: str = "h100", nodes: int = 1, gpus: int = 8) -> NodePool:
    """A tainted GPU pool that `example.dev/pool` picks."""
    selector = {"example.dev/pool": name}
    return NodePool(
        name=name,
        nodes=count(nodes),
        allocatable={"cpu": parse_quantity("96"), "nvidia.com/gpu": parse_quantity(str(gpus))},
        labels=selector,
        selector=selector,
        taints=(Taint("nvidia.com/gpu", "present"),),
        accelerator=Accelerator("h100", "nvidia.com/gpu", gpus),
    )


def engine(**arguments: Any) -> Engine:
    """An engine of vLLM 0.33.0 in the container "vllm" of the pods "chat"."""
    return Engine(
        role="engine",
        pod_set="chat",
        container="vllm",
        version=known("0.33.0", 12),
        model=known("meta-llama/Llama-3.1-8B-Instruct", 10, "spec", "model", "name"),
        arguments={name: known(value) for name, value in arguments.items()},
        served_model_name=known("chat"),
    )


def container() -> Container:
    """The engine's container."""
    one_gpu = {"nvidia.com/gpu": derived(parse_quantity("1"), "tensorParallel", [("tensorParallel", known(1, 20))])}
    return Container(
        name="vllm",
        image=known("registry.example/vllm-openai:v0.33.0", 11),
        env=(EnvVar("HF_TOKEN", known(SecretKey("hub", "token"), 13)), EnvVar("LEVEL", known("1e3", 14))),
        requests={"memory": known(parse_quantity("65536Mi")), "cpu": known(parse_quantity("0.5")), **one_gpu},
        limits={"memory": known(parse_quantity("65536Mi")), **one_gpu},
        ports=(Port("http", 8000),),
        mounts=(Mount("models", "/models", read_only=True), Mount("shm", "/dev/shm")),  # noqa: S108 - the path inside the container
        startup_probe=Probe(HttpGet("/health", "http"), known(0), known(10), known(5), known(60)),
        readiness_probe=Probe(HttpGet("/v1/models", "http"), known(0), known(5), known(5), known(3)),
        pre_stop_seconds=known(15),
    )


def pods() -> PodSet:
    """The pods of the service."""
    return PodSet(
        name="chat",
        count=count(1),
        hosts_per_unit=known(1),
        containers=(container(),),
        volumes=(
            Volume("models", known(Claim("models", read_only=True))),
            Volume("shm", known(EmptyDir("Memory", known(parse_quantity("8Gi"))))),
        ),
        constraints=Constraints(
            node_selector=known({"example.dev/pool": "h100"}),
            tolerations=known((Toleration("nvidia.com/gpu", "Exists", effect="NoSchedule"),)),
        ),
        labels=LABELS,
        annotations={"prometheus.io/scrape": "true"},
        grace_seconds=known(75),
        service_links=known(False),
    )


def workload(**changes: Any) -> Workload:
    """The Deployment."""
    made = Workload(
        ref=ObjectRef("apps/v1", "Deployment", "llm", "chat"),
        pod_sets=(pods(),),
        engines=(engine(max_model_len=16384, gpu_memory_utilization=0.9, shutdown_timeout=45),),
        strategy=Strategy(known("RollingUpdate"), known(0), known(1), known(900)),
        labels=LABELS,
        selector=LABELS,
        origin=place(3, "metadata", "name"),
    )
    return replace(made, **changes)


def stack(**changes: Any) -> Stack:
    """Everything, in the order that reading gives it."""
    made = Stack(
        inventory=Inventory((pool(),)),
        workloads=(workload(),),
        references=(
            DisruptionBudget(
                ref=ObjectRef("policy/v1", "PodDisruptionBudget", "llm", "chat"),
                selector=known(LABELS),
                max_unavailable=known(1),
                labels=LABELS,
            ),
            Namespace(ObjectRef("v1", "Namespace", "", "llm")),
            Service(
                ref=ObjectRef("v1", "Service", "llm", "chat"),
                selector=known(LABELS),
                ports=(ServicePort("http", 80, "http"),),
                labels=LABELS,
            ),
        ),
    )
    return replace(made, **changes)


def at(manifest: Any, *path: str | int) -> Any:
    """The value at a path."""
    for part in path:
        manifest = manifest[part]
    return manifest


def leaves(value: Any, path: KeyPath = ()) -> dict[KeyPath, Any]:
    """Every leaf of a manifest by its path; an empty collection is one."""
    if isinstance(value, dict) and value:
        return {p: v for key, item in value.items() for p, v in leaves(item, (*path, key)).items()}
    if isinstance(value, list) and value:
        return {p: v for index, item in enumerate(value) for p, v in leaves(item, (*path, index)).items()}
    return {path: value}
