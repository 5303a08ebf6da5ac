"""The pod template that every workload kind shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, derived
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Count, PodSet
from controlplane.stack.readers import container, engine, metadata, placement, volumes
from controlplane.stack.surroundings import namespace_of
from controlplane.stack.versions import VERSION_ANNOTATION

ROLE_LABEL = "controlplane.dev/role"
"""The role of a pod's engine inside its service; without it the engine is called "engine"."""


@dataclass(frozen=True, slots=True)
class ReadTemplate:
    """The pods of a template, and the engines that run in them."""

    pods: PodSet
    engines: tuple[Engine, ...]


def read(
    template: Field,
    name: str,
    count: Count,
    version: Fact[str] = ABSENT,
    *,
    role: str = "engine",
    hosts_per_unit: Fact[int] | None = None,
    first_is_replaced: bool = False,
) -> ReadTemplate:
    """The pods of one template; `version` is what the workload says of vLLM's version, if anything.

    `role` is what its engine is called where no label of the pods says it. With `first_is_replaced` a controller puts
    a command of its own in place of what the first container's image starts.
    """
    spec = template["spec"]
    labels = template.at("metadata", "labels").text_map()
    own_version = template.at("metadata", "annotations", VERSION_ANNOTATION)
    mounted = tuple(volumes.read(item) for item in spec["volumes"].items())
    context = engine.PodContext(
        pod_set=name,
        role=labels.get(ROLE_LABEL, role),
        version=own_version.text() if own_version.is_set else version,
        volumes=mounted,
        namespace=namespace_of(template),
    )
    found = [
        engine.read(item, replace(context, has_entrypoint=index > 0 or not first_is_replaced))
        for index, item in enumerate(spec["containers"].items())
    ]
    head = template["metadata"]
    pods = PodSet(
        name=name,
        count=count,
        hosts_per_unit=hosts_per_unit or derived(1, "a pod of this kind is a replica by itself"),
        containers=tuple(made for made, _ in found),
        init_containers=tuple(container.read(item) for item in spec["initContainers"].items()),
        volumes=mounted,
        constraints=placement.read(spec),
        labels=labels,
        annotations=head["annotations"].text_map(),
        grace_seconds=spec["terminationGracePeriodSeconds"].integer(),
        service_links=spec["enableServiceLinks"].boolean(),
        service_account=spec["serviceAccountName"].text(),
        image_pull_secrets=tuple(item["name"].plain_text() for item in spec["imagePullSecrets"].items()),
        annotation_origins=metadata.origins_of(head["annotations"]),
        label_origins=metadata.origins_of(head["labels"]),
        restart_policy=spec["restartPolicy"].text(),
        scheduler_name=spec["schedulerName"].text(),
        host_network=spec["hostNetwork"].boolean(),
        host_ipc=spec["hostIPC"].boolean(),
        runtime_class=spec["runtimeClassName"].text(),
        pod_affinity=placement.pod_affinity(spec),
        overhead={name: amount.quantity() for name, amount in spec["overhead"].entries()},
        resource_claims=tuple(item["name"].plain_text() for item in spec["resourceClaims"].items()),
        origin=template.origin,
    )
    return ReadTemplate(pods, _told_apart([running for _, engines in found for running in engines]))


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
