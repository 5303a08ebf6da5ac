"""Serve's autoscaler waits for more requests a replica than its engine runs at once.

The engine's queue has to fill before another replica is started.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if engine.deployment is None or not engine.deployment.autoscaled:
            continue
        target, sequences = engine.deployment.target_ongoing_requests, engine.written("max_num_seqs")
        if not isinstance(target, Known) or not isinstance(sequences, Known) or not isinstance(sequences.value, int):
            continue
        if target.value > sequences.value > 0:
            yield Finding(
                f"target_ongoing_requests {target.value:g} is above max_num_seqs {sequences.value}: "
                f"{target.value - sequences.value:g} requests wait in every engine before a replica is added",
                at=target,
                evidence=(evidence("target_ongoing_requests", target), evidence("max_num_seqs", sequences)),
                remedy=f"Set target_ongoing_requests below {sequences.value}.",
                related=((sequences, "what the engine runs at once"),),
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="An engine runs at most max_num_seqs sequences; what Serve lets in beyond that waits inside. With a "
    "target above it the autoscaler is content with replicas that queue, and acts only when the queue is long.",
    remedy="Set target_ongoing_requests below max_num_seqs.",
    sources=("vLLM 0.33, v1/core/sched/scheduler.py: running requests never exceed max_num_seqs",),
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
                        max_num_seqs: 64
                        tensor_parallel_size: 4
                      deployment_config:
                        max_ongoing_requests: 512
                        autoscaling_config:
                          min_replicas: 1
                          max_replicas: 2
                          target_ongoing_requests: 256  # fires
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
                        max_num_seqs: 64
                        tensor_parallel_size: 4
                      deployment_config:
                        max_ongoing_requests: 512
                        autoscaling_config:
                          min_replicas: 1
                          max_replicas: 2
                          target_ongoing_requests: 48
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
