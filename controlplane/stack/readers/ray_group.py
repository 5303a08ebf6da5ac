"""The head or a worker group of a Ray cluster: its pods, and what a Ray node of it has by both derivations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from controlplane.frozen import frozen
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, derived, value_or
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Count, CountOwner, PodSet
from controlplane.stack.ray import RayGroup
from controlplane.stack.ray_resources import GroupShape, believed, told
from controlplane.stack.readers import pod_template

HEAD: Final = "head"
"""The name of the head's pod set; a worker group has its own."""

_KEEPS_COMMAND: Final = "ray.io/overwrite-container-cmd"
"""Set to true, the Ray container runs what its manifest says; otherwise KubeRay's command takes its place."""
_NO_CONTAINER: Final = Unknown(Why.UNRESOLVED, "the group's first container")
_MOST: Final = 2147483647


@frozen
class ReadGroup:
    """A group as Ray sees it, its pods, and the engines that its containers start."""

    group: RayGroup
    pods: PodSet
    engines: tuple[Engine, ...]


def read_head(group: Field, version: Fact[str]) -> ReadGroup:
    """The head's group; `version` is what the object says of vLLM's version, if anything."""
    one: Fact[int] = derived(1, "a Ray cluster has one head")
    return _read(group, HEAD, Count(one, one, one), derived(1, "a head is one pod"), version)


def read_worker(group: Field, version: Fact[str], *, autoscaled: bool) -> ReadGroup:
    """A worker group."""
    hosts = group["numOfHosts"].integer()
    return _read(
        group,
        group["groupName"].plain_text(),
        _count(group, autoscaled=autoscaled),
        derived(1, "the API's default for numOfHosts") if hosts == ABSENT else hosts,
        version,
    )


def _count(group: Field, *, autoscaled: bool) -> Count:
    """Replicas as written; the rest are the defaults of the CustomResourceDefinition (KubeRay 1.0 to 1.7)."""
    return Count(
        min=_or_default(group["minReplicas"], 0),
        desired=_or_default(group["replicas"], 0),
        max=_or_default(group["maxReplicas"], _MOST),
        owner=CountOwner.RAY_AUTOSCALER if autoscaled else CountOwner.DECLARED,
    )


def _or_default(field: Field, default: int) -> Fact[int]:
    fact = field.integer()
    return derived(default, f"the API's default for {field.path[-1]}") if fact == ABSENT else fact


def _read(group: Field, name: str, count: Count, hosts: Fact[int], version: Fact[str]) -> ReadGroup:
    pod = group["template"]
    keeps = str(pod.at("metadata", "annotations", _KEEPS_COMMAND).value).lower() == "true"
    template = pod_template.read(pod, name, count, version, hosts_per_unit=hosts, first_is_replaced=not keeps)
    pods = template.pods
    shape = _shape(group, pods)
    is_head = name == HEAD and group.path[-1] == "headGroupSpec"
    made = RayGroup(
        name=name,
        is_head=is_head,
        told=told(shape),
        believed=believed(shape),
        start_params=shape.start_params,
        resources=shape.resources,
        labels=group["labels"].text_map(),
        idle_timeout_seconds=group["idleTimeoutSeconds"].integer(),
        priority=group["priority"].integer(),
        suspend=group["suspend"].boolean(),
        restart_policy=pods.restart_policy,
        origin=group["groupName"].origin if group["groupName"].is_set else group.key_origin,
    )
    return ReadGroup(made, pods, template.engines)


def _shape(group: Field, pods: PodSet) -> GroupShape:
    first = pods.containers[0] if pods.containers else None
    return GroupShape(
        start_params={name: text.literal() for name, text in group["rayStartParams"].entries()},
        resources={name: text.text() for name, text in group["resources"].entries()},
        limits=first.limits if first else {},
        requests=first.requests if first else {},
        node_selector=value_or(pods.constraints.node_selector, {}),
        unread=_unread(group),
    )


def _unread(group: Field) -> Unknown | None:
    """Why nothing is known of what the Ray container asks for, if so."""
    containers = group.at("template", "spec", "containers").value
    first = containers[0] if isinstance(containers, list) and containers else None
    if not isinstance(first, dict):
        return _NO_CONTAINER
    resources = first.get("resources") or {}
    if not isinstance(resources, dict):
        return _NO_CONTAINER
    amounts = [resources.get(name) or {} for name in ("limits", "requests")]
    return None if all(isinstance(part, dict) for part in amounts) else _NO_CONTAINER


def first_image(pods: PodSet) -> Fact[str]:
    """The image of the Ray container."""
    return pods.containers[0].image if pods.containers else _NO_CONTAINER


def unique_roles(engines: Sequence[Engine]) -> tuple[Engine, ...]:
    """Engines with roles that tell them apart: where one repeats, its pod set's name joins, and then a number."""
    repeated = Counter(engine.role for engine in engines)
    taken: Counter[str] = Counter()
    told_apart = []
    for engine in engines:
        role = f"{engine.pod_set}/{engine.role}" if repeated[engine.role] > 1 and engine.pod_set else engine.role
        taken[role] += 1
        told_apart.append(replace(engine, role=role if taken[role] == 1 else f"{role} ({taken[role]})"))
    return tuple(told_apart)


def known(fact: Fact[bool]) -> bool:
    """Whether a switch is known to be on."""
    return isinstance(fact, Known) and fact.value
