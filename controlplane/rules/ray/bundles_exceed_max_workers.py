"""The replicas ask for more than all Ray nodes of the cluster can hold together."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.placement.bundles import Answer, RayNodes, hold
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
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import listed, plural
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        yield from _alone(workload, cluster)


def _alone(workload: Workload, cluster: RayCluster) -> Iterator[Finding]:
    """Deployments that do not even fit alone; if all do, the deployments together."""
    found = False
    demands: list[tuple[ServeDeployment, Demand]] = []
    for deployment in workload.serve.deployments if workload.serve else ():
        demand = demand_of(deployment, cluster)
        if demand is None:
            continue
        nodes = ray_nodes(workload, cluster, demand.resources)
        if not fits_bundle_by_bundle(demand, nodes):
            found = True
        elif _impossible([(deployment, demand)], nodes):
            found = True
            if hold([demand.gang], nodes) is not Answer.IMPOSSIBLE or not demand.strategy.startswith("STRICT"):
                yield _finding(deployment, demand, nodes)
        demands.append((deployment, demand))
    if not found and len(demands) > 1:
        yield from _together(workload, cluster, demands)


def _impossible(demands: list[tuple[ServeDeployment, Demand]], nodes: tuple[RayNodes, ...]) -> bool:
    gangs = [demand.gang for deployment, demand in demands for _ in range(min(fewest_replicas(deployment), 1000))]
    return hold(gangs, nodes) is Answer.IMPOSSIBLE


def _finding(deployment: ServeDeployment, demand: Demand, nodes: tuple[RayNodes, ...]) -> Finding:
    replicas = fewest_replicas(deployment)
    bundles = len(demand.bundles)
    each = (
        f"{plural(bundles, 'bundle')} of {in_words(demand.bundles[-1])}"
        if bundles > 1
        else in_words(demand.bundles[0])
    )
    return Finding(
        f"{plural(replicas, 'replica')} of {demand.name} with {each} each cannot all be placed: "
        f"the cluster makes at most {_in_all(nodes)}",
        at=replicas_place(deployment) if replicas > 1 else None,
        otherwise=demand.origins[0] or deployment.origin,
        evidence=(Evidence("replicas", replicas, "the Serve configuration"), _evidence(nodes)),
    )


def _together(
    workload: Workload, cluster: RayCluster, demands: list[tuple[ServeDeployment, Demand]]
) -> Iterator[Finding]:
    names = frozenset(name for _, demand in demands for name in demand.resources)
    nodes = ray_nodes(workload, cluster, names)
    if _impossible(demands, nodes):
        last = demands[-1][0]
        yield Finding(
            f"the replicas of {listed([demand.name for _, demand in demands])} cannot all be placed at once: the "
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
    since="0.2.0",
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
    also=("cross/serve-replicas-exceed-workers",),
    check=check,
)
