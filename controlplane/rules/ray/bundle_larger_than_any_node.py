"""A bundle of a placement group is larger than any Ray node of its cluster."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.rules.ray_arithmetic import (
    Demand,
    amount_in_words,
    demand_of,
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
        for deployment in workload.serve.deployments if workload.serve else ():
            demand = demand_of(deployment, cluster)
            if demand is not None and demand.is_group:
                yield from _first_too_large(workload, cluster, demand)


def _first_too_large(workload: Workload, cluster: RayCluster, demand: Demand) -> Iterator[Finding]:
    """The first such bundle: the others are mostly copies of it."""
    nodes = ray_nodes(workload, cluster, demand.resources)
    for index, bundle in enumerate(demand.bundles):
        found = shortfall(bundle, nodes)
        if found is None or not is_provided(bundle, nodes):
            continue
        if found.resource:
            asked, largest = (amount_in_words(found.resource, amount) for amount in (found.asked, found.largest))
            fault = f"the largest Ray node (group {found.group}) has {largest}"
        else:
            asked, fault = in_words(bundle), "no group has all of it on one Ray node"
        yield Finding(
            f"bundle {index} of {demand.name} asks for {asked}, and {fault}",
            at=demand.places[index].get(found.resource),
            otherwise=demand.origins[index],
            evidence=(Evidence("bundle", in_words(bundle), "the placement group of one replica"),),
        )
        return


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="A bundle lies on one Ray node, whatever the strategy. One that is larger than every node keeps the "
    "whole placement group pending for ever, with all GPUs idle.",
    remedy="Make the bundle smaller (one GPU each is what vLLM wants), or the pods of a group larger.",
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
                    num_replicas: 1
                    placement_group_bundles:
                      - CPU: 1
                        GPU: 8  # fires
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
                    placement_group_bundles:
                      - CPU: 1
                        GPU: 4
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
