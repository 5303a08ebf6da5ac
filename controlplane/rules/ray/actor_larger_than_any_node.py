"""A replica or an entrypoint asks for more than any Ray node of its cluster has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import (
    Demand,
    amount_in_words,
    demand_of,
    driver_demand,
    in_words,
    is_provided,
    ray_nodes,
    ray_workloads,
    shortfall,
)
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        for demand in _actors(workload, cluster):
            yield from _too_large(workload, cluster, demand)


def _actors(workload: Workload, cluster: RayCluster) -> Iterator[Demand]:
    driver = driver_demand(workload)
    if driver is not None:
        yield driver
    for deployment in workload.serve.deployments if workload.serve else ():
        demand = demand_of(deployment, cluster)
        if demand is not None and not demand.is_group:
            yield demand


def _too_large(workload: Workload, cluster: RayCluster, demand: Demand) -> Iterator[Finding]:
    nodes, bundle = ray_nodes(workload, cluster, demand.resources), demand.bundles[0]
    found = shortfall(bundle, nodes)
    if found is None or not is_provided(bundle, nodes):
        return
    if not found.resource:
        first = next(iter(demand.resources))
        yield Finding(
            f"{demand.name} asks for {in_words(bundle)} on one Ray node, and no group has all of it",
            at=demand.places[0].get(first),
            otherwise=demand.origins[0],
        )
        return
    asked, largest = (amount_in_words(found.resource, amount) for amount in (found.asked, found.largest))
    yield Finding(
        f"{demand.name} asks for {asked} on one Ray node, and the largest (group {found.group}) has {largest}",
        at=demand.places[0].get(found.resource),
        otherwise=demand.origins[0],
        remedy=f"Ask for at most {largest}, or give the pods of group {found.group} {asked}.",
        evidence=(
            Evidence(f"{found.resource} asked for", found.asked, "the manifest"),
            Evidence(f"{found.resource} of the largest Ray node", found.largest, f"group {found.group}"),
        ),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="An actor runs on one Ray node. Ray's message about it shows what is free in the whole cluster, which "
    "may be more than enough, and waits for a node that no group can make; the autoscaler waits too.",
    remedy="Ask for less, or make the pods of a group larger.",
    sources=("ray-project/kuberay#1090", "Ray 2.60.0, raylet/scheduling: infeasible tasks wait"),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: fruit
                import_path: fruit:app
                deployments:
                  - name: Mango
                    num_replicas: 1
                    ray_actor_options:
                      num_cpus: 3  # fires
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
              - groupName: workers
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 2, memory: 8Gi}}
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
              - name: fruit
                import_path: fruit:app
                deployments:
                  - name: Mango
                    num_replicas: 1
                    ray_actor_options:
                      num_cpus: 2
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
              - groupName: workers
                replicas: 2
                minReplicas: 2
                maxReplicas: 2
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    check=check,
)
