"""A name has characters that the API server refuses.

Models have names with dots, slashes and capitals; objects, containers and ports may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.pod_arithmetic import containers_of, is_rendered
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.model import Stack
from controlplane.stack.references import Service

_LABEL = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = regex(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_PORT = regex(r"(?=.*[a-z])[a-z0-9](-?[a-z0-9])*\Z")


class _Form(NamedTuple):
    """What a name may look like, in words too."""

    pattern: re.Pattern[str]
    longest: int
    words: str


_DNS_LABEL = _Form(_LABEL, 63, "63 small letters, digits and hyphens")
_DNS_SUBDOMAIN = _Form(_SUBDOMAIN, 253, "253 small letters, digits, hyphens and dots")
_PORT_NAME = _Form(_PORT, 15, "15 small letters, digits and hyphens, with one letter at least")
_OBJECTS = {"Deployment": _DNS_SUBDOMAIN, "StatefulSet": _DNS_LABEL, "Job": _DNS_SUBDOMAIN}


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        form = _OBJECTS.get(workload.ref.kind)
        if form is not None:
            yield from _refused(f"{workload.ref.kind}", workload.ref.name, form, workload.origin)
    for service in stack.references:
        if isinstance(service, Service):
            yield from _refused("Service", service.ref.name, _DNS_LABEL, service.origin)
    for _, _, container in containers_of(stack):
        yield from _refused("container", container.name, _DNS_LABEL, container.origin)
        for port in container.ports:
            yield from _refused(f"port of container {container.name}", port.name, _PORT_NAME, port.origin)


def _refused(what: str, name: str, form: _Form, place: Place) -> Iterator[Finding]:
    if name and is_rendered(name) and not (form.pattern.match(name) and len(name) <= form.longest):
        yield Finding(
            f"{what} is named {name} ({len(name)} characters); the API server takes up to {form.words}",
            at=place,
            remedy=f"Call it {_near(name, form)}, and what refers to it.",
            evidence=(evidence("name", name, source=str(place)),),
        )


def _near(name: str, form: _Form) -> str:
    """The nearest name that is taken; the model's own name goes to --served-model-name."""
    near = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if len(near) > form.longest:
        near = near[: form.longest].rpartition("-")[0] or near[: form.longest]
    return near if form.pattern.match(near) else f"p-{near}"[: form.longest].strip("-") or "model"


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Names become host names and variables. A container and a Service may not be called llama-3.1-8b "
    "because of the dot, a port not metrics-endpoint-http because of its 21 characters. Clients do not need the "
    "name: --served-model-name is what they ask for.",
    remedy="Use small letters, digits and hyphens.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'must not contain dots', 'no more than 15 characters'",
    ),
    bad=(
        """
        apiVersion: v1
        kind: Service
        metadata:
          name: llama-3.1-8b  # fires
        spec:
          selector: {app: llama}
          ports: [{port: 8000, targetPort: http}]
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: llama-3.1-8b}
        spec:
          selector: {matchLabels: {app: llama}}
          template:
            metadata: {labels: {app: llama}}
            spec:
              containers:
                - name: Llama  # fires
                  image: registry.example/server:1.0
                  ports:
                    - {name: http, containerPort: 8000}
                    - {name: metrics-endpoint-http, containerPort: 9000}  # fires
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Service
        metadata: {name: llama-3-1-8b}
        spec:
          selector: {app: llama}
          ports: [{port: 8000, targetPort: http}]
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: llama-3.1-8b}
        spec:
          selector: {matchLabels: {app: llama}}
          template:
            metadata: {labels: {app: llama}}
            spec:
              containers:
                - name: llama-3-1-8b
                  image: registry.example/server:1.0
                  ports:
                    - {name: http, containerPort: 8000}
                    - {name: metrics, containerPort: 9000}
        """,
    ),
    check=check,
)
