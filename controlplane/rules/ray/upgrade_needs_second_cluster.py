"""An upgrade of a RayService needs a second cluster beside the first, and the nodes hold only one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.placement import amounts, requests_of
from controlplane.placement.amounts import ONE, PODS
from controlplane.placement.bundles import Answer, Gang, RayNodes, hold
from controlplane.rules.ray_arithmetic import pods_at_least, ray_workloads
from controlplane.rules.rule import Abstention, Finding, Rule
from controlplane.rules.wording import plural
from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.inventory import NodePool
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.ray import RayCluster
from controlplane.stack.scheduling import admits


def check(stack: Stack) -> Iterator[Finding | Abstention]:
    known = "Node" in stack.context.complete and bool(stack.inventory.pools)
    for workload, cluster in ray_workloads(stack):
        if workload.ref.kind != "RayService" or not _replaces(cluster):
            continue
        if known:
            yield from _too_few(workload, cluster, stack.inventory.pools)
        else:
            yield Abstention("the Nodes, or a Fleet", at=workload.origin)


def _replaces(cluster: RayCluster) -> bool:
    return cluster.upgrade == ABSENT or value_of(cluster.upgrade) == "NewCluster"


def _too_few(workload: Workload, cluster: RayCluster, pools: Sequence[NodePool]) -> Iterator[Finding]:
    """The first set of pods of which the nodes hold one cluster's, and not two clusters'."""
    gangs: list[Gang] = []
    for group in cluster.groups:
        pods = workload.pod_set(group.name)
        count = pods_at_least(cluster, group, pods) if pods else 0
        if pods is None or not count:
            continue
        gang = _gang(pods, count)
        gangs.append(gang)
        nodes = [_nodes(pool) for pool in pools if admits(pods.constraints, pool)]
        if hold([gang], nodes) is Answer.FITS and hold([gang, gang], nodes) is Answer.IMPOSSIBLE:
            yield _finding(workload, cluster, f"{plural(count, 'pod')} of group {group.name}", 2 * count, nodes)
            return
    nodes = [_nodes(pool) for pool in pools]
    if hold(gangs, nodes) is Answer.FITS and hold([*gangs, *gangs], nodes) is Answer.IMPOSSIBLE:
        count = sum(len(gang.bundles) for gang in gangs)
        yield _finding(workload, cluster, f"{plural(count, 'pod')} of the cluster", 2 * count, nodes)


def _gang(pods: PodSet, count: int) -> Gang:
    return Gang((requests_of(pods),) * count)


def _nodes(pool: NodePool) -> RayNodes:
    return RayNodes(pool.name, {PODS: 110 * ONE, **amounts(pool.allocatable)}, value_of(pool.nodes.max))


def _finding(workload: Workload, cluster: RayCluster, what: str, wanted: int, nodes: Sequence[RayNodes]) -> Finding:
    count = sum(kind.count or 0 for kind in nodes)
    return Finding(
        f"{plural(count, 'node')} for {what}: one cluster's find room, the {wanted} of two clusters do not; "
        "a change of rayClusterConfig starts a second cluster that stays pending",
        at=cluster.upgrade,
        otherwise=workload.origin,
        evidence=(
            Evidence("pods during an upgrade", wanted, "twice the cluster's least pods"),
            Evidence("nodes", count, "the Nodes in the input, counted as empty"),
        ),
    )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="With the upgrade type NewCluster, which is the default, KubeRay makes a whole second cluster, waits "
    "for it, switches and then deletes the first. Where the nodes hold only one, the second stays pending, and the "
    "first serves the old configuration for ever.",
    remedy="Set upgradeStrategy.type to None and delete the cluster in a window, use "
    "NewClusterWithIncrementalUpgrade, or keep nodes to spare.",
    sources=("ray-project/kuberay#4239", "KubeRay 1.6.2, controllers/ray/rayservice_controller.go"),
    bad=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: n1}
        status: {allocatable: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4, pods: 110}}
        ---
        apiVersion: ray.io/v1
        kind: RayService
        metadata:
          name: chat  # fires
        spec:
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 4, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: n1}
        status: {allocatable: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4, pods: 110}}
        ---
        apiVersion: ray.io/v1
        kind: RayService
        metadata:
          name: chat
        spec:
          upgradeStrategy: {type: None}
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 1
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 4, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
