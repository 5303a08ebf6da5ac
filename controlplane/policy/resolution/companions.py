"""What stands beside a Deployment: its Service, its disruption budget, its namespace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controlplane.diagnostics import Diagnostic, Layer
from controlplane.policy.findings import finding
from controlplane.policy.fleet import FleetSpec
from controlplane.policy.policy_set import Policy, Service
from controlplane.policy.resolution.labels import (
    MANAGED_BY,
    MANAGER,
    label_origins,
    labels_of,
    namespace_origin,
    selector_of,
)
from controlplane.source import nearest
from controlplane.stack.facts import Derived, Fact, Known
from controlplane.stack.references import DisruptionBudget, Namespace, ObjectRef, ServicePort
from controlplane.stack.references import Service as ServiceObject

_COLLIDING: Final = {
    "vllm": "VLLM_PORT",
    "vllm-dp-master": "VLLM_DP_MASTER_PORT",
    "vllm-nixl-side-channel": "VLLM_NIXL_SIDE_CHANNEL_PORT",
    "vllm-mooncake-bootstrap": "VLLM_MOONCAKE_BOOTSTRAP_PORT",
    "master": "MASTER_PORT",
}
"""Names of Services for which Kubernetes gives the namespace's pods a variable that vLLM or torch reads as a port."""


def service_object(service: Service) -> ServiceObject:
    """The Service before the engines."""
    port = service.policy.spec.spec.service.port
    origin = service.policy.fact(port, "spec", "service", "port")
    return ServiceObject(
        ref=ObjectRef("v1", "Service", service.namespace, service.name),
        selector=Known(selector_of(service), Derived("the label of the service's pods")),
        ports=(ServicePort("http", port, "http", origin=origin.origin if isinstance(origin, Known) else None),),
        labels=labels_of(service),
        origin=service.policy.declared("metadata", "name"),
        label_origins=label_origins(service),
        namespace_origin=namespace_origin(service),
    )


def disruption_budget(service: Service) -> DisruptionBudget:
    """The budget: by maxUnavailable, so that a node can always be drained."""
    machine = service.machine
    away: Fact[int | str] = machine.fact(machine.value.disruption.max_unavailable, "disruption", "maxUnavailable")
    return DisruptionBudget(
        ref=ObjectRef("policy/v1", "PodDisruptionBudget", service.namespace, service.name),
        selector=Known(selector_of(service), Derived("the label of the service's pods")),
        max_unavailable=away,
        labels=labels_of(service),
        origin=service.policy.declared("metadata", "name"),
        label_origins=label_origins(service),
        namespace_origin=namespace_origin(service),
    )


def namespaces(services: tuple[Service, ...], fleet: Policy[FleetSpec]) -> tuple[Namespace, ...]:
    """The namespaces of the services that the Fleet says are made by us. They are shared, so no service owns one."""
    used = {service.namespace for service in services}
    return tuple(
        Namespace(
            ref=ObjectRef("v1", "Namespace", "", namespace.name),
            labels={MANAGED_BY: MANAGER},
            origin=fleet.declared("spec", "namespaces", index, "name"),
        )
        for index, namespace in enumerate(fleet.spec.namespaces)
        if namespace.managed and namespace.name in used
    )


def check_names(service: Service, fleet: Policy[FleetSpec], certain: bool) -> Iterator[Diagnostic]:
    """Names that break other pods, and namespaces that the Fleet, if it is the right one, does not have."""
    if (service.namespace, service.name) == ("default", "kubernetes"):
        yield _of_the_api_server(service)
    variable = _COLLIDING.get(service.name)
    if variable is not None:
        yield _colliding(service, variable)
    known = [namespace.name for namespace in fleet.spec.namespaces]
    if certain and known and service.namespace not in known and ("spec", "namespaces") not in fleet.unsure:
        yield _unknown_namespace(service, fleet, known)


def _of_the_api_server(service: Service) -> Diagnostic:
    where = service.policy.declared("metadata", "name")
    return finding(
        "policy/colliding-name",
        "Service default/kubernetes is the API server's own: every pod finds the cluster by it",
        where.span,
        where.path,
        "Name the service otherwise, or put it into a namespace of its own.",
        layer=Layer.KUBERNETES,
    )


def _colliding(service: Service, variable: str) -> Diagnostic:
    where = service.policy.declared("metadata", "name")
    return finding(
        "policy/colliding-name",
        f"a Service called `{service.name}` sets {variable}=tcp://… in other pods of namespace {service.namespace}, "
        "which an engine there reads as its port and fails",
        where.span,
        where.path,
        f"Name the service otherwise, for instance `{service.name}-chat`.",
        layer=Layer.KUBERNETES,
    )


def _unknown_namespace(service: Service, fleet: Policy[FleetSpec], known: list[str]) -> Diagnostic:
    where = service.policy.declared("metadata", "namespace")
    near = nearest(service.namespace, known)
    return finding(
        "policy/unknown-reference",
        f"metadata.namespace: Fleet `{fleet.name}` has no namespace `{service.namespace}`; it has {', '.join(known)}",
        where.span,
        where.path,
        f"Write `{near}`." if near else f"Add `{service.namespace}` to the Fleet's namespaces, or write one of them.",
    )
