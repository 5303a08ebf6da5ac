"""Labels of what is made for a service, and the few by which its pods are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from controlplane.diagnostics import Diagnostic, KeyPath
from controlplane.policy.findings import finding
from controlplane.policy.policy_set import Service
from controlplane.stack.facts import Derived, Known, Origin

SERVICE_LABEL: Final = "controlplane.dev/service"
MANAGED_BY: Final = "app.kubernetes.io/managed-by"
MANAGER: Final = "controlplane"


def labels_of(service: Service) -> dict[str, str]:
    """Labels of every object, the policy's own among them."""
    ours = {
        "app.kubernetes.io/instance": service.name,
        MANAGED_BY: MANAGER,
        "app.kubernetes.io/name": "vllm",
        SERVICE_LABEL: service.name,
    }
    return dict(sorted({**service.policy.spec.metadata.labels, **ours}.items()))


def label_origins(service: Service) -> dict[str, Origin]:
    """Where each label comes from: the policy's line, the service's name, or a rule of ours."""
    policy = service.policy
    named = policy.declared("metadata", "name")
    found: dict[str, Origin] = {
        key: policy.declared("metadata", "labels", key) for key in policy.spec.metadata.labels
    }
    return found | {
        "app.kubernetes.io/instance": named,
        MANAGED_BY: Derived("who writes this object"),
        "app.kubernetes.io/name": Derived("what runs in the pods"),
        SERVICE_LABEL: named,
    }


def namespace_origin(service: Service) -> Origin | None:
    """Where the namespace is written, or that it is the default."""
    fact = service.policy.fact(service.namespace, "metadata", "namespace")
    return fact.origin if isinstance(fact, Known) else None


def selector_of(service: Service) -> Mapping[str, str]:
    """The label that finds the pods. A Deployment's selector can never change, so it is one that never does."""
    return {SERVICE_LABEL: service.name}


def check_labels(service: Service) -> Iterator[Diagnostic]:
    """Labels of the policy that we write ourselves."""
    written = service.policy.spec.metadata.labels
    for key, value in labels_of(service).items():
        if key in written and written[key] != value:
            path: KeyPath = ("metadata", "labels", key)
            yield finding(
                "policy/reserved-label",
                f"label {key} is `{written[key]}` here; it is always `{value}`, which finds pods and objects",
                service.policy.span(*path),
                path,
                f"Remove the label {key}.",
            )
