"""A placement_group_config of Serve LLM is not one of the two forms it takes."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.placement.bundles import Strategy
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.serve_deployments import serve_deployments
from controlplane.rules.wording import listed
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.serve import ServeDeployment

_GROUP = "placement_group_config"


def check(stack: Stack) -> Iterator[Finding]:
    for _, deployment in serve_deployments(stack):
        if deployment.is_llm and _GROUP in deployment.options:
            yield from _refused(deployment)


def _refused(deployment: ServeDeployment) -> Iterator[Finding]:
    written = deployment.options
    forms = [name for name in ("bundles", "bundle_per_worker") if f"{_GROUP}.{name}" in written]
    if len(forms) > 1:
        yield Finding(
            "placement_group_config has both bundles and bundle_per_worker; Serve LLM takes one of the two",
            at=written[f"{_GROUP}.{forms[1]}"],
            remedy="Keep bundle_per_worker, which is repeated for every worker, or bundles, which is the whole list.",
        )
    elif not forms and any(key.startswith(f"{_GROUP}.") for key in written):
        yield Finding(
            "placement_group_config has neither bundles nor bundle_per_worker; Serve LLM needs one of the two",
            at=written[_GROUP],
            remedy="Add bundle_per_worker, such as {GPU: 1}.",
        )
    strategy = deployment.placement_group.strategy if deployment.placement_group else None
    if isinstance(strategy, Known) and strategy.value not in Strategy.__members__:
        yield Finding(
            f"the strategy {strategy.value} is none that Ray knows",
            at=strategy,
            remedy=f"Use {listed(Strategy, 'or')}.",
        )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Serve LLM validates the placement group when the application is built, and the application ends in "
    "DEPLOY_FAILED.",
    remedy="Write bundle_per_worker or bundles, and a strategy that Ray knows.",
    sources=("Ray 2.60.0, llm/_internal/common/placement.py: PlacementGroupConfig",),
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
                    - model_loading_config: {model_id: chat, model_source: Qwen/Qwen2.5-7B-Instruct}
                      deployment_config: {num_replicas: 1}
                      placement_group_config:
                        bundles: [{GPU: 1, CPU: 1}]
                        bundle_per_worker: {GPU: 1}  # fires
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray-llm:2.60.0-py311-cu128
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
                        image: rayproject/ray-llm:2.60.0-py311-cu128
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
                import_path: ray.serve.llm:build_openai_app
                args:
                  llm_configs:
                    - model_loading_config: {model_id: chat, model_source: Qwen/Qwen2.5-7B-Instruct}
                      deployment_config: {num_replicas: 1}
                      placement_group_config:
                        bundle_per_worker: {GPU: 1}
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray-llm:2.60.0-py311-cu128
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
                        image: rayproject/ray-llm:2.60.0-py311-cu128
                        resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}
        """,
    ),
    check=check,
)
