"""The bundles of an engine's placement group do not make up its parallelism.

Every rank of the engine takes one bundle with a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.parallelism import formula, world_size, written_factor
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, plural
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.serve import Bundle, PlacementGroup


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        group = engine.deployment.placement_group if engine.deployment else None
        if group is not None and group.written:
            yield from _mismatch(engine, group)


def _mismatch(engine: DeployedEngine, group: PlacementGroup) -> Iterator[Finding]:
    world = world_size(engine)
    if not isinstance(world, Known) or not isinstance(group.bundles, Known):
        return
    amounts = [_gpus(bundle) for bundle in group.bundles.value]
    if None in amounts or not any(amounts):
        return
    if any(amount and amount > 1 for amount in amounts):
        return  # refused whatever the count is, which another rule says
    ranks = sum(1 for amount in amounts if amount)
    if ranks != world.value:
        yield _wrong_count(engine, group, ranks, world.value)


def _gpus(bundle: Bundle) -> float | None:
    amount = bundle.resources.get("GPU")
    if amount is None:
        return 0.0
    return amount.value if isinstance(amount, Known) else None


def _wrong_count(engine: DeployedEngine, group: PlacementGroup, ranks: int, world: int) -> Finding:
    few = ranks < world
    consequence = (
        "the engine refuses to start" if few else f"{plural(ranks - world, 'GPU bundle')} idle in each replica"
    )
    return Finding(
        f"the placement group has {plural(ranks, 'bundle')} with a GPU and the engine has {plural(world, 'rank')} "
        f"({formula(engine)}): {consequence}",
        at=group.bundles,
        otherwise=group.origin,
        severity=Severity.ERROR if few else Severity.WARNING,
        evidence=(
            evidence("bundles with a GPU", ranks, source=str(group.origin)),
            evidence("ranks", world, source=formula(engine)),
        ),
        remedy=f"Write {plural(world, 'bundle')} of 1 GPU, or leave placement_group_config out: "
        "Serve LLM derives it.",
        related=((written_factor(engine), "the engine's parallelism"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="Serve reserves the placement group for each replica, and vLLM then puts one rank into each bundle "
    "that has a GPU. Too few bundles end the engine (`The number of required GPUs exceeds the total number of "
    "available GPUs in the placement group`); what is too many stays reserved and idle.",
    remedy="Write tensor x pipeline bundles of one GPU each.",
    sources=(
        "vLLM 0.33, v1/executor/ray_utils.py: initialize_ray_cluster",
        "Ray 2.60, llm/_internal/serve/engines/vllm/vllm_models.py",
    ),
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
                      placement_group_config:
                        bundles:  # fires below
                          - {CPU: 1, GPU: 1}
                          - {GPU: 1}
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
                      placement_group_config:
                        bundles:
                          - {CPU: 1, GPU: 1}
                          - {GPU: 1}
                          - {GPU: 1}
                          - {GPU: 1}
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
