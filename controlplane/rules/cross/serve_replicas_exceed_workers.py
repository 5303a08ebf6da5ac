"""Serve may want more replicas than the Ray cluster's groups can ever hold.

The replicas beyond stay pending, and the autoscaler of neither layer can help.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.facts import ABSENT, Fact, Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.ray import RayCluster, RayGroup
from controlplane.stack.serve import ServeDeployment


def check(stack: Stack) -> Iterator[Finding]:
    for workload in stack.workloads:
        if workload.ray is not None and workload.serve is not None and workload.serve.complete:
            for deployment in workload.serve.deployments:
                if deployment.autoscaled:
                    yield from _judged(workload, workload.ray, deployment)


def _judged(workload: Workload, ray: RayCluster, deployment: ServeDeployment) -> Iterator[Finding]:
    gpus, most = _gpus_of_replica(deployment), deployment.replicas.max
    held = _replicas_held(workload, ray, deployment, gpus) if gpus else None
    if not held or not isinstance(most, Known) or most.value <= held or _always(deployment.replicas.min, held):
        return  # that what must always run does not fit is another rule's finding
    yield Finding(
        f"Serve may want {plural(most.value, 'replica')} of {plural(gpus or 0.0, 'GPU')}; "
        f"the groups at their largest hold {held}",
        at=most,
        otherwise=deployment.origin,
        evidence=(
            evidence("replicas at most", most),
            evidence("GPUs of a replica", gpus, source="its placement group, or its actor's options"),
            evidence("replicas that fit", held, source="maxReplicas x GPUs a pod, over all groups"),
        ),
        remedy=f"Set max_replicas to {held}, or raise maxReplicas of a worker group until {most.value} fit.",
        related=tuple((group.origin, f"worker group {group.name}") for group in ray.workers),
    )


def _always(least: Fact[int], held: int) -> bool:
    return isinstance(least, Known) and least.value > held


def _gpus_of_replica(deployment: ServeDeployment) -> float | None:
    """GPUs of one replica; None where they are not known. Only whole GPUs: shares pack in ways of their own."""
    group = deployment.placement_group
    if group is None:
        actor = deployment.actor.gpu
        gpus = actor.value if isinstance(actor, Known) else None
        return gpus if gpus is not None and float(gpus).is_integer() else None
    if not isinstance(group.bundles, Known):
        return None
    amounts = [bundle.resources["GPU"] for bundle in group.bundles.value if "GPU" in bundle.resources]
    known = [amount.value for amount in amounts if isinstance(amount, Known)]
    whole = len(known) == len(amounts) and all(float(amount).is_integer() for amount in known)
    return sum(known) if whole else None


def _replicas_held(workload: Workload, ray: RayCluster, deployment: ServeDeployment, gpus: float) -> int | None:
    """Replicas that all groups at their largest hold. None where a group's size or GPUs are not known.

    Bundles of one replica may lie on several Ray nodes unless the strategy is STRICT_PACK; an actor may not.
    """
    sizes = [_largest(workload, group) for group in ray.groups]
    if None in sizes:
        return None
    known = [size for size in sizes if size is not None]
    group = deployment.placement_group
    if group is not None and value_of(group.strategy) != "STRICT_PACK":
        return int(sum(pods * per_pod for pods, per_pod in known) // gpus)
    return int(sum(pods * (per_pod // gpus) for pods, per_pod in known))


def _largest(workload: Workload, group: RayGroup) -> tuple[int, float] | None:
    """Pods of a group at its largest, and the GPUs that Ray is told each has."""
    pods, told = workload.pod_set(group.name), group.told.gpu
    if told == ABSENT:
        return 0, 0.0
    if pods is None or not isinstance(told, Known):
        return None
    most, hosts = pods.count.max, pods.hosts_per_unit
    if not isinstance(most, Known) or not isinstance(hosts, Known):
        return None
    return most.value * hosts.value, told.value


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="Three autoscalers have ceilings: Serve's max_replicas, the worker groups' maxReplicas, and the nodes. "
    "Where Serve's is the highest, it goes on asking for replicas whose placement groups nobody can place; they stay "
    "pending, and the dashboard shows a service that scales up for ever.",
    remedy="Let max_replicas x GPUs of a replica be at most maxReplicas x GPUs of a worker pod.",
    sources=("Ray 2.60, serve deployment_state: replicas wait for their placement group without a time limit",),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: ray.serve.llm:build_openai_app
                args:
                  llm_configs:
                    - model_loading_config:
                        model_id: chat
                        model_source: /models/chat
                      engine_kwargs:
                        tensor_parallel_size: 4
                      deployment_config:
                        autoscaling_config:
                          min_replicas: 1
                          max_replicas: 8  # fires
                          target_ongoing_requests: 32
          rayClusterConfig:
            rayVersion: 2.52.0
            headGroupSpec:
              rayStartParams: {num-cpus: "0"}
              template:
                spec:
                  containers:
                    - name: head
                      image: rayproject/ray-llm:2.52.0-py311-cu128
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 2
                rayStartParams: {}
                template:
                  spec:
                    containers:
                      - name: worker
                        image: rayproject/ray-llm:2.52.0-py311-cu128
                        resources: {limits: {cpu: 32, memory: 256Gi, nvidia.com/gpu: 4}}
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
                import_path: ray.serve.llm:build_openai_app
                args:
                  llm_configs:
                    - model_loading_config:
                        model_id: chat
                        model_source: /models/chat
                      engine_kwargs:
                        tensor_parallel_size: 4
                      deployment_config:
                        autoscaling_config:
                          min_replicas: 1
                          max_replicas: 2
                          target_ongoing_requests: 32
          rayClusterConfig:
            rayVersion: 2.52.0
            headGroupSpec:
              rayStartParams: {num-cpus: "0"}
              template:
                spec:
                  containers:
                    - name: head
                      image: rayproject/ray-llm:2.52.0-py311-cu128
                      resources: {limits: {cpu: 4, memory: 16Gi}}
            workerGroupSpecs:
              - groupName: gpu
                replicas: 1
                minReplicas: 1
                maxReplicas: 2
                rayStartParams: {}
                template:
                  spec:
                    containers:
                      - name: worker
                        image: rayproject/ray-llm:2.52.0-py311-cu128
                        resources: {limits: {cpu: 32, memory: 256Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
