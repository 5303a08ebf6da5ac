"""LLMInferenceService serving.kserve.io/v1alpha1 and v1alpha2: what is certain of it.

KServe's operator merges the pods written here into templates of its own (`config/llmisvcconfig`, 0.17). Their
container `main` runs `vllm serve` on the model. The operator adds arguments, probes and scratch volumes, so that
nothing that is not written here is known to be absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from controlplane.source import parse_quantity
from controlplane.stack.engine import ArgumentValue, Engine
from controlplane.stack.facts import ABSENT, Derived, Fact, Known, Unknown, Why, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.model import Strategy, Workload
from controlplane.stack.pods import Container, Count, CountOwner, EmptyDir, Mount, PodSet, Volume
from controlplane.stack.readers import engine, workload
from controlplane.stack.readers.leader_worker_set import injected
from controlplane.stack.readers.pod_template import PodParts, PodRole, ReadTemplate, read_parts
from controlplane.stack.surroundings import namespace_of

_MAIN = "main"
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the kernel's own name for it
_OPERATOR = Derived("added by KServe's template")
_PARALLELISM = {
    "tensor": "tensor_parallel_size",
    "data": "data_parallel_size",
    "dataLocal": "data_parallel_size_local",
}
_FOR_SEVERAL_HOSTS = frozenset({"data", "dataLocal"})
"""What the operator's template for one host does not pass on."""


def read(manifest: Field) -> Workload:
    """The workload of an LLMInferenceService.

    Pod sets are "main" and "worker", with disaggregated prefill "decode", "decode-worker", "prefill" and
    "prefill-worker". With `baseRefs` the pods are those of other objects too, and nothing is read of them.
    """
    spec = manifest["spec"]
    if spec["baseRefs"].value:
        return replace(workload.read(manifest, []), selector={})
    is_split = spec["prefill"].is_set
    templates = list(_workload(manifest, spec, "decode" if is_split else _MAIN))
    if is_split:
        templates += _workload(manifest, spec["prefill"], "prefill")
    strategy = spec["rolloutStrategy"]
    return replace(
        workload.read(manifest, templates),
        selector={},
        strategy=Strategy(
            max_surge=strategy["maxSurge"].integer_or_text(),
            max_unavailable=strategy["maxUnavailable"].integer_or_text(),
        ),
    )


def _workload(manifest: Field, part: Field, name: str) -> Iterator[ReadTemplate]:
    """The pods of one part: the main ones, and its workers where a replica spans hosts."""
    role = name if name != _MAIN else "engine"
    count = _count(part)
    version = workload.declared_version(manifest)
    size = _group_size(part)
    own = PodRole(name, count, version, role, first_is_replaced=True, injected=injected(size))
    if part["template"].is_set:
        yield _pods(manifest, part, part["template"], own)
    if part["worker"].is_set:
        worker_name = "worker" if name == _MAIN else f"{name}-worker"
        hosts = derived(size.value - 1, "the group without its leader") if isinstance(size, Known) else size
        yield _pods(
            manifest, part, part["worker"], replace(own, name=worker_name, role=worker_name, hosts_per_unit=hosts)
        )


def _pods(manifest: Field, part: Field, spec: Field, role: PodRole) -> ReadTemplate:
    found = read_parts(PodParts(spec, part["labels"], part["annotations"], spec.origin), role)
    pods = _completed(found.pods)
    main = pods.container(_MAIN)
    if main is None or found.engines or main.command:
        return replace(found, pods=pods)
    return ReadTemplate(_without_command(pods), (_engine(manifest, part, main, role),))


def _without_command(pods: PodSet) -> PodSet:
    containers = tuple(replace(c, args=()) if c.name == _MAIN else c for c in pods.containers)
    return replace(pods, containers=containers)


def _engine(manifest: Field, part: Field, main: Container, role: PodRole) -> Engine:
    """The engine that the operator's template starts in `main`, with the arguments that are certain."""
    model = manifest.at("spec", "model")
    field = next(item for item in _containers(part, role) if item["name"].value == _MAIN)
    written = engine.read_arguments(
        field, main, engine.PodContext(role.name, role.role, role.version, namespace=namespace_of(part))
    )
    arguments = {**_parallelism(part), **written.arguments}
    name = model["name"].text()
    return replace(
        written,
        model=_model(model["uri"]),
        served_model_name=name if name != ABSENT else manifest.at("metadata", "name").text(),
        arguments=arguments,
        complete=False,
    )


def _containers(part: Field, role: PodRole) -> Iterator[Field]:
    spec = part["worker"] if role.name.endswith("worker") else part["template"]
    return spec["containers"].items()


def _parallelism(part: Field) -> dict[str, Fact[ArgumentValue]]:
    degrees = part["parallelism"]
    spans_hosts = part["worker"].is_set
    found: dict[str, Fact[ArgumentValue]] = {}
    for key, name in _PARALLELISM.items():
        degree = degrees[key].integer()
        if degree != ABSENT and (spans_hosts or key not in _FOR_SEVERAL_HOSTS):
            found[name] = degree  # type: ignore[assignment]  # a number is one of the values
    return found


def _model(uri: Field) -> Fact[str]:
    """The model's name at Hugging Face; what lies elsewhere has none that would tell its shape."""
    fact = uri.text()
    if not isinstance(fact, Known):
        return fact
    if not fact.value.startswith("hf://"):
        return Unknown(Why.RUNTIME, f"what lies at {fact.value}")
    return Known(fact.value.removeprefix("hf://").partition(":")[0], fact.origin)


def _group_size(part: Field) -> Fact[int]:
    """Pods a replica: ranks by those of one pod where data is parallel, else the stages of the pipeline."""
    degrees = part["parallelism"]
    data, local = degrees["data"].integer(), degrees["dataLocal"].integer()
    if isinstance(data, Known) and isinstance(local, Known) and local.value > 0:
        return derived(max(1, data.value // local.value), "data / dataLocal", [("data", data), ("dataLocal", local)])
    pipeline = degrees["pipeline"].integer()
    return pipeline if isinstance(pipeline, Known) else Unknown(Why.UNRESOLVED, "the parallelism of the pods")


def _count(part: Field) -> Count:
    scaling = part["scaling"]
    if not scaling.is_set:
        return workload.count(part["replicas"])
    least = scaling["minReplicas"].integer()
    least = derived(1, "KServe's default where minReplicas is not set") if least == ABSENT else least
    is_keda = scaling["keda"].is_set or scaling.at("wva", "keda").is_set
    return Count(least, least, scaling["maxReplicas"].integer(), CountOwner.KEDA if is_keda else CountOwner.HPA)


def _completed(pods: PodSet) -> PodSet:
    """The pods with the shared memory and the time to stop that the operator's template adds."""
    grace = pods.grace_seconds if pods.grace_seconds != ABSENT else Known(60, _OPERATOR)
    containers = tuple(_with_shared_memory(c) if c.name == _MAIN else c for c in pods.containers)
    volumes = pods.volumes
    if not any(volume.name == "dshm" for volume in volumes):
        memory = EmptyDir("Memory", Known(parse_quantity("1Gi"), _OPERATOR))
        volumes = (*volumes, Volume("dshm", Known(memory, _OPERATOR), _OPERATOR))
    return replace(pods, grace_seconds=grace, containers=containers, volumes=volumes)


def _with_shared_memory(main: Container) -> Container:
    if any(mount.path == _SHARED_MEMORY for mount in main.mounts):
        return main
    return replace(main, mounts=(*main.mounts, Mount("dshm", _SHARED_MEMORY, origin=_OPERATOR)))
