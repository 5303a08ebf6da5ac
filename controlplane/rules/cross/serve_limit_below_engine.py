"""Serve lets fewer requests into a replica than its engine could run.

The engine idles while requests wait before it.
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
        if engine.deployment is None:
            continue
        most, sequences = engine.deployment.max_ongoing_requests, engine.written("max_num_seqs")
        if not isinstance(most, Known) or not isinstance(sequences, Known) or not isinstance(sequences.value, int):
            continue
        if 0 < most.value < sequences.value:
            yield Finding(
                f"max_ongoing_requests {most.value} is below max_num_seqs {sequences.value}: "
                f"the engine never runs more than {most.value} sequences",
                at=most,
                evidence=(evidence("max_ongoing_requests", most), evidence("max_num_seqs", sequences)),
                remedy=f"Set max_ongoing_requests to {sequences.value} or more.",
                related=((sequences, "what the engine could run at once"),),
            )


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.SERVE,
    since="0.1.0",
    rationale="Requests beyond max_ongoing_requests wait at Serve's handles, where the engine does not see them: its "
    "own queue is empty, its KV cache idles, and clients wait for their first token all the same.",
    remedy="Set max_ongoing_requests to max_num_seqs or more.",
    sources=("ray-project/ray#55159 (merged); Ray 2.60, llm/_internal/serve: Serve LLM's own default is 1e9",),
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
                        max_num_seqs: 256
                        tensor_parallel_size: 4
                      deployment_config:
                        max_ongoing_requests: 5  # fires
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
                        max_num_seqs: 256
                        tensor_parallel_size: 4
                      deployment_config:
                        max_ongoing_requests: 256
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
