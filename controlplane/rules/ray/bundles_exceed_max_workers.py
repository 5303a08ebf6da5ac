"""The replicas ask for more than all Ray nodes of the cluster can hold together."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.frozen import frozen
from controlplane.placement.bundles import Answer, Gang, RayNodes, hold
from controlplane.rules.ray_arithmetic import (
    Demand,
    demand_of,
    fewest_replicas,
    fits_bundle_by_bundle,
    in_words,
    ray_nodes,
    ray_workloads,
    replicas_place,
)
from controlplane.rules.rule import Abstention, Finding, Rule
from controlplane.rules.wording import listed, plural
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster
from controlplane.stack.serve import ServeDeployment

_MOST_REPLICAS = 1000
"""Replicas of one deployment that are looked at: more are as impossible."""

_MOST_BUNDLES = 10_000
"""Bundles of one deployment that are looked at: no cluster there is has room for as many nodes."""


def check(stack: Stack) -> Iterator[Finding | Abstention]:
    for workload, cluster in ray_workloads(stack):
        deployments = workload.serve.deployments if workload.serve else ()
        consistent = [each for each in deployments if not _contradicts_itself(each)]
        asked = [_Asked(each, demand) for each in consistent if (demand := demand_of(each, cluster)) is not None]
        yield from _judged(workload, cluster, asked)


def _contradicts_itself(deployment: ServeDeployment) -> bool:
    """Whether the bounds of its replicas are refused anyway, so that none of them says how many there will be."""
    low, high = value_of(deployment.replicas.min), value_of(deployment.replicas.max)
    return low is not None and high is not None and low > high


@frozen
class _Asked:
    """A deployment, and what one replica of it asks for."""

    deployment: ServeDeployment
    demand: Demand

    @property
    def replicas(self) -> int:
        """Replicas that must run: one at least, or the deployment can do nothing at all."""
        return max(1, fewest_replicas(self.deployment))

    def gangs(self, replicas: int) -> list[Gang]:
        within_reason = max(1, _MOST_BUNDLES // max(1, len(self.demand.bundles)))
        return [self.demand.gang] * min(replicas, _MOST_REPLICAS, within_reason)


def _judged(workload: Workload, cluster: RayCluster, asked: list[_Asked]) -> Iterator[Finding | Abstention]:
    """Deployments that do not fit alone; where all do, the deployments together."""
    all_fit = True
    for each in asked:
        nodes = ray_nodes(workload, cluster, each.demand.resources)
        if not fits_bundle_by_bundle(each.demand, nodes) or _is_strict_fault(each.demand, nodes):
            all_fit = False  # another rule's finding
        elif (answer := hold(each.gangs(each.replicas), nodes)) is Answer.IMPOSSIBLE:
            all_fit = False
            yield _finding(each, nodes)
        elif answer is Answer.UNDECIDED:
            yield Abstention(
                "a shorter search for a packing: fewer bundles, or fewer sizes", at=each.deployment.origin
            )
    if all_fit and len(asked) > 1:
        yield from _together(workload, cluster, asked)


def _is_strict_fault(demand: Demand, nodes: tuple[RayNodes, ...]) -> bool:
    return demand.strategy.startswith("STRICT") and hold([demand.gang], nodes) is Answer.IMPOSSIBLE


def _finding(asked: _Asked, nodes: tuple[RayNodes, ...]) -> Finding:
    deployment, demand, replicas = asked.deployment, asked.demand, asked.replicas
    count = len(demand.bundles)
    each = (
        f"{plural(count, 'bundle')} of {in_words(demand.bundles[-1])}" if count > 1 else in_words(demand.bundles[0])
    )
    return Finding(
        f"{plural(replicas, 'replica')} of {demand.name} with {each} each cannot all be placed: "
        f"the cluster makes at most {_in_all(nodes)}",
        at=replicas_place(deployment) if replicas > 1 else None,
        otherwise=demand.origins[0] or deployment.origin,
        evidence=(Evidence("replicas", replicas, "the Serve configuration"), _evidence(nodes)),
    )


def _together(workload: Workload, cluster: RayCluster, asked: list[_Asked]) -> Iterator[Finding]:
    nodes = ray_nodes(workload, cluster, frozenset(name for each in asked for name in each.demand.resources))
    gangs = [gang for each in asked for gang in each.gangs(fewest_replicas(each.deployment))]
    if hold(gangs, nodes) is Answer.IMPOSSIBLE:
        last = asked[-1].deployment
        yield Finding(
            f"the replicas of {listed([each.demand.name for each in asked])} cannot all be placed at once: the "
            f"cluster makes at most {_in_all(nodes)}",
            at=replicas_place(last),
            otherwise=last.origin,
            evidence=(_evidence(nodes),),
        )


def _in_all(nodes: tuple[RayNodes, ...]) -> str:
    shown = [f"{kind.count} of {kind.name} ({in_words(kind.amounts)})" for kind in nodes if kind.count]
    return listed(shown) or "no Ray node"


def _evidence(nodes: tuple[RayNodes, ...]) -> Evidence:
    return Evidence("Ray nodes at most", _in_all(nodes), "the groups' replicas and resources")


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="The groups' replicas bound how many Ray nodes there can be (maxReplicas with the autoscaler, replicas "
    "without), and no packing of the bundles fits on that many. The replicas that find no place stay pending for "
    "ever, and the deployment never becomes healthy.",
    remedy="Let the groups make more pods, or ask for fewer replicas or smaller bundles.",
    sources=("Ray 2.60.0, raylet/scheduling/policy/bundle_scheduling_policy.cc",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 3  # fires
                    placement_group_bundles: [{CPU: 1, GPU: 1}, {GPU: 1}, {GPU: 1}]
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 2
                    placement_group_bundles: [{CPU: 1, GPU: 1}, {GPU: 1}, {GPU: 1}]
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
