"""The namespace's quota wants every container to say what it asks for, and one does not."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial, pod_sets_of
from controlplane.rules.quota_use import quotas_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container
from controlplane.stack.references import LimitRange, ResourceQuota

_WANTED = ("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory")


def check(stack: Stack) -> Iterator[Finding]:
    with_defaults = {r.ref.namespace for r in stack.references if isinstance(r, LimitRange)}
    for quota in quotas_of(stack):
        wanted = [name for name in _WANTED if name in quota.hard]
        if not wanted or quota.ref.namespace in with_defaults:
            continue
        for workload, pods in pod_sets_of(stack):
            if workload.ref.namespace == quota.ref.namespace and not is_partial(workload, pods):
                for container in (*pods.init_containers, *pods.containers):
                    yield from _silent(quota, wanted, container)


def _silent(quota: ResourceQuota, wanted: list[str], container: Container) -> Iterator[Finding]:
    missing = [name for name in wanted if not _says(container, name)]
    if missing:
        amounts = listed(name if "." in name else f"requests.{name}" for name in missing)
        yield Finding(
            f"container {container.name} sets no {amounts}, and quota {quota.ref.name} counts "
            f"{'it' if len(missing) == 1 else 'them'}: the API server refuses its pods unless a LimitRange of the "
            "namespace fills in a default",
            at=container.resources_origin,
            otherwise=container.origin,
            remedy=f"Set {amounts} of the container, or give the namespace a LimitRange with defaults.",
            evidence=(evidence("quota", listed(missing), source=str(quota.origin)),),
            related=((quota.origin, "the quota"),),
        )


def _says(container: Container, name: str) -> bool:
    """A limit stands for a missing request, a request never for a limit."""
    resource = name.rpartition(".")[2]
    return resource in container.limits or (not name.startswith("limits.") and resource in container.requests)


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.ADMISSION,
    since="0.1.0",
    rationale="With a quota on CPU or memory the API server refuses every pod with a container, init container or "
    "sidecar that does not say how much it takes, however much is free. The workload is accepted and has no pods. A "
    "LimitRange in the namespace may fill the amounts in; it is not judged where one is in the input.",
    remedy="Say the amounts in every container.",
    sources=(
        "Kubernetes 1.36.3, asked by server-side dry run: 'failed quota: team: must specify limits.memory for: c'",
    ),
    bad=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: models}
        spec:
          hard: {requests.cpu: "40", limits.memory: 400Gi}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed, namespace: models}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              initContainers:
                - name: fetch  # fires
                  image: registry.example/fetch:1.0
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  resources: {requests: {cpu: 1}, limits: {memory: 4Gi}}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: team, namespace: models}
        spec:
          hard: {requests.cpu: "40", limits.memory: 400Gi, requests.nvidia.com/gpu: "8"}
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
                  resources: {limits: {cpu: 1, memory: 4Gi}}
        """,
    ),
    check=check,
)
