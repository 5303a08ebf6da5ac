"""A custom resource is asked for that no Ray node of the cluster has."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import STANDARD, Demand, demand_of, driver_demand, ray_nodes, ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        deployments = workload.serve.deployments if workload.serve else ()
        for demand in (driver_demand(workload), *(demand_of(deployment, cluster) for deployment in deployments)):
            if demand is not None:
                yield from _missing(workload, cluster, demand)


def _missing(workload: Workload, cluster: RayCluster, demand: Demand) -> Iterator[Finding]:
    nodes = ray_nodes(workload, cluster, demand.resources)
    for name in sorted(demand.resources - STANDARD):
        if name.startswith("accelerator_type:"):
            continue
        if any(name in kind.unlimited or kind.amounts.get(name, 0) > 0 for kind in nodes):
            continue
        index = next(index for index, bundle in enumerate(demand.bundles) if bundle.get(name, 0) > 0)
        yield Finding(
            f"{demand.name} asks for the custom resource {name}, and none of the cluster's "
            f"{len(cluster.groups)} groups provides it",
            at=demand.places[index].get(name),
            otherwise=demand.origins[index],
            remedy=f"Give a group {name} in its resources, or take it out of the request.",
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Custom resources are names: one that no Ray node was started with can never be had, and what asks for "
    "it waits for ever. Upper and lower case count.",
    remedy="Provide the resource in a group, or do not ask for it.",
    sources=("Ray 2.60.0, raylet/scheduling: infeasible tasks wait",),
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
                    num_replicas: 1
                    ray_actor_options:
                      num_cpus: 1
                      resources: {fast-disk: 1}  # fires
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
                    num_replicas: 1
                    ray_actor_options:
                      num_cpus: 1
                      resources: {fast-disk: 1}
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
                rayStartParams:
                  resources: '''{"fast-disk": 4}'''
                template:
                  spec:
                    containers:
                      - name: ray-worker
                        image: rayproject/ray:2.60.0
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
