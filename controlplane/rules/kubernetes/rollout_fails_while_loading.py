"""A rollout is called failed while the model is still being loaded."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.loading_time import time_to_load
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import ABSENT, Known, value_of
from controlplane.stack.model import Stack

_DEFAULT_SECONDS = 600
_SLACK_SECONDS = 60


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if engine.workload.ref.kind == "Deployment" and engine.container is not None:
            yield from _called_failed(engine)


def _called_failed(engine: DeployedEngine) -> Iterator[Finding]:
    deadline = engine.workload.strategy.progress_deadline_seconds
    seconds = _DEFAULT_SECONDS if deadline == ABSENT else value_of(deadline)
    loading = time_to_load(engine)
    if seconds is None or not loading.is_counted or loading.seconds <= seconds:
        return
    default = "" if isinstance(deadline, Known) else " (the default)"
    yield Finding(
        f"{loading.words}; Deployment {engine.workload.ref.name} counts as failed after {seconds} s{default} "
        "without progress",
        at=deadline,
        otherwise=engine.workload.origin,
        remedy=f"Set progressDeadlineSeconds: {max(loading.seconds, _allowed(engine)) + _SLACK_SECONDS}.",
        evidence=(
            evidence("progressDeadlineSeconds", seconds, "s", "written, or the default"),
            evidence("time to load", loading.seconds, "s", loading.formula),
        ),
    )


def _allowed(engine: DeployedEngine) -> int:
    """What the startup probe allows, 0 where that is not known."""
    probe = engine.container.startup_probe if engine.container else None
    if probe is None:
        return 0
    delay, period = value_of(probe.initial_delay_seconds), value_of(probe.period_seconds)
    return (delay or 0) + (period or 0) * (value_of(probe.failure_threshold) or 0)


RULE = Rule(
    severity=Severity.INFO,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A Deployment without progress for progressDeadlineSeconds gets the condition "
    "ProgressDeadlineExceeded: kubectl rollout status ends with an error, pipelines go back and Argo CD shows "
    "Degraded, though the model is only being loaded and the pods start in the end. It is told where the size "
    "that the model's name gives, read at 0.5 GB/s, takes longer; a long startup probe alone is no fault.",
    remedy="Set progressDeadlineSeconds above what loading takes.",
    sources=("Kubernetes: progressDeadlineSeconds, default 600",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: chat  # fires
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              hostIPC: true
              containers:
                - name: server
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-405B-FP8, --tensor-parallel-size=8, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 8}}
                  startupProbe:
                    httpGet: {path: /health, port: 8000}
                    failureThreshold: 180
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          progressDeadlineSeconds: 1900
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              hostIPC: true
              containers:
                - name: server
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-405B-FP8, --tensor-parallel-size=8, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 8}}
                  startupProbe:
                    httpGet: {path: /health, port: 8000}
                    failureThreshold: 180
        """,
    ),
    check=check,
)
