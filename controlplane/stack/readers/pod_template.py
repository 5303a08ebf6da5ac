"""The pod template that every workload kind shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controlplane.frozen import frozen
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, Origin, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Count, EnvVar, PodSet
from controlplane.stack.readers import container, engine, metadata, placement, volumes
from controlplane.stack.surroundings import namespace_of
from controlplane.stack.versions import VERSION_ANNOTATION

ROLE_LABEL = "controlplane.dev/role"
"""The role of a pod's engine inside its service; without it the engine is called "engine"."""


@frozen
class ReadTemplate:
    """The pods of a template, and the engines that run in them."""

    pods: PodSet
    engines: tuple[Engine, ...]


@frozen
class PodParts:
    """Where the parts of a pod stand: its spec, its labels and annotations. `place` is that of the whole."""

    spec: Field
    labels: Field
    annotations: Field
    place: Origin


@frozen
class PodRole:
    """What a template does not say of its pods.

    `version` is what the workload says of vLLM's version, if anything. `role` is what an engine is called where
    no label of theirs says it. `injected` are variables that the controller adds. With `first_is_replaced` it puts a
    command of its own in place of what the first container's image starts.
    """

    name: str
    count: Count
    version: Fact[str] = ABSENT
    role: str = "engine"
    hosts_per_unit: Fact[int] | None = None
    first_is_replaced: bool = False
    injected: tuple[EnvVar, ...] = ()


def read(
    template: Field,
    name: str,
    count: Count,
    version: Fact[str] = ABSENT,
    *,
    hosts_per_unit: Fact[int] | None = None,
    first_is_replaced: bool = False,
) -> ReadTemplate:
    """The pods of one template."""
    role = PodRole(name, count, version, hosts_per_unit=hosts_per_unit, first_is_replaced=first_is_replaced)
    return read_as(template, role)


def read_as(template: Field, role: PodRole) -> ReadTemplate:
    """The pods of one template in a role."""
    head = template["metadata"]
    return read_parts(PodParts(template["spec"], head["labels"], head["annotations"], template.origin), role)


def read_parts(parts: PodParts, role: PodRole) -> ReadTemplate:
    """The pods whose spec, labels and annotations stand in these places."""
    own_version = parts.annotations[VERSION_ANNOTATION]
    mounted = tuple(volumes.read(item) for item in parts.spec["volumes"].items())
    own_role = parts.labels[ROLE_LABEL].value
    context = engine.PodContext(
        pod_set=role.name,
        role=own_role if isinstance(own_role, str) else role.role,
        version=own_version.text() if own_version.is_set else role.version,
        volumes=mounted,
        namespace=namespace_of(parts.spec),
        injected=role.injected,
    )
    found = [
        engine.read(item, replace(context, has_entrypoint=index > 0 or not role.first_is_replaced))
        for index, item in enumerate(parts.spec["containers"].items())
    ]
    pods = replace(_pods(parts, role), containers=tuple(made for made, _ in found), volumes=mounted)
    return ReadTemplate(pods, _told_apart([running for _, engines in found for running in engines]))


def _pods(parts: PodParts, role: PodRole) -> PodSet:
    """The pods without their containers and volumes."""
    spec = parts.spec
    return PodSet(
        name=role.name,
        count=role.count,
        hosts_per_unit=role.hosts_per_unit or derived(1, "a pod of this kind is a replica by itself"),
        containers=(),
        init_containers=tuple(container.read(item) for item in spec["initContainers"].items()),
        constraints=placement.read(spec),
        labels=parts.labels.text_map(),
        annotations=parts.annotations.text_map(),
        grace_seconds=spec["terminationGracePeriodSeconds"].integer(),
        service_links=spec["enableServiceLinks"].boolean(),
        service_account=spec["serviceAccountName"].text(),
        image_pull_secrets=tuple(item["name"].plain_text() for item in spec["imagePullSecrets"].items()),
        annotation_origins=metadata.origins_of(parts.annotations),
        label_origins=metadata.origins_of(parts.labels),
        restart_policy=spec["restartPolicy"].text(),
        scheduler_name=spec["schedulerName"].text(),
        host_network=spec["hostNetwork"].boolean(),
        host_ipc=spec["hostIPC"].boolean(),
        runtime_class=spec["runtimeClassName"].text(),
        pod_affinity=placement.pod_affinity(spec),
        overhead={name: amount.quantity() for name, amount in spec["overhead"].entries()},
        resource_claims=tuple(item["name"].plain_text() for item in spec["resourceClaims"].items()),
        origin=parts.place,
    )


def _told_apart(engines: Sequence[Engine]) -> tuple[Engine, ...]:
    """The engines of a pod; several are called by their containers, and numbered where one container has several."""
    if len(engines) < 2:
        return tuple(engines)
    seen: dict[str, int] = {}
    named: list[Engine] = []
    for running in engines:
        number = seen[running.container] = seen.get(running.container, 0) + 1
        named.append(replace(running, role=running.container + (f"-{number}" if number > 1 else "")))
    return tuple(named)
