"""Stack -> what rules are asked of: the values of each part, where they stand, and what is not known of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from controlplane.guardrails.messages import message
from controlplane.policy.secrets import is_literal_secret
from controlplane.source import Quantity
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Fact, Known, Origin
from controlplane.stack.gpu_resources import gpu_limits, gpus_of
from controlplane.stack.manifest_fields import is_templated
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, Count, PodSet
from controlplane.stack.serve import ServeDeployment

HIDDEN = "(redacted)"
"""What stands for a secret."""


@dataclass(slots=True)
class Described:
    """One part as a message. Paths are those of expressions (`replicas.max`, `arguments.max_num_seqs`).

    `absent` are paths that nobody wrote, `unknown` those whose value cannot be told.
    """

    value: Any
    origins: dict[str, Origin] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)

    def set(self, path: str, fact: Fact[Any]) -> None:
        """Fill a wrapper field from a fact."""
        if isinstance(fact, Known) and not _fits(fact.value):
            self.unknown.add(path)
        elif isinstance(fact, Known):
            target = self.value
            *parents, last = path.split(".")
            for parent in parents:
                target = getattr(target, parent)
            getattr(target, last).value = _plain(fact.value)
            self.origins[path] = fact.origin
        elif fact == ABSENT:
            self.absent.add(path)
        else:
            self.unknown.add(path)

    def leave_unrendered(self, **texts: str | Mapping[str, str]) -> None:
        """Take names, and entries of maps, that still hold a template for values that are not known."""
        for path, text in texts.items():
            entries = {path: text} if isinstance(text, str) else {f"{path}.{key}": v for key, v in text.items()}
            self.unknown.update(entry for entry, value in entries.items() if is_templated(value))

    def include(self, path: str, part: Described) -> None:
        """What is known of a part that hangs below a path."""
        self.origins |= {f"{path}.{inner}": origin for inner, origin in part.origins.items()}
        self.absent |= {f"{path}.{inner}" for inner in part.absent}
        self.unknown |= {f"{path}.{inner}" for inner in part.unknown}


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing a rule is asked of: its variables by name, the place that names it, and who it belongs to."""

    variables: Mapping[str, Described]
    place: Origin | None
    owner: str


def subjects(stack: Stack, over: str) -> Iterator[Subject]:
    """Everything of one sort in a Stack, in its order."""
    for workload in stack.workloads:
        parent = Subject({"workload": _workload(stack, workload)}, workload.origin, _owner(workload))
        match over:
            case "workload":
                yield parent
            case "pods" | "container":
                yield from _pod_subjects(parent, workload, over)
            case "engine":
                for engine in engines_of(stack):
                    if engine.workload is workload:
                        yield _below(parent, "engine", _engine(engine), engine.place)
            case "deployment":
                for deployment in workload.serve.deployments if workload.serve else ():
                    yield _below(parent, "deployment", _deployment(deployment), deployment.origin)


def _pod_subjects(parent: Subject, workload: Workload, over: str) -> Iterator[Subject]:
    for pods in workload.pod_sets:
        inner = _below(parent, "pods", _pods(pods), pods.origin)
        if over == "pods":
            yield inner
            continue
        for container in (*pods.init_containers, *pods.containers):
            yield _below(inner, "container", _container(container), container.origin)


def _below(parent: Subject, name: str, part: Described, place: Origin | None) -> Subject:
    return replace(parent, variables={**parent.variables, name: part}, place=place or parent.place)


def _owner(workload: Workload) -> str:
    return f"{workload.ref.namespace or 'default'}/{workload.ref.name}"


def _workload(stack: Stack, workload: Workload) -> Described:
    ref = workload.ref
    made = Described(
        message("Workload")(
            api_version=ref.api_version,
            kind=ref.kind,
            namespace=ref.namespace,
            name=ref.name,
            labels=_texts(workload.labels),
            annotations=_texts(workload.annotations),
        )
    )
    made.leave_unrendered(
        namespace=ref.namespace, name=ref.name, labels=workload.labels, annotations=workload.annotations
    )
    parts = {
        "pods": [_pods(pods) for pods in workload.pod_sets],
        "engines": [_engine(engine) for engine in engines_of(stack) if engine.workload is workload],
        "deployments": [_deployment(d) for d in (workload.serve.deployments if workload.serve else ())],
    }
    for name, described in parts.items():
        for part in described:
            getattr(made.value, name).append(part.value)
            made.include(name, part)
    if workload.ray is not None:
        ray = workload.ray
        made.value.ray.worker_groups.extend(group.name for group in ray.workers)
        made.set("ray.version", ray.version)
        made.set("ray.autoscaling", ray.autoscaling.enabled)
        made.set("ray.autoscaler_version", ray.autoscaling.version)
        made.set("ray.auth_mode", ray.auth_mode)
        made.set("ray.upgrade", ray.upgrade)
    return made


def _pods(pods: PodSet) -> Described:
    selector = pods.constraints.node_selector
    made = Described(
        message("Pods")(
            name=pods.name,
            labels=_texts(pods.labels),
            annotations=_texts(pods.annotations),
            node_selector=dict(selector.value) if isinstance(selector, Known) else {},
            claims=pods.claims(),
        )
    )
    made.leave_unrendered(labels=pods.labels, annotations=pods.annotations, node_selector=made.value.node_selector)
    if not isinstance(selector, Known) and selector != ABSENT:
        made.unknown.add("node_selector")
    _count(made, pods.count)
    for container in (*pods.init_containers, *pods.containers):
        part = _container(container)
        made.value.containers.append(part.value)
        made.include("containers", part)
    made.set("hosts_per_unit", pods.hosts_per_unit)
    made.set("priority_class", pods.constraints.priority_class)
    made.set("service_account", pods.service_account)
    made.set("grace_seconds", pods.grace_seconds)
    made.set("host_network", pods.host_network)
    return made


def _count(made: Described, count: Count) -> None:
    made.set("replicas.min", count.min)
    made.set("replicas.desired", count.desired)
    made.set("replicas.max", count.max)


def _container(container: Container) -> Described:
    made = Described(
        message("Container")(
            name=container.name,
            gpu_resources=sorted(gpu_limits(container)),
            environment=[variable.name for variable in container.env],
        )
    )
    made.leave_unrendered(name=container.name)
    if container.env_from:
        made.unknown.add("environment")
    made.set("image", container.image)
    made.set("registry", _registry(container.image))
    made.set("cpu_request", container.requests.get("cpu", ABSENT))
    made.set("cpu_limit", container.limits.get("cpu", ABSENT))
    made.set("memory_request_bytes", _bytes(container.requests.get("memory", ABSENT)))
    made.set("memory_limit_bytes", _bytes(container.limits.get("memory", ABSENT)))
    made.set("gpus", gpus_of([container]))
    made.set("image_pull_policy", container.image_pull_policy)
    for name in ("startup", "readiness", "liveness"):
        probe = getattr(container, f"{name}_probe")
        getattr(made.value, f"has_{name}_probe").value = probe is not None
    return made


def _registry(image: Fact[str]) -> Fact[str]:
    """The registry of an image, as container runtimes read it: docker.io where the first part is no host."""
    if not isinstance(image, Known):
        return image
    first, slash, _ = image.value.partition("/")
    is_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return Known(first if is_host else "docker.io", image.origin)


def _engine(deployed: DeployedEngine) -> Described:
    engine = deployed.engine
    made = Described(message("Engine")(role=engine.role))
    made.set("model", engine.model)
    made.set("served_model_name", engine.served_model_name)
    made.set("version", engine.version)
    made.set("tensor_parallel", deployed.tensor_parallel)
    made.set("pipeline_parallel", deployed.pipeline_parallel)
    made.set("data_parallel", deployed.data_parallel)
    made.set("gpus", deployed.gpus)
    for name, fact in engine.arguments.items():
        if isinstance(fact, Known) and _fits(fact.value):
            made.value.arguments.update({name: without_secret_values(name, fact.value)})
            made.origins[f"arguments.{name}"] = fact.origin
        else:
            made.unknown.add(f"arguments.{name}")
    if not engine.complete:
        made.unknown.add("arguments")
    return made


def _deployment(deployment: ServeDeployment) -> Described:
    made = Described(message("Deployment")(application=deployment.application))
    made.set("name", deployment.name)
    _count(made, deployment.replicas)
    made.set("max_ongoing_requests", deployment.max_ongoing_requests)
    made.set("target_ongoing_requests", deployment.target_ongoing_requests)
    made.set("max_queued_requests", deployment.max_queued_requests)
    return made


def _bytes(fact: Fact[Quantity]) -> Fact[int]:
    return Known(fact.value.bytes(), fact.origin) if isinstance(fact, Known) else fact  # type: ignore[return-value]


def _fits(value: object) -> bool:
    """Whether CEL can hold a value: its whole numbers have 64 bits, keys of its maps are texts."""
    if isinstance(value, list):
        return all(map(_fits, value))
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _fits(inner) for key, inner in value.items())
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _texts(named: Mapping[str, str]) -> dict[str, str]:
    return {name: str(without_secret_values(name, text)) for name, text in named.items()}


def without_secret_values(name: str, value: Any) -> Any:
    """A value with what it holds of secrets hidden, so that no message can show them."""
    if isinstance(value, list):
        return [without_secret_values(name, inner) for inner in value]
    if isinstance(value, Mapping):
        # The name of a variable stands beside its value: {name: HF_TOKEN, value: ...}.
        owner = value.get("name")
        return {
            key: without_secret_values(str(owner) if key == "value" and owner else str(key), inner)
            for key, inner in value.items()
        }
    return HIDDEN if isinstance(value, str) and is_literal_secret(name, value) else value


def _plain(value: object) -> object:
    return float(value.value) if isinstance(value, Quantity) else value
