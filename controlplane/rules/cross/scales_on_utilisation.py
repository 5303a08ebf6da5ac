"""An engine is scaled on how busy its node looks.

Neither CPU nor memory of an engine's pod follows its load, and a GPU looks busy long before it is full.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.scaled_workloads import scaled_workloads
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, value_of
from controlplane.stack.gpu_resources import gpus_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.references import ScalingMetric

_GPU_UTILISATION = ("DCGM_FI_DEV_GPU_UTIL", "nvidia_smi_utilization_gpu_ratio", "DCGM_FI_PROF_GR_ENGINE_ACTIVE")


def check(stack: Stack) -> Iterator[Finding]:
    for autoscaler, workload in scaled_workloads(stack):
        watched = [_utilisation(metric) for metric in autoscaler.metrics]
        if not watched or None in watched or not _runs_gpu_engine(workload):
            continue  # with a metric of the queue beside it the largest answer wins
        for metric, word in zip(autoscaler.metrics, watched, strict=True):
            yield Finding(
                f"{autoscaler.ref.kind} {autoscaler.ref.name} scales the engine of {workload.ref.name} "
                f"on {word} alone",
                at=metric.origin,
                otherwise=autoscaler.origin,
                evidence=(evidence("metric", word, source=str(metric.origin)),),
                remedy="Scale on vllm:num_requests_waiting (or on requests in flight), from Prometheus through KEDA "
                "or an adapter.",
            )


def _utilisation(metric: ScalingMetric) -> str | None:
    """The utilisation that a metric shows, None for any other metric."""
    name, query = value_of(metric.name) or "", value_of(metric.query) or ""
    if metric.kind in ("Resource", "ContainerResource", "cpu", "memory"):
        resource = name or metric.kind
        return f"{resource} utilisation" if resource in ("cpu", "memory") else None
    found = next((gpu for gpu in _GPU_UTILISATION if gpu in name or gpu in query), None)
    return f"GPU utilisation ({found})" if found else None


def _runs_gpu_engine(workload: Workload) -> bool:
    pods = {engine.pod_set for engine in workload.engines}
    return any(gpus_of(p.containers) != ABSENT for p in workload.pod_sets if p.name in pods)


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.CROSS,
    since="0.1.0",
    rationale="An engine takes its memory when it starts and keeps a CPU core spinning whatever happens, and its GPU "
    "reads near 100 % with one request in a batch that could hold a hundred. So the autoscaler adds replicas that "
    "nobody needs, or none while requests wait in the engine's queue.",
    remedy="Scale on the engine's queue: vllm:num_requests_waiting, or requests in flight.",
    sources=("vLLM production-stack and KServe documentation scale on vllm:num_requests_waiting",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    requests: {cpu: 8}
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 4
          metrics:
            - type: Resource  # fires
              resource:
                name: cpu
                target: {type: Utilization, averageUtilization: 80}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          strategy: {type: Recreate}
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: engine
                  image: registry.example/vllm-openai:v0.33.0
                  args: [--model=/models/chat]
                  resources:
                    limits: {nvidia.com/gpu: 1}
        ---
        apiVersion: autoscaling/v2
        kind: HorizontalPodAutoscaler
        metadata: {name: chat}
        spec:
          scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
          minReplicas: 1
          maxReplicas: 4
          metrics:
            - type: Pods
              pods:
                metric: {name: "vllm:num_requests_waiting"}
                target: {type: AverageValue, averageValue: "5"}
        """,
    ),
    check=check,
)
