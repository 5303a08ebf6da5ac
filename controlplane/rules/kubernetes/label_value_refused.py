"""A label or selector has a value that the API server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.pod_arithmetic import is_rendered, pod_sets_of
from controlplane.rules.rule import Finding, Place, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import Origin, value_of
from controlplane.stack.model import Stack
from controlplane.stack.references import DisruptionBudget, Service

_VALUE = regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?\Z")
_LONGEST = 63


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        yield from _refused("label", workload.labels, workload.label_origins, workload.origin)
    for workload, pods in pod_sets_of(stack):
        yield from _refused("label", pods.labels, pods.label_origins, pods.origin or workload.origin)
        wanted = value_of(pods.constraints.node_selector) or {}
        yield from _refused("node selector", wanted, pods.constraints.node_selector_origins, pods.origin)
    for reference in stack.references:
        if isinstance(reference, Service | DisruptionBudget):
            yield from _refused("label", reference.labels, reference.label_origins, reference.origin)


def _refused(what: str, labels: Mapping[str, str], origins: Mapping[str, Origin], place: Place) -> Iterator[Finding]:
    for key, value in labels.items():
        if not is_rendered(value) or (_VALUE.match(value) and len(value) <= _LONGEST):
            continue
        yield Finding(
            f"{what} {key} has the value {value} ({len(value)} characters); the API server takes up to {_LONGEST} "
            "letters, digits, hyphens, underscores and dots, with a letter or digit at both ends",
            at=origins.get(key),
            otherwise=place,
            remedy=f"Write {_near(value)}; a model's full name belongs into an annotation.",
            evidence=(evidence(f"{what} {key}", value, source=str(origins.get(key, "the manifest"))),),
        )


def _near(value: str) -> str:
    near = re.sub(r"[^A-Za-z0-9_.]+", "-", value).strip("-_.")[:_LONGEST].strip("-_.")
    return near or "model"


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="A model's name such as team/model-8B has a slash, and a label's value may not. The API server refuses "
    "the whole object; of a custom resource it takes the template, and its operator cannot create pods.",
    remedy="Replace what labels may not have, or use an annotation.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'a valid label must be an empty string or consist of'",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: llama}
        spec:
          selector: {matchLabels: {app: llama}}
          template:
            metadata:
              labels:
                app: llama
                model: example/llama-8B  # fires
            spec:
              containers:
                - {name: server, image: "registry.example/server:1.0"}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: llama}
        spec:
          selector: {matchLabels: {app: llama}}
          template:
            metadata:
              labels: {app: llama, model: example--llama-8B_v1.0, empty: ""}
              annotations: {model: example/llama-8B}
            spec:
              containers:
                - {name: server, image: "registry.example/server:1.0"}
        """,
    ),
    check=check,
)
