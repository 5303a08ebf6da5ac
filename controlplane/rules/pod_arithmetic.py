"""Sums over pods that several rules need: what they ask for, how many there are, and how a rollout replaces them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from controlplane.frozen import frozen
from controlplane.placement import Amounts, limits_of, requests_of
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact, Known, Origin, Unknown, value_of
from controlplane.stack.model import Stack, Strategy, Workload
from controlplane.stack.pods import Container, PodSet

GIB = 2**30

_STAND_IN = re.compile(r"\A[A-Z][A-Z0-9_]+\Z|(?<![A-Za-z0-9])[A-Z]+(?:_[A-Z0-9]+)+(?![a-z])|_[A-Z]{2,}_|\.\.\.")
"""What a script, or a reader of an example, is to replace."""


def pod_sets_of(stack: Stack) -> Iterator[tuple[Workload, PodSet]]:
    """Every pod set with its workload."""
    for workload in stack.workloads:
        for pods in workload.pod_sets:
            yield workload, pods


def containers_of(stack: Stack) -> Iterator[tuple[Workload, PodSet, Container]]:
    """Every container, init containers first."""
    for workload, pods in pod_sets_of(stack):
        for container in (*pods.init_containers, *pods.containers):
            yield workload, pods, container


_FILLED_IN = frozenset({"serving.kserve.io", "serving.knative.dev"})
"""Groups whose operators complete the pods: volumes, probes, ports and shared memory from templates of their own."""


def is_partial(workload: Workload, pods: PodSet) -> bool:
    """Whether this is a patch, or is completed by somebody else: what it does not say may be said there."""
    patch = not pods.containers or any(container.image == ABSENT for container in pods.containers)
    return patch or workload.ref.group in _FILLED_IN


def is_rendered(text: str) -> bool:
    """Whether a name or label is what an API server will see, and nothing in it is still to be filled in.

    No such text has a dollar sign or a brace; `POOL`, `claim-V_ZONE` and `svc_ID_` are what scripts replace.
    """
    return not any(mark in text for mark in ("$", "{", "<", "%%")) and _STAND_IN.search(text) is None


def place_of(container: Container, pods: PodSet, workload: Workload) -> Origin | None:
    """Where a container is named, else its pod template, else its workload."""
    return container.origin or pods.origin or workload.origin


def pods_wanted(pods: PodSet) -> int | None:
    """Pods of a set as it is declared, None where the number is not known."""
    replicas, hosts = value_of(pods.count.desired), value_of(pods.hosts_per_unit)
    return replicas * hosts if replicas is not None and hosts is not None else None


def amounts_known(pods: PodSet) -> bool:
    """Whether every amount that the pods ask for could be read: else a sum is only a lower bound."""
    containers = (*pods.init_containers, *pods.containers)
    facts = [fact for c in containers for fact in (*c.requests.values(), *c.limits.values())]
    return not any(isinstance(fact, Unknown) for fact in facts)


_READY_CHECK = {"cpu": 200 * 10**6, "memory": 256 * 2**20 * 10**9}
"""KubeRay's init container wait-gcs-ready on every worker (operator 1.7: requests and limits alike)."""

_AUTOSCALER = {"cpu": 500 * 10**6, "memory": 512 * 2**20 * 10**9}
"""The autoscaler's sidecar on the head, where `autoscalerOptions` says nothing of it (operator 1.7)."""


def requests_in_all(workload: Workload, pods: PodSet) -> Amounts:
    """What one pod asks for, with the containers that KubeRay adds to it."""
    return _with_added(workload, pods, requests_of(pods))


def limits_in_all(workload: Workload, pods: PodSet) -> Amounts:
    """What one pod may use, with the containers that KubeRay adds to it."""
    return _with_added(workload, pods, limits_of(pods))


def _with_added(workload: Workload, pods: PodSet, amounts: Amounts) -> Amounts:
    ray = workload.ray
    if ray is None:
        return amounts
    if pods.name != ray.head.name:
        missing = {name: amount for name, amount in _READY_CHECK.items() if amounts.get(name, 0) < amount}
        return {**amounts, **missing}
    written = any(container.name == "autoscaler" for container in pods.containers)
    scaled = value_of(ray.autoscaling.enabled) is True and ray.autoscaling.options == ABSENT
    if written or not scaled:
        return amounts
    return {name: amounts.get(name, 0) + _AUTOSCALER.get(name, 0) for name in (*amounts, *_AUTOSCALER)}


@frozen
class RollingUpdate:
    """Pods that a Deployment may have too many and too few of while it replaces them."""

    surge: int
    unavailable: int


def rolling_update(strategy: Strategy, replicas: int) -> RollingUpdate | None:
    """How a Deployment's pods are replaced, None for another strategy or one that is not known.

    Both default to 25 %; surge is rounded up and unavailable down, and where both come to nothing one pod may be
    missing (Kubernetes 1.36, `pkg/controller/deployment/util`, `ResolveFenceposts`).
    """
    if strategy.type != ABSENT and value_of(strategy.type) != "RollingUpdate":
        return None
    surge = _scaled(strategy.max_surge, replicas, up=True)
    unavailable = _scaled(strategy.max_unavailable, replicas, up=False)
    if surge is None or unavailable is None:
        return None
    return RollingUpdate(surge, unavailable if surge or unavailable else 1)


def _scaled(fact: Fact[int | str], replicas: int, *, up: bool) -> int | None:
    return scaled("25%" if fact == ABSENT else value_of(fact), replicas, up=up)


def scaled(amount: int | str | None, whole: int, *, up: bool) -> int | None:
    """A number as it is, or a percentage of the whole; None for what is neither."""
    if not isinstance(amount, str):
        return amount
    number = amount.removesuffix("%")
    if number == amount or not (number.isascii() and number.isdigit()) or len(number) > 6:
        return None
    share = whole * int(number)
    return math.ceil(share / 100) if up else share // 100


def matches(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether labels have all that a selector of labels wants."""
    return all(labels.get(key) == value for key, value in selector.items())


def shown(resource: str, nano: int) -> str:
    """An amount as people write it: `1500m`, `16Gi`, `2`."""
    if resource.rpartition(".")[2] in ("memory", "ephemeral-storage") and nano % 10**9 == 0:
        return Quantity.from_bytes(nano // 10**9).canonical()
    return Quantity(nano).canonical()


def largest_asker(containers: Iterable[Container], resource: str) -> Fact[Quantity]:
    """The largest amount of a resource that a container asks for: the one to change."""
    facts = [c.requests.get(resource, c.limits.get(resource, ABSENT)) for c in containers]
    known = [fact for fact in facts if isinstance(fact, Known)]
    return max(known, key=lambda fact: fact.value, default=ABSENT)
