"""Which machines of a complete inventory take a pod, and whether all pods find a place on them.

An inventory is complete where all Nodes, or a Fleet, are among the input. Everything here leans to "it may run": a
label that differs among a pool's nodes, or that a Fleet does not speak of, may be the one that is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from controlplane.diagnostics import Severity
from controlplane.frozen import frozen
from controlplane.placement import Amounts, Node, Placement, Pod, fit, nodes_of
from controlplane.rules.pod_arithmetic import amounts_known, is_rendered, pod_sets_of, pods_wanted, requests_in_all
from controlplane.stack.facts import ABSENT, Derived, Fact, Known, OneOf, Unknown, value_of
from controlplane.stack.inventory import NodePool, Taint
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Constraints, CountOwner, NodeRequirement, PodSet
from controlplane.stack.scheduling import admits, bears

_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "DeletionCandidate", "ToBeDeleted")
"""Taints that tell of a passing state of a node, not of its kind."""

_POOL = "pool"
_MOST = 2000
"""Pods, and nodes, up to which a packing is looked for: a linter answers in seconds."""

SHOWN_TWICE = frozenset({"ReplicaSet", "Pod"})
"""Kinds that others make: what they take is counted there."""


@frozen
class LabelRefusal:
    """A label that the pod wants and the pool's nodes surely do not have; `carried` is empty where they lack it."""

    pool: str
    key: str
    wanted: str
    carried: str


@frozen
class TaintRefusal:
    """A taint of the pool's nodes that the pod does not tolerate."""

    pool: str
    taint: Taint


Refusal = LabelRefusal | TaintRefusal


def known_pools(stack: Stack) -> tuple[NodePool, ...]:
    """All pools there are; none where the input may not show all of them, or not what they offer."""
    complete = "Node" in stack.context.complete and all(pool.allocatable for pool in stack.inventory.pools)
    return stack.inventory.pools if complete else ()


def certainty(stack: Stack) -> Severity:
    """A Fleet names every pool there can be; Nodes are those of today, and an autoscaler may add others."""
    of_today = any(pool.varying_labels is not None for pool in stack.inventory.pools)
    return Severity.WARNING if of_today else Severity.ERROR


def refusal(pods: PodSet, pool: NodePool) -> Refusal | None:
    """Why the pool's nodes surely do not take the pods, None where they may."""
    if pods.runtime_class != ABSENT:
        return None  # a RuntimeClass may add labels and tolerations
    return _label_refusal(pods.constraints, pool) or _taint_refusal(pods, pool)


def willing(pools: tuple[NodePool, ...], pods: PodSet) -> list[NodePool]:
    """The pools that may take the pods, by labels and taints."""
    return [pool for pool in pools if refusal(pods, pool) is None]


def candidates(pools: tuple[NodePool, ...], requests: Amounts) -> tuple[NodePool, ...]:
    """The pools that have every extended resource asked for in some amount; all of them where no pool has.

    Nobody who asks for a GPU means a pool without any, so that it tells nothing of why the pod does not run.
    """
    with_all = [p for p in pools if not any("/" in name and not has for name, has in lacking(requests, p).items())]
    return tuple(with_all) or pools


def _label_refusal(constraints: Constraints, pool: NodePool) -> LabelRefusal | None:
    selector = value_of(constraints.node_selector) or {}
    first = _unmet(tuple(NodeRequirement(key, "In", (value,)) for key, value in selector.items()), pool)
    if first is not None:
        return first
    affinity = constraints.node_requirements
    alternatives: tuple[tuple[NodeRequirement, ...], ...] = (affinity.value,) if isinstance(affinity, Known) else ()
    if isinstance(affinity, OneOf):
        alternatives = affinity.values
    faults = [_unmet(alternative, pool) for alternative in alternatives]
    return faults[0] if faults and all(faults) else None


def _unmet(requirements: tuple[NodeRequirement, ...], pool: NodePool) -> LabelRefusal | None:
    for wanted in requirements:
        if not _may_hold(wanted, pool):
            carried = pool.labels.get(wanted.key, "")
            words = f"{wanted.key} {wanted.operator} {', '.join(wanted.values)}".rstrip()
            if wanted.operator == "In" and len(wanted.values) == 1:
                words = f"{wanted.key}: {wanted.values[0]}"
            return LabelRefusal(pool.name, wanted.key, words, carried)
    return None


def _may_hold(wanted: NodeRequirement, pool: NodePool) -> bool:
    unsaid = pool.varying_labels is None or wanted.key in pool.varying_labels
    if (wanted.key not in pool.labels and unsaid) or not all(is_rendered(value) for value in wanted.values):
        return True
    return admits(
        Constraints(node_requirements=Known((wanted,), Derived("one requirement"))), replace(pool, taints=())
    )


def _taint_refusal(pods: PodSet, pool: NodePool) -> TaintRefusal | None:
    if isinstance(pods.constraints.tolerations, Unknown) and pods.constraints.tolerations != ABSENT:
        return None
    asked = {name for c in (*pods.containers, *pods.init_containers) for name in (*c.limits, *c.requests)}
    for taint in pool.taints:
        # GKE, AKS, EKS and others tolerate a taint named as an extended resource for pods that ask for the resource
        # (admission plug-in ExtendedResourceToleration).
        plugged = taint.key in asked and taint.effect == "NoSchedule"
        if not plugged and not taint.key.startswith(_PASSING) and not bears(pods.constraints, taint):
            return TaintRefusal(pool.name, taint)
    return None


def placement(stack: Stack, extra: tuple[Workload, PodSet] | None = None) -> Placement | None:
    """All pods of the Stack on all nodes there can be, and one more pod of `extra`. None where it cannot be told."""
    pools = known_pools(stack)
    nodes = _nodes(pools)
    if not nodes:
        return None
    wanted = sum(least_pods(group) for _, group in pod_sets_of(stack))
    if wanted > _MOST:
        return None
    pods = [pod for workload, group in pod_sets_of(stack) for pod in _pods(pools, workload, group)]
    if extra is not None:
        requests, where = requests_in_all(*extra), willing(pools, extra[1])
        if not _fits_alone(requests, where):
            return None
        pods.append(Pod("one more", _spoken(requests, pools), _only(where)))
    return fit(pods, nodes)


def has_room(stack: Stack, placed: Placement, workload: Workload, pods: PodSet) -> bool:
    """Whether one more pod finds room on what a placement leaves free."""
    pools = known_pools(stack)
    wanted = _spoken(requests_in_all(workload, pods), pools)
    return any(
        all(placed.free[node.name].get(name, 0) >= amount for name, amount in wanted.items())
        for node in _nodes(tuple(willing(pools, pods)))
    )


def _nodes(pools: tuple[NodePool, ...]) -> list[Node]:
    """As many empty nodes as each pool may have; none where one of the numbers is not known."""
    counts = [value_of(pool.nodes.max) for pool in pools]
    known = [count for count in counts if count is not None]
    if len(known) < len(pools) or sum(known) > _MOST:
        return []
    return [node for pool, count in zip(pools, known, strict=True) for node in nodes_of(_plain(pool), count)]


def _spoken(requests: Amounts, pools: tuple[NodePool, ...]) -> Amounts:
    """The requests without those for what no pool speaks of and may all the same have."""
    there = {"pods"} | {name for pool in pools for name in pool.allocatable}
    counted = {name for name in requests for pool in pools if _counted(name, pool)}
    return {name: amount for name, amount in requests.items() if name in there | counted}


def shape(stack: Stack, workload: Workload, pods: PodSet) -> object:
    """What pods have in common for which a placement finds the same."""
    where = tuple(pool.name for pool in willing(known_pools(stack), pods))
    return frozenset(requests_in_all(workload, pods).items()), where


def pod_prefix(workload: Workload, pods: PodSet) -> str:
    """What the names of a set's pods begin with in a `placement`."""
    return f"{workload.ref}/{pods.name}-"


def _pods(pools: tuple[NodePool, ...], workload: Workload, pods: PodSet) -> Iterator[Pod]:
    """The pods of a set that are sure to be there: the least that an autoscaler leaves, or what is declared."""
    # A dump of a cluster shows pods a second time, under their ReplicaSets and by themselves.
    count = 0 if workload.ref.kind in SHOWN_TWICE else least_pods(pods)
    where = willing(pools, pods)
    requests = requests_in_all(workload, pods)
    if count and where and amounts_known(pods) and _fits_alone(requests, where):
        for index in range(count):
            yield Pod(f"{pod_prefix(workload, pods)}{index}", _spoken(requests, pools), _only(where))


def least_pods(pods: PodSet) -> int:
    """Pods of a set that are sure to run; none where that is not known."""
    least = (value_of(pods.count.min) or 0) * (value_of(pods.hosts_per_unit) or 0)
    return max(pods_wanted(pods) or 0, least) if pods.count.owner is CountOwner.DECLARED else least


def _fits_alone(requests: Amounts, pools: list[NodePool]) -> bool:
    return any(not lacking(requests, pool) for pool in pools)


def lacking(requests: Amounts, pool: NodePool) -> Mapping[str, int]:
    """What of the requests an empty node of the pool does not have, in what amount it has it.

    A resource that a Fleet does not speak of, other than GPUs, may be there.
    """
    free = {"pods": 110 * 10**9, **{name: amount.nano for name, amount in pool.allocatable.items()}}
    spoken = {name: free.get(name, 0) for name in requests if name in free or _counted(name, pool)}
    return {name: has for name, has in spoken.items() if has < requests[name]}


def _counted(resource: str, pool: NodePool) -> bool:
    return "/" in resource and (pool.varying_labels is not None or resource.rpartition("/")[0] == "nvidia.com")


def _plain(pool: NodePool) -> NodePool:
    """The pool known by its name alone, since who may run there is decided already."""
    return replace(pool, labels={_POOL: pool.name}, taints=())


def _only(pools: list[NodePool]) -> Constraints:
    names = tuple(pool.name for pool in pools)
    wanted: Fact[tuple[NodeRequirement, ...]] = Known(
        (NodeRequirement(_POOL, "In", names),), Derived("willing pools")
    )
    return Constraints(node_requirements=wanted)
