"""A rollout is called failed while its probe still lets the model load."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
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
    probe = engine.container.startup_probe if engine.container else None
    if probe is None or seconds is None or engine.container is None:
        return
    delay, period = value_of(probe.initial_delay_seconds), value_of(probe.period_seconds)
    failures = value_of(probe.failure_threshold)
    if delay is None or period is None or failures is None or delay + period * failures < seconds + _SLACK_SECONDS:
        return
    allowed = delay + period * failures
    default = "" if isinstance(deadline, Known) else " (the default)"
    yield Finding(
        f"the startup probe of container {engine.container.name} lets a model load for {allowed} s; Deployment "
        f"{engine.workload.ref.name} counts as failed after {seconds} s{default} without progress",
        at=deadline,
        otherwise=engine.workload.origin,
        remedy=f"Set progressDeadlineSeconds: {allowed + 60}.",
        evidence=(
            evidence("progressDeadlineSeconds", seconds, "s", "written, or the default"),
            evidence("startup probe", allowed, "s", f"{delay} s + {period} s x {failures}"),
        ),
        related=((probe.origin, f"lets {allowed} s pass"),),
    )


RULE = Rule(
    severity=Severity.INFO,
    layer=Layer.KUBERNETES,
    since="0.2.0",
    rationale="A Deployment without progress for progressDeadlineSeconds gets the condition "
    "ProgressDeadlineExceeded: kubectl rollout status ends with an error, pipelines go back and Argo CD shows "
    "Degraded, though the model is only being loaded and the pods start in the end.",
    remedy="Set progressDeadlineSeconds above what the startup probe allows.",
    sources=("Kubernetes: progressDeadlineSeconds, default 600; startup probe: delay + period x failureThreshold",),
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
              containers:
                - name: server
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 1}}
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
              containers:
                - name: server
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  startupProbe:
                    httpGet: {path: /health, port: 8000}
                    failureThreshold: 180
        """,
    ),
    check=check,
)
