"""A PriorityClass that the API server refuses: its value, its name, or a second default."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.references import PriorityClass

_HIGHEST = 10**9
_SYSTEM = frozenset({"system-cluster-critical", "system-node-critical"})


def check(stack: Stack) -> Iterator[Finding]:
    classes = [reference for reference in stack.references if isinstance(reference, PriorityClass)]
    defaults = [given for given in classes if value_of(given.global_default) is True]
    for given in classes:
        if given.ref.name not in _SYSTEM:
            yield from _too_high(given)
            yield from _reserved(given)
    for given in defaults[1:]:
        yield Finding(
            f"PriorityClass {given.ref.name} is to be the default, and {defaults[0].ref.name} is; there is one at "
            "most",
            at=given.global_default,
            otherwise=given.origin,
            remedy=f"Remove globalDefault from one of {defaults[0].ref.name} and {given.ref.name}.",
            evidence=(evidence("globalDefault", True, source=str(given.origin)),),
            related=((defaults[0].global_default, "the other default"),),
        )


def _too_high(given: PriorityClass) -> Iterator[Finding]:
    if isinstance(given.value, Known) and given.value.value > _HIGHEST:
        yield Finding(
            f"PriorityClass {given.ref.name} has the value {given.value.value}; {_HIGHEST} is the highest allowed",
            at=given.value,
            remedy=f"Set value: {_HIGHEST} or less.",
            evidence=(evidence("value", given.value),),
        )


def _reserved(given: PriorityClass) -> Iterator[Finding]:
    if given.ref.name.startswith("system-"):
        yield Finding(
            f"PriorityClass {given.ref.name} has a name that begins with system-, which is reserved",
            at=given.origin,
            remedy=f"Call it {given.ref.name.removeprefix('system-') or 'models'}.",
            evidence=(evidence("metadata.name", given.ref.name, source=str(given.origin)),),
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="Pods that name a class which was refused are refused too: the workload has no pods.",
    remedy="Stay below the system's own classes, with one default at most.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'maximum allowed value of a user defined priority'",
        "Kubernetes 1.36.3, asked by server-side dry run: 'reserved for system use only'",
    ),
    bad=(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: models}
        value: 2000000000  # fires
        ---
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: system-models}  # fires
        value: 1000
        """,
    ),
    good=(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: models}
        value: 1000000000
        globalDefault: true
        ---
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: batch}
        value: -5
        preemptionPolicy: Never
        """,
    ),
    check=check,
)
