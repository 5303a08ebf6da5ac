"""One engine a pod on one node: the Deployment of a service, with everything in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.diagnostics import Diagnostic, Severity
from controlplane.policy.env import entries
from controlplane.policy.findings import finding
from controlplane.policy.fleet_checks import selector_of as pool_selector
from controlplane.policy.model_service import EnvEntry
from controlplane.policy.resolution.engine_arguments import Arguments, derive_arguments
from controlplane.policy.resolution.gpus import derive_gpus
from controlplane.policy.resolution.labels import (
    check_labels,
    label_origins,
    labels_of,
    namespace_origin,
    selector_of,
)
from controlplane.policy.resolution.node_size import check_node_size
from controlplane.policy.resolution.probes import HTTP_PORT, derive_probes
from controlplane.policy.resolution.resources import PodResources, derive_resources
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.policy.resolution.startup import Startup, derive_startup
from controlplane.policy.resolution.strategy import Rollout, derive_rollout
from controlplane.policy.resolution.termination import Termination, derive_termination
from controlplane.policy.resolution.weights import Weights, derive_weights
from controlplane.stack.engine import ArgumentValue, Engine
from controlplane.stack.facts import ABSENT, Declared, Derived, Fact, Known, Origin, derived
from controlplane.stack.model import Workload
from controlplane.stack.pods import (
    ConfigKey,
    Constraints,
    Container,
    Count,
    EmptyDir,
    EnvVar,
    FieldPath,
    Mount,
    PodSet,
    Port,
    SecretKey,
    Toleration,
    TopologySpread,
    Volume,
)
from controlplane.stack.references import ObjectRef
from controlplane.stack.versions import version_of_image

CONTAINER: Final = "vllm"
_SHARED_MEMORY: Final = "dshm"
_SHARED_MEMORY_PATH: Final = "/dev/shm"  # noqa: S108  a mount of the pod, no file of ours
_FOR_SHARED_MEMORY: Final = Derived("the processes of an engine exchange tensors here; the runtime's own has 64Mi")


@dataclass(frozen=True, slots=True)
class Parts:
    """All that was derived for one service."""

    resources: PodResources
    weights: Weights
    startup: Startup
    termination: Termination
    arguments: Arguments
    rollout: Rollout


def derive_parts(setting: Setting) -> tuple[Parts, list[Diagnostic]]:
    """Run every derivation for a service; findings of all of them."""
    gpus, one = derive_gpus(setting)
    resources, two = derive_resources(setting, gpus)
    two = [*two, *check_node_size(setting, resources.requests)]
    weights, three = derive_weights(setting)
    startup, four = derive_startup(setting)
    arguments, five = derive_arguments(setting)
    termination, six = derive_termination(setting, arguments.drains)
    rollout, seven = derive_rollout(setting, startup, termination)
    findings = [*one, *two, *three, *four, *five, *six, *seven, *check_labels(setting.service), *_image(setting)]
    return Parts(resources, weights, startup, termination, arguments, rollout), findings


def workload_of(setting: Setting, parts: Parts) -> Workload:
    """The Deployment of a service."""
    service = setting.service
    return Workload(
        ref=ObjectRef("apps/v1", "Deployment", service.namespace, service.name),
        pod_sets=(_pod_set(setting, parts),),
        engines=(_engine(setting, parts),),
        strategy=parts.rollout.strategy,
        labels=labels_of(service),
        selector=selector_of(service),
        origin=service.policy.declared("metadata", "name"),
        label_origins=label_origins(service),
        namespace_origin=namespace_origin(service),
    )


def _pod_set(setting: Setting, parts: Parts) -> PodSet:
    service = setting.service
    replicas = service.task.fact(service.task.value.replicas, "replicas")
    scrape = {"prometheus.io/path": "/metrics", "prometheus.io/port": str(HTTP_PORT), "prometheus.io/scrape": "true"}
    metrics = Derived("vLLM serves its metrics on its own port")
    return PodSet(
        name=service.name,
        count=Count(replicas, replicas, replicas),
        hosts_per_unit=Known(1, Derived("runtime deployment keeps an engine on one node")),
        containers=(_container(setting, parts),),
        volumes=(*parts.weights.volumes, _shared_memory(parts)),
        constraints=_constraints(setting),
        labels=labels_of(service),
        label_origins=label_origins(service),
        annotations=scrape,
        annotation_origins=dict.fromkeys(scrape, metrics),
        grace_seconds=parts.termination.grace,
        service_links=Known(False, Derived("a Service called `vllm` would set VLLM_PORT, which vLLM reads")),
        service_account=service.machine.fact(service.machine.value.service_account, "serviceAccount"),
    )


def _container(setting: Setting, parts: Parts) -> Container:
    policy = setting.service.policy
    probes = derive_probes(setting, parts.startup)
    return Container(
        name=CONTAINER,
        image=policy.fact(setting.spec.runtime.image, "spec", "runtime", "image"),
        env=tuple(_environment(setting, parts.weights)),
        requests=parts.resources.requests,
        limits=parts.resources.limits,
        ports=(Port("http", HTTP_PORT, origin=Derived("vLLM's own default port")),),
        mounts=(*parts.weights.mounts, Mount(_SHARED_MEMORY, _SHARED_MEMORY_PATH, origin=_FOR_SHARED_MEMORY)),
        startup_probe=probes.startup,
        readiness_probe=probes.readiness,
        liveness_probe=probes.liveness,
        pre_stop_seconds=parts.termination.pre_stop,
    )


def _shared_memory(parts: Parts) -> Volume:
    size = parts.resources.shared_memory
    return Volume(_SHARED_MEMORY, Known(EmptyDir("Memory", size), size.origin))


def _environment(setting: Setting, weights: Weights) -> Iterator[EnvVar]:
    """Our variables, then the policy's; one that the policy sets itself is the policy's."""
    written = entries(setting.service.policy)
    names = {entry.name for entry, _ in written}
    yield from (variable for variable in weights.env if variable.name not in names)
    for entry, path in written:
        place = setting.declared(*path, *entry.model_fields_set - {"name"})
        yield EnvVar(entry.name, Known(_value(entry), place), setting.declared(*path, "name"))


def _value(entry: EnvEntry) -> str | SecretKey | ConfigKey | FieldPath:
    if entry.secret is not None:
        return SecretKey(entry.secret.name, entry.secret.key)
    if entry.config is not None:
        return ConfigKey(entry.config.name, entry.config.key)
    return entry.value or ""


def _constraints(setting: Setting) -> Constraints:
    machine = setting.service.machine
    return Constraints(
        node_selector=_node_selector(setting),
        tolerations=_tolerations(setting),
        spread=_spread(setting),
        priority_class=machine.fact(machine.value.priority_class, "priorityClass"),
        node_selector_origins=_selector_places(setting),
    )


def _selector_places(setting: Setting) -> dict[str, Origin]:
    key = "labels" if setting.pool.selector is None else "selector"
    path = ("spec", "pools", setting.pool_index, key)
    return {label: setting.fleet.declared(*path, label) for label in pool_selector(setting.pool)}


def _node_selector(setting: Setting) -> Fact[Mapping[str, str]]:
    selector = dict(sorted(pool_selector(setting.pool).items()))
    key = "labels" if setting.pool.selector is None else "selector"
    return setting.pool_fact(selector, key) if selector else ABSENT


def _tolerations(setting: Setting) -> Fact[tuple[Toleration, ...]]:
    tolerations = tuple(
        Toleration(t.key, "Equal" if t.value else "Exists", t.value, t.effect, origin=_taint_place(setting, index))
        for index, t in enumerate(setting.pool.taints)
    )
    return setting.pool_fact(tolerations, "taints") if tolerations else ABSENT


def _taint_place(setting: Setting, index: int) -> Declared:
    return setting.fleet.declared("spec", "pools", setting.pool_index, "taints", index)


def _spread(setting: Setting) -> Fact[tuple[TopologySpread, ...]]:
    machine = setting.service.machine
    if machine.value.spread != "hosts":
        return ABSENT
    spread = TopologySpread("kubernetes.io/hostname", 1, "ScheduleAnyway", selector_of(setting.service))
    return Known((spread,), machine.declared("spread"))


def _engine(setting: Setting, parts: Parts) -> Engine:
    policy, model = setting.service.policy, setting.spec.model
    served = policy.fact(model.served_name, "spec", "model", "servedName")
    if not isinstance(served, Known):
        name = policy.fact(model.name, "spec", "model", "name")
        served = derived(model.name, "model.name, so that clients and probes see one name", [("model.name", name)])
    return Engine(
        role="engine",
        pod_set=setting.service.name,
        container=CONTAINER,
        version=policy.fact(setting.spec.runtime.vllm, "spec", "runtime", "vllm"),
        model=parts.weights.model,
        arguments=_all_arguments(parts),
        served_model_name=served,
        checkpoint=model.name,
        weights=policy.fact(model.weights.bytes() if model.weights else None, "spec", "model", "weights"),
    )


def _all_arguments(parts: Parts) -> dict[str, Fact[ArgumentValue]]:
    found: dict[str, Fact[ArgumentValue]] = dict(parts.arguments.values)
    for name, fact in (
        ("shutdown_timeout", parts.termination.shutdown_timeout),
        ("revision", parts.weights.revision),
    ):
        if isinstance(fact, Known):
            found[name] = Known(fact.value, fact.origin)
    return dict(sorted(found.items()))


def _image(setting: Setting) -> Iterator[Diagnostic]:
    """A tag that names another version than the policy: every check would be made against the wrong arguments."""
    runtime = setting.spec.runtime
    tagged = version_of_image(runtime.image)
    if tagged is None or tagged == re.split(r"[+-]", runtime.vllm)[0]:
        return
    where = setting.declared("spec", "runtime", "image")
    yield finding(
        "policy/image-version-differs",
        f"the image's tag says vLLM {tagged}, runtime.vllm says {runtime.vllm}",
        where.span,
        where.path,
        f"Set runtime.vllm to {tagged}, or use an image with vLLM {runtime.vllm}.",
        severity=Severity.WARNING,
        evidence=(evidence("runtime.vllm", setting.service.policy.fact(runtime.vllm, "spec", "runtime", "vllm")),),
    )
