"""A probe restarts the engine before its model can be loaded.

The kubelet restarts a container whose liveness or startup probe has failed often enough; a model that is being
loaded answers nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack
from controlplane.stack.model_catalogue import model as shape_of
from controlplane.stack.pods import Container, ExecProbe, Probe

_START_SECONDS = 90
"""Imports, memory profiling, compilation and graph capture of a first start (vLLM's V1 engine), without weights."""

_EAGER_START_SECONDS = 45
"""The same where nothing is compiled: with --enforce-eager, and with the engine that was the default before 0.8."""

_COMPILES_SINCE = (0, 8)

_WEIGHTS_UNKNOWN_SECONDS = 30
_BYTES_PER_SECOND = 500 * 10**6
"""What a network volume or a download from a hub gives one pod."""

_PARAMETERS = re.compile(r"(?<![0-9.A-Za-z])(?P<billions>\d{1,4}(?:\.\d{1,2})?)[bB](?![A-Za-z0-9])")


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
    allowed, needed = _allowance(guard), _needed(engine)
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


@dataclass(frozen=True, slots=True)
class _Needed:
    """How long a start may take, at the least that is to be allowed for."""

    seconds: int
    words: str
    formula: str


def _needed(engine: DeployedEngine) -> _Needed:
    start = _START_SECONDS if _compiles(engine) else _EAGER_START_SECONDS
    weights = _weights_bytes(engine)
    if weights is None:
        seconds = start + _WEIGHTS_UNKNOWN_SECONDS
        return _Needed(
            seconds, f"vLLM may take {seconds} s and more to load a model and start", f"{seconds} s, assumed"
        )
    seconds = start + math.ceil(weights / _BYTES_PER_SECOND)
    shown = f"{weights / 10**9:.0f} GB"
    return _Needed(
        seconds,
        f"vLLM may take {seconds} s to read about {shown} of weights at 0.5 GB/s and start",
        f"{start} s + {shown} / 0.5 GB/s",
    )


def _compiles(engine: DeployedEngine) -> bool:
    numbers = re.findall(r"\d+", engine.version or "")[:2]
    old = len(numbers) == 2 and (int(numbers[0]), int(numbers[1])) < _COMPILES_SINCE
    return not old and value_of(engine.written("enforce_eager")) is not True


def _weights_bytes(engine: DeployedEngine) -> int | None:
    """From the billions of parameters in the model's name; two bytes each unless the name says fewer."""
    model = value_of(engine.engine.model)
    found = _PARAMETERS.findall(model.rpartition("/")[2]) if model else []
    if not model or len(found) != 1:
        return None
    return int(float(found[0]) * 10**9 * _bytes_each(model, engine))


def _bytes_each(model: str, engine: DeployedEngine) -> float:
    written, shape = engine.written("quantization"), shape_of(model)
    native = shape.quantization if shape is not None else ""
    name = f"{model} {native} {written.value if isinstance(written, Known) else ''}".lower()
    if any(mark in name for mark in ("awq", "gptq", "int4", "w4a16", "4bit", "nvfp4", "mxfp4", "fp4")):
        return 0.5
    return 1.0 if any(mark in name for mark in ("fp8", "int8", "w8a8", "8bit")) else 2.0


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.2.0",
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
