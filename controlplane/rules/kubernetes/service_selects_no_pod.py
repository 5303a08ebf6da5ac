"""A Service misses the pods of the workload that it is named after by one label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial, is_rendered, matches, pod_sets_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source.suggest import edit_distance
from controlplane.stack.facts import Declared, Known, Origin
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import Service

_SUFFIXES = ("", "-service", "-svc", "-headless", "-api", "-http")
_GROUP_NAME = "leaderworkerset.sigs.k8s.io/name"
_SET_BY_CONTROLLERS = (
    "ray.io/",
    "leaderworkerset.sigs.k8s.io/",
    "kubernetes.io/",
    "k8s.io/",
    "pod-template-hash",
    "job-",
)


def check(stack: Stack) -> Iterator[Finding]:
    for service in stack.references:
        if isinstance(service, Service) and isinstance(service.selector, Known):
            selector = service.selector.value
            if _GROUP_NAME in selector:
                yield from _of_no_group(stack, service, service.selector)
            if selector and not any(_not_ours(key, value) for key, value in selector.items()):
                yield from _missed(stack, service, service.selector)


def _of_no_group(stack: Stack, service: Service, selector: Known[Mapping[str, str]]) -> Iterator[Finding]:
    """The controller labels pods with their LeaderWorkerSet's name: one that the file has under another name."""
    wanted, file = selector.value[_GROUP_NAME], _file(service.origin)
    groups = [
        workload
        for workload in stack.workloads
        if workload.ref.kind == "LeaderWorkerSet" and workload.ref.namespace == service.ref.namespace
    ]
    if len(groups) != 1 or not file or _file(groups[0].origin) != file or not is_rendered(wanted):
        return
    name = groups[0].ref.name
    is_near = wanted and (name.startswith(wanted) or wanted.startswith(name) or edit_distance(name, wanted, 2) <= 2)
    if name != wanted and is_near and is_rendered(name):
        yield Finding(
            f"Service {service.ref.name} selects pods of LeaderWorkerSet {wanted}, which this file does not have; "
            f"it has {name}",
            at=selector,
            otherwise=service.origin,
            remedy=f"Select {_GROUP_NAME}: {name}.",
            evidence=(evidence(f"selector {_GROUP_NAME}", wanted, source=str(selector.origin)),),
            related=((groups[0].origin, f"LeaderWorkerSet {name}"),),
        )


def _file(origin: Origin | None) -> str:
    return origin.span.file if isinstance(origin, Declared) else ""


def _not_ours(key: str, value: str) -> bool:
    """A label that a controller gives its pods, which no template shows; or one that is not rendered."""
    own = key.startswith(_SET_BY_CONTROLLERS) or "kubernetes.io/pod" in key
    return own or not is_rendered(value)


def _missed(stack: Stack, service: Service, selector: Known[Mapping[str, str]]) -> Iterator[Finding]:
    candidates = [(w, p) for w, p in pod_sets_of(stack) if w.ref.namespace == service.ref.namespace]
    if any(matches(selector.value, pods.labels) for _, pods in candidates):
        return
    for workload, pods in candidates:
        wrong = [key for key, value in selector.value.items() if pods.labels.get(key) != value]
        if not (workload.ray or is_partial(workload, pods)) and _named_after(service, workload) and len(wrong) == 1:
            yield _finding(service, selector, (workload, pods), wrong[0])
            return


def _named_after(service: Service, workload: Workload) -> bool:
    return any(service.ref.name == workload.ref.name + suffix for suffix in _SUFFIXES)


def _finding(
    service: Service, selector: Known[Mapping[str, str]], meant: tuple[Workload, PodSet], key: str
) -> Finding:
    workload, pods = meant
    wanted, carried = selector.value[key], pods.labels.get(key)
    label = f"{key}: {carried}" if carried is not None else f"no label {key}"
    return Finding(
        f"Service {service.ref.name} selects pods with {key}: {wanted}, and no pod here has it; "
        f"those of {workload.ref.kind} {workload.ref.name} carry {label}",
        at=selector,
        otherwise=service.origin,
        remedy=f"Select {key}: {carried}." if carried is not None else f"Give the pods the label {key}: {wanted}.",
        evidence=(evidence(f"selector {key}", wanted, source=str(selector.origin)),),
        related=((pods.label_origins.get(key) or pods.origin or workload.origin, f"carries {label}"),),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A Service that selects nothing has no endpoints: every request is refused, while pods and Service "
    "both look well. Told only of a Service that bears the name of a workload in the same input and namespace, "
    "differs from its pods in one label, and selects no other pod.",
    remedy="Make the Service's selector that of the pods.",
    sources=("Kubernetes: endpoints are the pods whose labels have all that spec.selector says",),
    bad=(
        """
        apiVersion: v1
        kind: Service
        metadata: {name: embed}
        spec:
          selector: {app: embedding}  # fires
          ports: [{port: 8000}]
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Service
        metadata: {name: embed}
        spec:
          selector: {app: embed}
          ports: [{port: 8000}]
        ---
        apiVersion: v1
        kind: Service
        metadata: {name: router}
        spec:
          selector: {app: router}
          ports: [{port: 8000}]
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - {name: worker, image: "registry.example/embed:1.0"}
        """,
    ),
    check=check,
)
