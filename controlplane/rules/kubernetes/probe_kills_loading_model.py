"""A probe restarts the engine before its model can be loaded.

The kubelet restarts a container whose liveness or startup probe has failed often enough; a model that is being
loaded answers nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.loading_time import time_to_load
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack
from controlplane.stack.pods import Container, ExecProbe, Probe


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if engine.container is None or engine.pods is None:
            continue
        if not is_partial(engine.workload, engine.pods):
            yield from _killed(engine, engine.container)


def _killed(engine: DeployedEngine, container: Container) -> Iterator[Finding]:
    guard, name = container.startup_probe, "startup"
    if guard is None:
        guard, name = container.liveness_probe, "liveness"
    if guard is None or isinstance(guard.handler, ExecProbe):
        return
    allowed, needed = _allowance(guard), time_to_load(engine)
    if allowed is None or allowed >= needed.seconds:
        return
    unguarded = " and no startup probe holds it back" if name == "liveness" else ""
    yield Finding(
        f"the {name} probe of container {container.name} gives {allowed} s until the container is killed{unguarded}; "
        f"{needed.words}",
        at=guard.failure_threshold,
        otherwise=guard.origin or container.origin,
        remedy=_remedy(name, guard, needed.seconds),
        evidence=(
            evidence("initialDelaySeconds", guard.initial_delay_seconds, "s"),
            evidence("periodSeconds", guard.period_seconds, "s"),
            evidence("failureThreshold", guard.failure_threshold),
            evidence("time to load", needed.seconds, "s", needed.formula),
        ),
    )


def _remedy(name: str, guard: Probe, needed: int) -> str:
    """Ten minutes, or twice what is needed."""
    seconds = max(600, 2 * needed)
    if name == "liveness":
        return (
            f"Add a startupProbe with the same request, periodSeconds: 10 and failureThreshold: {seconds // 10}; "
            "the liveness probe then waits for it."
        )
    period = value_of(guard.period_seconds) or 10
    return f"Set failureThreshold: {math.ceil(seconds / period)}; a probe that succeeds earlier costs nothing."


def _allowance(probe: Probe) -> int | None:
    delay = value_of(probe.initial_delay_seconds)
    period = value_of(probe.period_seconds)
    failures = value_of(probe.failure_threshold)
    if delay is None or period is None or failures is None:
        return None
    return delay + period * failures


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="Until the model is loaded the engine's port is closed, so every probe fails. A container that is "
    "killed while it loads begins again and never gets ready: a crash loop without an error in the engine's log. A "
    "startup probe holds the liveness probe back until it has succeeded once. The bound is 90 s for a first start "
    "(45 s with --enforce-eager, and before vLLM 0.8) and the weights at 0.5 GB/s where the model's name tells its "
    "size, else 30 s.",
    remedy="Add a startup probe that gives the model ten minutes.",
    sources=(
        "Kubernetes: killed after initialDelaySeconds + periodSeconds x failureThreshold; liveness waits for startup",
        "vLLM documentation, deployment on Kubernetes: a failureThreshold too low for the start kills the container",
    ),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  livenessProbe:
                    httpGet: {path: /health, port: 8000}
                    initialDelaySeconds: 60
                    failureThreshold: 5  # fires
        """,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, /models/chat, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  startupProbe:
                    httpGet: {path: /health, port: 8000}
                    periodSeconds: 5
                    failureThreshold: 12  # fires
                  livenessProbe:
                    httpGet: {path: /health, port: 8000}
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-70B, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  startupProbe:
                    httpGet: {path: /health, port: 8000}
                    failureThreshold: 60
                  livenessProbe:
                    httpGet: {path: /health, port: 8000}
        """,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-1B, --port=8000]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  readinessProbe:
                    httpGet: {path: /health, port: 8000}
                  livenessProbe:
                    httpGet: {path: /health, port: 8000}
                    initialDelaySeconds: 120
        """,
    ),
    check=check,
)
