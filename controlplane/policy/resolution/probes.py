"""Probes of an engine: started within its budget, ready when it serves the model, alive while it answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from controlplane.policy.env import entries
from controlplane.policy.resolution.setting import Setting
from controlplane.policy.resolution.startup import Startup
from controlplane.stack.facts import Derived, Fact, Known, Origin, derived
from controlplane.stack.pods import HttpGet, Probe

HTTP_PORT: Final = 8000
"""Port that `vllm serve` listens on by default, in every version."""

_STARTUP_PERIOD: Final = 10
_READINESS_PERIOD: Final = 5
_LIVENESS_PERIOD: Final = 10
_TIMEOUT: Final = 5
_LIVENESS_TIMEOUT: Final = 10
_LIVENESS_FAILURES: Final = 6
_READINESS_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class Probes:
    """The three probes of the engine's container."""

    startup: Probe
    readiness: Probe
    liveness: Probe


def derive_probes(setting: Setting, startup: Startup) -> Probes:
    """All three ask over HTTP: the port opens before the engine can answer."""
    failures = math.ceil(startup.seconds.value / _STARTUP_PERIOD)
    formula = f"{startup.seconds.value} s / {_STARTUP_PERIOD} s, rounded up = {failures}"
    path, why = _readiness_path(setting)
    return Probes(
        startup=_probe(
            "/health",
            Derived("the engine answers here once the weights are loaded"),
            _fixed(_STARTUP_PERIOD, "how often a starting engine is asked"),
            _fixed(_TIMEOUT, "the answer does not wait for the engine"),
            derived(failures, formula, [("startup budget", startup.seconds)]),
        ),
        readiness=_probe(
            path,
            why,
            _fixed(_READINESS_PERIOD, "how soon a stuck engine leaves the Service"),
            _fixed(_TIMEOUT, "the answer does not wait for the engine"),
            _fixed(_READINESS_FAILURES, "one slow answer is not enough to leave the Service"),
        ),
        liveness=_probe(
            "/health",
            Derived("answers 503 when the engine is dead"),
            _fixed(_LIVENESS_PERIOD, "how often a running engine is asked"),
            _fixed(_LIVENESS_TIMEOUT, "a loaded API server may be slow to answer"),
            _fixed(_LIVENESS_FAILURES, "a minute of silence before an engine with running requests is killed"),
        ),
    )


def _readiness_path(setting: Setting) -> tuple[str, Origin]:
    """`/v1/models`, which answers only when the model is served; with an API key it answers 401 to the kubelet."""
    for entry, path in entries(setting.service.policy):
        if entry.name == "VLLM_API_KEY":
            origin = setting.declared(*path)
            reason = "VLLM_API_KEY guards /v1/models from the kubelet, so readiness asks /health"
            return "/health", derived(None, reason, [("VLLM_API_KEY", Known("set", origin))]).origin
    return "/v1/models", Derived("lists the model only when it is served")


def _fixed(value: int, why: str) -> Known[int]:
    return Known(value, Derived(why))


def _probe(path: str, why: Origin, period: Fact[int], timeout: Fact[int], failures: Fact[int]) -> Probe:
    delay = _fixed(0, "nothing to wait for before the first question")
    return Probe(HttpGet(path, "http"), delay, period, timeout, failures, origin=why)
