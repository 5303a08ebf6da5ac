"""A placement group's strict strategy cannot be kept by the cluster's Ray nodes."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Evidence, Layer, Severity
from controlplane.placement.bundles import Answer, RayNodes, Strategy, hold, together
from controlplane.rules.ray_arithmetic import (
    Demand,
    demand_of,
    fits_bundle_by_bundle,
    in_words,
    ray_nodes,
    ray_workloads,
)
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import plural
from controlplane.stack.model import Stack
from controlplane.stack.serve import ServeDeployment

_STRICT = (Strategy.STRICT_PACK, Strategy.STRICT_SPREAD)


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        for deployment in workload.serve.deployments if workload.serve else ():
            demand = demand_of(deployment, cluster)
            if demand is None or demand.strategy not in _STRICT:
                continue
            nodes = ray_nodes(workload, cluster, demand.resources)
            if fits_bundle_by_bundle(demand, nodes) and hold([demand.gang], nodes) is Answer.IMPOSSIBLE:
                yield _finding(deployment, demand, nodes)


def _finding(deployment: ServeDeployment, demand: Demand, nodes: tuple[RayNodes, ...]) -> Finding:
    group = deployment.placement_group
    if demand.strategy is Strategy.STRICT_PACK:
        fault = f"asks for {in_words(together(demand.bundles))} on one Ray node, which none has"
        remedy = "Use PACK, or make the pods of a group large enough for all bundles."
    else:
        able = [kind for kind in nodes if any(kind.holds(bundle) for bundle in demand.bundles)]
        count = sum(kind.count or 0 for kind in able)
        fault = f"needs {len(demand.bundles)} Ray nodes, and the groups that can hold a bundle make at most {count}"
        remedy = "Use SPREAD, or let the groups make more pods."
    return Finding(
        f"{demand.name} has {plural(len(demand.bundles), 'bundle')} under {demand.strategy} and {fault}",
        at=group.strategy if group else None,
        otherwise=group.origin if group else deployment.origin,
        remedy=remedy,
        evidence=tuple(
            Evidence(f"bundle {index}", in_words(b), "the manifest") for index, b in enumerate(demand.bundles)
        ),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="STRICT_PACK needs one Ray node for all bundles, STRICT_SPREAD a node of its own for each. Where the "
    "groups can never make such nodes, the placement group stays pending for ever; PACK and SPREAD come as near as "
    "they can instead.",
    remedy="Use PACK or SPREAD, or change the groups.",
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
                    placement_group_bundles: [{CPU: 1, GPU: 4}, {GPU: 4}]
                    placement_group_strategy: STRICT_PACK  # fires
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
                    placement_group_bundles: [{CPU: 1, GPU: 1}, {GPU: 1}, {GPU: 1}]
                    placement_group_strategy: STRICT_SPREAD  # fires
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
                    placement_group_bundles: [{CPU: 1, GPU: 4}, {GPU: 4}]
                    placement_group_strategy: PACK
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
