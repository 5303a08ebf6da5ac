"""A container or pod is outside the bounds of its namespace's LimitRange."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import limits_in_all, pod_sets_of, requests_in_all, shown
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.wording import evidence
from controlplane.source import Quantity
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, PodSet
from controlplane.stack.references import LimitRange, LimitRangeItem


def check(stack: Stack) -> Iterator[Finding]:
    for limits in stack.references:
        if not isinstance(limits, LimitRange):
            continue
        for workload, pods in pod_sets_of(stack):
            if workload.ref.namespace == limits.ref.namespace:
                for item in limits.items:
                    yield from _outside(limits, item, workload, pods)


def _outside(limits: LimitRange, item: LimitRangeItem, workload: Workload, pods: PodSet) -> Iterator[Finding]:
    if item.type == "Container":
        for container in (*pods.init_containers, *pods.containers):
            yield from _container(limits, item, container)
    elif item.type == "Pod":
        yield from _pod(limits, item, workload, pods)


def _container(limits: LimitRange, item: LimitRangeItem, container: Container) -> Iterator[Finding]:
    who = f"container {container.name}"
    for resource, most in item.max.items():
        asked = container.limits.get(resource)
        if isinstance(asked, Known) and isinstance(most, Known) and asked.value > most.value:
            yield _finding(limits, f"{who} has the {resource} limit", asked, "at most", most)
    for resource, least in item.min.items():
        asked = container.requests.get(resource, container.limits.get(resource))
        if isinstance(asked, Known) and isinstance(least, Known) and asked.value < least.value:
            yield _finding(limits, f"{who} asks for {resource}", asked, "at least", least)
    yield from _defaulted(limits, item, container)


def _defaulted(limits: LimitRange, item: LimitRangeItem, container: Container) -> Iterator[Finding]:
    """Where a container sets no limit, it gets the default; a maximum is the default where none is set."""
    for resource, default in {**item.max, **item.default}.items():
        asked = container.requests.get(resource)
        if resource in container.limits or not (isinstance(asked, Known) and isinstance(default, Known)):
            continue
        if asked.value > default.value:
            what = f"container {container.name} has no limit and requests {resource}"
            yield _finding(limits, what, asked, "a default limit of", default)


def _pod(limits: LimitRange, item: LimitRangeItem, workload: Workload, pods: PodSet) -> Iterator[Finding]:
    who, place = f"a pod {pods.name} of {workload.ref.kind} {workload.ref.name}", pods.origin or workload.origin
    for resource, most in item.max.items():
        asked = limits_in_all(workload, pods).get(resource, 0)
        if isinstance(most, Known) and asked > most.value.nano:
            sum_ = _Amount(shown(resource, asked), place)
            yield _finding(limits, f"{who} has {resource} limits of", sum_, "at most", most)
    for resource, least in item.min.items():
        asked = requests_in_all(workload, pods).get(resource, 0)
        if isinstance(least, Known) and 0 < asked < least.value.nano:
            sum_ = _Amount(shown(resource, asked), place)
            yield _finding(limits, f"{who} asks for {resource}", sum_, "at least", least)


class _Amount(NamedTuple):
    """An amount in words, and its place."""

    text: str
    place: Place


def _finding(
    limits: LimitRange, what: str, asked: Known[Quantity] | _Amount, bound: str, value: Known[Quantity]
) -> Finding:
    text, place = _Amount(asked.value.canonical(), asked) if isinstance(asked, Known) else asked
    allowed = value.value.canonical()
    return Finding(
        f"{what} {text}; LimitRange {limits.ref.name} sets {bound} {allowed}, so the API server refuses the pod",
        at=place,
        otherwise=limits.origin,
        remedy=f"Write a limit of {text} or more in the container."
        if bound.startswith("a default")
        else f"Set {bound} {allowed}, or change the LimitRange.",
        evidence=(
            evidence("asked", text, source="the pod template"),
            evidence(bound, allowed, source=str(value.origin)),
        ),
        related=((value, f"{bound} {allowed}"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="The pod is refused when it is created, the workload is not: there is no pod to look at. The least "
    "obvious form is a default limit (or a maximum, which is then the default) below the request of a container that "
    "sets no limit itself. The default is filled in, and the request is above it.",
    remedy="Stay inside the LimitRange, and write the limit.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'maximum cpu usage per Container is 4, but limit is 8'",
    ),
    bad=(
        """
        apiVersion: v1
        kind: LimitRange
        metadata: {name: defaults, namespace: models}
        spec:
          limits:
            - type: Container
              default: {memory: 512Mi}
              max: {cpu: "8"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed, namespace: models}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  resources:
                    requests:
                      memory: 4Gi  # fires
                    limits:
                      cpu: 16  # fires
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: LimitRange
        metadata: {name: defaults, namespace: models}
        spec:
          limits:
            - type: Container
              default: {memory: 512Mi}
              max: {cpu: "8", memory: 64Gi}
            - type: Pod
              max: {memory: 64Gi}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed, namespace: models}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  resources:
                    requests: {cpu: 4, memory: 4Gi}
                    limits: {memory: 8Gi}
        """,
    ),
    check=check,
)
