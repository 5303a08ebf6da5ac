from __future__ import annotations

import pytest

from controlplane.rules import catalogue
from tests.mutations.links.chain import LINKS
from tests.mutations.links.link import Link
from tests.mutations.proof import SEEDS, mutations
from tests.mutations.slots import names, rendered, template
from tests.mutations.verdicts import said

_LINKS = [pytest.param(link, id=f"{link.base}-{link.name}".replace(" ", "-")) for link in LINKS]

_CHAIN = [
    "cross/bundles-differ-from-parallelism",
    "cross/ceiling-exceeds-machines",
    "cross/ceiling-exceeds-quota",
    "cross/engine-without-gpu-request",
    "cross/gpus-left-idle",
    "cross/group-differs-from-parallelism",
    "cross/host-cache-exceeds-memory-limit",
    "cross/metric-gone",
    "cross/metric-target-out-of-reach",
    "cross/parallelism-exceeds-gpus",
    "cross/replicas-written-twice",
    "cross/serve-limit-below-engine",
    "cross/serve-replicas-exceed-workers",
    "cross/target-exceeds-max-ongoing",
    "cross/target-exceeds-running-set",
    "kubernetes/autoscaler-min-exceeds-max",
    "kubernetes/gpu-fractional",
    "kubernetes/gpu-kinds-mixed",
    "kubernetes/gpu-limit-missing",
    "kubernetes/gpu-request-differs-from-limit",
    "kubernetes/gpu-slices-with-tensor-parallelism",
    "kubernetes/limit-range-conflict",
    "kubernetes/no-pool-takes-the-pod",
    "kubernetes/pod-larger-than-any-node",
    "kubernetes/pods-exceed-nodes",
    "kubernetes/queue-cannot-admit",
    "kubernetes/quota-exceeded",
    "kubernetes/quota-exceeded-by-rollout",
    "kubernetes/rollout-deadlock",
    "kubernetes/shared-memory-exceeds-limit",
    "kubernetes/shared-memory-missing",
    "kubernetes/two-autoscalers-one-workload",
    "ray/accelerator-type-not-provided",
    "ray/actor-exceeds-first-bundle",
    "ray/actor-larger-than-any-node",
    "ray/autoscaler-blind-to-gpus",
    "ray/autoscaler-finds-no-cpu",
    "ray/bundle-larger-than-any-node",
    "ray/bundle-of-several-gpus",
    "ray/bundles-exceed-max-workers",
    "ray/memory-exceeds-pod",
    "ray/min-exceeds-max",
    "ray/num-cpus-exceed-pod",
    "ray/num-gpus-differs-from-pod",
    "ray/object-store-exceeds-shared-memory",
    "ray/replicas-outside-bounds",
    "ray/serve-autoscaling-never-triggers",
    "ray/serve-min-exceeds-max",
    "ray/strict-strategy-impossible",
    "ray/upgrade-needs-second-cluster",
    "vllm/active-sequences-exceed-sequences",
    "vllm/data-parallel-ranks-disagree",
    "vllm/heads-not-divisible",
    "vllm/kv-cache-exceeds-gpu",
    "vllm/kv-heads-not-divisible",
    "vllm/length-exceeds-positions",
    "vllm/memory-fraction-leaves-nothing",
    "vllm/memory-fractions-exceed-gpu",
    "vllm/nodes-do-not-divide-ranks",
    "vllm/token-budget-below-length",
    "vllm/token-budget-below-sequences",
]
"""Rules about what a pod's GPUs, Ray, the engine, Serve, autoscalers and quotas have to agree on."""


@pytest.mark.parametrize("name", names())
def test_unbroken_manifest_is_clean(name: str) -> None:
    found = said(rendered(template(name), {}).text)
    assert [f"{f.span.line}: {f.rule}: {f.message}" for f in found] == []


@pytest.mark.parametrize("link", _LINKS)
def test_broken_link_is_found_on_its_line_and_nothing_else_is(link: Link) -> None:
    for outcome in mutations(link, SEEDS):
        assert (outcome.verdict, outcome.false) == ("caught", ()), (outcome.values, outcome.found)


def test_links_name_rules_that_exist() -> None:
    known = {entry.id for entry in catalogue()}
    named = {rule for link in LINKS for rule in (*link.rules, *link.also)}
    assert {rule for rule in named if not rule.startswith("policy/")} <= known


def test_every_link_of_the_chain_is_broken() -> None:
    assert set(_CHAIN) - {rule for link in LINKS for rule in link.rules} == set()


def test_every_good_manifest_is_broken() -> None:
    assert {link.base for link in LINKS} == set(names())
