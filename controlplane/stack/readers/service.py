"""Service v1."""

from __future__ import annotations

from controlplane.regex import regex
from controlplane.stack.facts import Known, value_or
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import Service, ServicePort

_PORT_NAME = regex(r"[a-z0-9-]*[a-z][a-z0-9-]*|[0-9]+")
"""A name that a container port can have; anything else is a place to fill in, or refused by the API."""


def read(manifest: Field) -> Service:
    """The Service of a manifest. How it is exposed beyond the cluster is not read."""
    spec = manifest["spec"]
    return Service(
        ref=metadata.reference(manifest),
        selector=spec["selector"].text_map_fact(),
        ports=tuple(_port(port) for port in spec["ports"].items()),
        labels=metadata.labels_of(manifest),
        annotations=metadata.annotations_of(manifest),
        headless=spec["clusterIP"].text() == Known("None", spec.origin),
        origin=metadata.name_origin(manifest),
        label_origins=metadata.label_origins(manifest),
        namespace_origin=metadata.namespace_origin(manifest),
    )


def _port(port: Field) -> ServicePort:
    """A port; without a target it is the port's own number, and 0 where the target cannot be read."""
    number, written = port["port"].plain_integer(), port["targetPort"]
    target = value_or(written.integer_or_text(), 0) if written.is_set else number
    if isinstance(target, str) and not _PORT_NAME.fullmatch(target):
        target = 0
    protocol = port["protocol"].plain_text("TCP")
    place = written.origin if written.is_set else port["port"].origin
    return ServicePort(port["name"].plain_text(), number, target, protocol, port.origin, place)
