"""The pod template that every workload kind shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from controlplane.emit.bundle import Sourced, at, fixed, sourced
from controlplane.emit.kubernetes import container, volumes
from controlplane.emit.kubernetes.metadata import by_name, from_places
from controlplane.emit.vllm.command_line import CommandLine
from controlplane.stack.facts import Fact, Known
from controlplane.stack.pods import Constraints, NodeRequirement, PodSet, Toleration, TopologySpread

T = TypeVar("T")

_NO_SERVICE_LINKS = "a Service named vllm would otherwise set VLLM_PORT=tcp://... in every pod of its namespace"


def build(pods: PodSet, engines: Mapping[str, CommandLine]) -> dict[str, Any]:
    """`template`; `engines` are the command lines by the name of their container."""
    head = {"labels": from_places(pods.labels, pods.label_origins), "annotations": by_name(_annotations(pods))}
    return {"metadata": head, "spec": _spec(pods, engines)}


def _annotations(pods: PodSet) -> dict[str, Any]:
    return {name: at(value, pods.annotation_origins.get(name)) for name, value in pods.annotations.items()}


def _spec(pods: PodSet, engines: Mapping[str, CommandLine]) -> dict[str, Any]:
    return {
        "enableServiceLinks": _no_service_links(pods.service_links),
        "terminationGracePeriodSeconds": sourced(pods.grace_seconds),
        "serviceAccountName": sourced(pods.service_account),
        "imagePullSecrets": [{"name": name} for name in pods.image_pull_secrets] or None,
        **_placement(pods.constraints),
        "initContainers": [container.build(c, None) for c in pods.init_containers] or None,
        "containers": [container.build(c, engines.get(c.name)) for c in pods.containers],
        "volumes": [volumes.build(volume) for volume in pods.volumes] or None,
    }


def _no_service_links(declared: Fact[bool]) -> Sourced:
    """Never true, whatever is declared: an engine must not take another object's name for its configuration."""
    if isinstance(declared, Known) and declared.value is False:
        return Sourced(False, declared.origin)
    return fixed(False, _NO_SERVICE_LINKS)


def _placement(constraints: Constraints) -> dict[str, Any]:
    selector = sourced(constraints.node_selector)
    return {
        "priorityClassName": sourced(constraints.priority_class),
        "nodeSelector": selector
        and Sourced(from_places(selector.value, constraints.node_selector_origins), selector.origin),
        "affinity": _affinity(constraints.node_requirements),
        "tolerations": _each(constraints.tolerations, _toleration),
        "topologySpreadConstraints": _each(constraints.spread, _spread),
    }


def _affinity(requirements: Fact[tuple[NodeRequirement, ...]]) -> dict[str, Any] | None:
    expressions = _each(requirements, _requirement)
    if expressions is None:
        return None
    terms = [{"matchExpressions": expressions}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def _each(fact: Fact[tuple[T, ...]], build_one: Callable[[T], Any]) -> Sourced | None:
    items = sourced(fact)
    return Sourced([build_one(item) for item in items.value], items.origin) if items and items.value else None


def _requirement(requirement: NodeRequirement) -> dict[str, Any]:
    return {"key": requirement.key, "operator": requirement.operator, "values": list(requirement.values) or None}


def _toleration(toleration: Toleration) -> Any:
    fields = {
        "key": toleration.key or None,
        "operator": toleration.operator,
        "value": toleration.value or None,
        "effect": toleration.effect or None,
        "tolerationSeconds": toleration.toleration_seconds,
    }
    return at(fields, toleration.origin)


def _spread(spread: TopologySpread) -> dict[str, Any]:
    return {
        "topologyKey": spread.topology_key,
        "maxSkew": spread.max_skew,
        "whenUnsatisfiable": spread.when_unsatisfiable,
        "labelSelector": {"matchLabels": by_name(spread.match_labels)},
    }
