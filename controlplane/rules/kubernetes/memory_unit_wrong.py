"""An amount of memory is smaller than any program: its unit is wrong.

`500m` of memory is half a byte, `16` are sixteen bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.source import Quantity
from controlplane.stack.facts import Fact, Known
from controlplane.stack.model import Stack

_SMALLEST_BYTES = 2**20
_MEMORY = ("memory", "ephemeral-storage")


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        limit, request = f"the limit of container {container.name}", f"the request of container {container.name}"
        never = f"no container starts with less than {_SMALLEST_BYTES}"
        yield from _tiny(limit, container.limits, never, Severity.ERROR)
        yield from _tiny(request, container.requests, "that reserves nothing", Severity.WARNING)


def _tiny(who: str, amounts: Mapping[str, Fact[Quantity]], effect: str, severity: Severity) -> Iterator[Finding]:
    for resource in _MEMORY:
        amount = amounts.get(resource)
        if isinstance(amount, Known) and 0 < amount.value.value < _SMALLEST_BYTES:
            written, size = amount.value.canonical(), amount.value.value
            shown = f"{float(size):g} byte{'' if size == 1 else 's'}"
            yield Finding(
                f"{who} is {resource} {written}, which is {shown}; {effect}",
                at=amount,
                remedy=f"Write the unit that is meant, such as {_meant(amount.value)}.",
                evidence=(evidence(resource, written, source=str(amount.origin)),),
                severity=severity,
            )


def _meant(amount: Quantity) -> str:
    """`500m` was to be 500Mi, `16` was to be 16Gi."""
    text = amount.canonical()
    if text.endswith("m"):
        return f"{text[:-1]}Mi"
    return f"{text}Gi" if amount.value < 1024 else f"{text}Mi"


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CONTAINER,
    since="0.1.0",
    rationale="The suffix m means a thousandth, also for memory, and a number without suffix counts bytes. The API "
    "server only warns of `500m` and says nothing of `16`; a container with such a limit never starts, and a request "
    "of that size reserves nothing.",
    remedy="Write Mi or Gi.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'fractional byte value \"500m\" is invalid' is a warning",
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
                  resources:
                    requests:
                      memory: 500m  # fires
                    limits:
                      memory: 16  # fires
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
                  resources:
                    requests: {cpu: 500m, memory: 1.5Gi}
                    limits: {memory: 16Gi, ephemeral-storage: 10e9}
        """,
    ),
    check=check,
)
