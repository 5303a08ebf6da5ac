"""What a Fleet must hold so that pods can be bound to its pools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from controlplane.diagnostics import Diagnostic, KeyPath, RelatedSpan, Severity
from controlplane.policy.findings import finding
from controlplane.policy.fleet import FleetSpec, Pool
from controlplane.policy.policy_set import Policy
from controlplane.source import nearest
from controlplane.stack.gpu_catalogue import gpu, gpus

MOST_NODES: Final = 65_000


def check_fleet(policy: Policy[FleetSpec]) -> list[Diagnostic]:
    """Findings about one Fleet."""
    spec = policy.spec
    findings = [
        *_twice(policy, "pools", [pool.name for pool in spec.pools]),
        *_twice(policy, "storage", [storage.name for storage in spec.storage]),
        *_twice(policy, "namespaces", [namespace.name for namespace in spec.namespaces]),
    ]
    claims = [
        (index, at, claim) for index, storage in enumerate(spec.storage) for at, claim in enumerate(storage.claims)
    ]
    findings += _claimed_twice(policy, claims)
    findings += _namespaces_of_kubernetes(policy)
    findings += _more_nodes_than_a_cluster(policy)
    # A label that was refused may be the one that tells pools apart.
    told_apart = not any({"labels", "selector"} & set(path) for path in policy.put_aside)
    for index, pool in enumerate(spec.pools):
        findings += _bounds(policy, index, pool)
        findings += _product(policy, index, pool)
        findings += _selector(policy, index, pool) if told_apart else ()
    return findings


def selector_of(pool: Pool) -> Mapping[str, str]:
    """The labels that pick a pool."""
    return pool.labels if pool.selector is None else pool.selector


def _twice(policy: Policy[FleetSpec], key: str, names: Sequence[str]) -> Iterator[Diagnostic]:
    for index, name in enumerate(names):
        first = names.index(name)
        if first < index:
            path: KeyPath = ("spec", key, index, "name")
            yield finding(
                "policy/duplicate-name",
                f"`{name}` is there twice under {key}",
                policy.span(*path),
                path,
                "Rename or remove one of them.",
                related=(RelatedSpan(policy.span("spec", key, first, "name"), "the first"),),
            )


def _more_nodes_than_a_cluster(policy: Policy[FleetSpec]) -> Iterator[Diagnostic]:
    """The largest managed clusters have 65000 nodes (2026); every node is packed one by one."""
    most = sum(pool.nodes.max for pool in policy.spec.pools)
    if most > MOST_NODES:
        path: KeyPath = ("spec", "pools")
        yield finding(
            "policy/too-many-nodes",
            f"the pools may grow to {most} nodes together; no cluster has more than {MOST_NODES}",
            policy.document.key_span(path),
            path,
            "Lower nodes.max of the pools, or describe each cluster in a Fleet of its own.",
        )


def _namespaces_of_kubernetes(policy: Policy[FleetSpec]) -> Iterator[Diagnostic]:
    for index, namespace in enumerate(policy.spec.namespaces):
        if namespace.managed and (namespace.name == "default" or namespace.name.startswith("kube-")):
            path: KeyPath = ("spec", "namespaces", index, "managed")
            yield finding(
                "policy/bad-value",
                f"namespace `{namespace.name}` is made by Kubernetes itself, so it cannot be ours",
                policy.span(*path),
                path,
                "Set managed to false, or name another namespace.",
            )


def _claimed_twice(policy: Policy[FleetSpec], claims: Sequence[tuple[int, int, str]]) -> Iterator[Diagnostic]:
    """A claim stands on one storage system: with two, its bandwidth would be that of whichever comes first."""
    first: dict[str, KeyPath] = {}
    for index, at, claim in claims:
        path: KeyPath = ("spec", "storage", index, "claims", at)
        if claim in first:
            yield finding(
                "policy/duplicate-name",
                f"claim `{claim}` is there twice under storage, so its bandwidth is not certain",
                policy.span(*path),
                path,
                "Remove one of them.",
                related=(RelatedSpan(policy.span(*first[claim]), "the first"),),
            )
        first.setdefault(claim, path)


def _bounds(policy: Policy[FleetSpec], index: int, pool: Pool) -> Iterator[Diagnostic]:
    if pool.nodes.min > pool.nodes.max:
        path: KeyPath = ("spec", "pools", index, "nodes", "max")
        yield finding(
            "policy/bad-value",
            f"pool `{pool.name}` has at least {pool.nodes.min} nodes and at most {pool.nodes.max}",
            policy.span(*path),
            path,
            f"Set max to {pool.nodes.min} or more, or min to {pool.nodes.max} or less.",
        )


def _product(policy: Policy[FleetSpec], index: int, pool: Pool) -> Iterator[Diagnostic]:
    """A product that the catalogue does not have: rules that go by the GPU say nothing of its pools."""
    path: KeyPath = ("spec", "pools", index, "accelerator", "product")
    product = pool.accelerator.product if pool.accelerator is not None else ""
    if not product or path in policy.unsure or gpu(product) is not None:
        return
    near = nearest(product, [known.name for known in gpus()])
    yield finding(
        "policy/unknown-gpu",
        f"the catalogue has no GPU `{product}`, so what depends on its memory and generation is not judged",
        policy.span(*path),
        path,
        f"Write `{near}`." if near else "Write the product label of its nodes, or leave it: nothing else needs it.",
        severity=Severity.WARNING if near else Severity.INFO,
    )


def _selector(policy: Policy[FleetSpec], index: int, pool: Pool) -> Iterator[Diagnostic]:
    selector, path = selector_of(pool), ("spec", "pools", index)
    for key, value in selector.items():
        if pool.labels.get(key) != value:
            have = f"`{pool.labels[key]}`" if key in pool.labels else "nothing"
            yield finding(
                "policy/selector-misses-pool",
                f"the selector of pool `{pool.name}` wants {key}=`{value}`; its nodes have {have} there",
                policy.span(*path, "selector", key),
                (*path, "selector", key),
                f"Add the label to `labels` of pool `{pool.name}`, or take it off the selector.",
            )
    others = [other for other in policy.spec.pools if other is not pool and _picks(selector, other)]
    if others:
        yield _ambiguous(policy, index, pool, others)


def _picks(selector: Mapping[str, str], pool: Pool) -> bool:
    return all(pool.labels.get(key) == value for key, value in selector.items())


def _ambiguous(policy: Policy[FleetSpec], index: int, pool: Pool, others: list[Pool]) -> Diagnostic:
    path: KeyPath = ("spec", "pools", index, "selector" if pool.selector is not None else "labels")
    names = ", ".join(f"`{other.name}`" for other in others)
    what = ", ".join(f"{k}={v}" for k, v in selector_of(pool).items()) or "no label at all"
    return finding(
        "policy/selector-picks-other-pool",
        f"pool `{pool.name}` is picked by {what}, which the nodes of {names} have too; its pods may land there",
        policy.span(*path),
        path,
        f"Give pool `{pool.name}` a label that no other pool has.",
        severity=Severity.WARNING,
    )
