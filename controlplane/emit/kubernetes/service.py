"""Service v1, inside the cluster only: exposing it further is a gateway's work."""

from __future__ import annotations

from typing import Any

from controlplane.emit.bundle import EmittedObject, at, fixed, sourced
from controlplane.emit.kubernetes.metadata import emitted, metadata
from controlplane.stack.facts import Derived
from controlplane.stack.references import Service, ServicePort


def build(service: Service) -> EmittedObject:
    """The manifest of a Service. Raises ValueError when its selector is not known."""
    spec = {
        "clusterIP": fixed("None", "a headless Service answers with the pods' own addresses")
        if service.headless
        else None,
        "selector": sourced(service.selector),
        "ports": [_port(port) for port in service.ports] or None,
    }
    head = metadata(service.ref, service.labels, service.annotations, service.label_origins, service.namespace_origin)
    tree = {"metadata": head, "spec": spec}
    return emitted(service.ref, tree, service.labels, service.origin)


def _port(port: ServicePort) -> Any:
    fields = {
        "name": port.name or None,
        "port": at(port.number, port.origin),
        "targetPort": port.target,
        "protocol": port.protocol,
    }
    return at(fields, port.origin and Derived("leads to the engines' own port"))
