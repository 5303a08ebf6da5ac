"""Two items of a list have the same key.

Lists of ports, variables, volumes and mounts are maps to the API server; the second item is refused or hides the
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of, is_rendered, pod_sets_of
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known, Origin, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, EnvVar, PodSet
from controlplane.stack.references import Service

_REFUSED = "the API server refuses the second one"
_UNDER_APPLY = "it is refused by server-side apply, and an apply may drop the second one later"


class _Item(NamedTuple):
    key: str
    place: Place
    value: object = None


def check(stack: Stack) -> Iterator[Finding]:
    for workload, pods in pod_sets_of(stack):
        yield from _of_pods(workload, pods)
    for _, _, container in containers_of(stack):
        yield from _of_container(container)
    for reference in stack.references:
        if isinstance(reference, Service):
            yield from _of_service(reference)


def _of_pods(workload: Workload, pods: PodSet) -> Iterator[Finding]:
    names = (_Item(f"container {c.name}", c.origin) for c in (*pods.init_containers, *pods.containers) if c.name)
    yield from _twice(names, _REFUSED, Severity.ERROR)
    # A StatefulSet's claim template takes the place of a volume of its name.
    own = (volume for volume in pods.volumes if volume.name and volume.name not in workload.claim_templates)
    volumes = (_Item(f"volume {volume.name}", volume.origin) for volume in own)
    yield from _twice(volumes, _REFUSED, Severity.ERROR)


def _of_container(container: Container) -> Iterator[Finding]:
    within = f"in container {container.name}"
    names = (_Item(f"port name {p.name} {within}", p.origin) for p in container.ports if p.name)
    yield from _twice(names, _REFUSED, Severity.ERROR)
    ports = (_Item(f"port {p.number}/{p.protocol} {within}", p.origin) for p in container.ports if p.number)
    yield from _twice(ports, _UNDER_APPLY, Severity.WARNING)
    mounts = (_Item(f"mount path {m.path} {within}", m.origin) for m in container.mounts if m.path)
    yield from _twice(mounts, _REFUSED, Severity.ERROR)
    yield from _variables(container.env, within)


def _of_service(service: Service) -> Iterator[Finding]:
    within = f"in Service {service.ref.name}"
    names = (_Item(f"port name {p.name} {within}", p.origin) for p in service.ports if p.name)
    yield from _twice(names, _REFUSED, Severity.ERROR)
    ports = (_Item(f"port {p.number}/{p.protocol} {within}", p.origin) for p in service.ports if p.number)
    yield from _twice(ports, _REFUSED, Severity.ERROR)


def _variables(env: Iterable[EnvVar], within: str) -> Iterator[Finding]:
    """A variable that is set twice to one value does no harm but under server-side apply."""
    seen: dict[str, EnvVar] = {}
    for variable in env:
        first = seen.setdefault(variable.name, variable)
        if first is variable or not variable.name or _place(variable) is None:
            continue
        same = isinstance(first.value, Known) and value_of(first.value) == value_of(variable.value)
        effect = "both have one value" if same else "the last one counts"
        yield Finding(
            f"variable {variable.name} {within} is set twice; {effect}, and server-side apply refuses the list",
            at=_place(variable),
            remedy=f"Keep one {variable.name}.",
            evidence=(evidence("env.name", variable.name, source=str(_place(variable))),),
            related=((_place(first), "set here first"),),
            severity=Severity.INFO if same else Severity.WARNING,
        )


def _place(variable: EnvVar) -> Origin | None:
    return variable.origin or (variable.value.origin if isinstance(variable.value, Known) else None)


def _twice(items: Iterable[_Item], effect: str, severity: Severity) -> Iterator[Finding]:
    seen: dict[str, Place] = {}
    for item in items:
        if item.key not in seen:
            seen[item.key] = item.place
        elif is_rendered(item.key):
            yield Finding(
                f"{item.key} is there twice; {effect}",
                at=item.place,
                remedy="Remove one of them, or give it a name or number of its own.",
                evidence=(evidence("key", item.key, source="the list it is in"),),
                related=((seen[item.key], "the first one"),),
                severity=severity,
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Names of containers, volumes and ports, mount paths and a Service's port numbers have to be unique. "
    "A container's port number and a variable may stand there twice, but server-side apply fails on them, and with "
    "client-side apply a later change of one may delete the other. Of a variable set twice the last value counts.",
    remedy="Keep one item for each key.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'Duplicate value', 'must be unique', 'duplicate entries'",
        "Field case: kubernetes/kubernetes issue 113482",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  ports:
                    - {name: http, containerPort: 8000}
                    - {name: metrics, containerPort: 8000}  # fires
                  env:
                    - {name: LOG_LEVEL, value: info}
                    - {name: LOG_LEVEL, value: debug}  # fires
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  ports:
                    - {name: http, containerPort: 8000}
                    - {name: dns, containerPort: 5353, protocol: UDP}
                    - {name: dns-tcp, containerPort: 5353}
                  env:
                    - {name: LOG_LEVEL, value: info}
                - name: proxy
                  image: registry.example/proxy:1.0
                  env:
                    - {name: LOG_LEVEL, value: debug}
        """,
    ),
    check=check,
)
