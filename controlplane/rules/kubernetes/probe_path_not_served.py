"""A probe asks for a path that vLLM's server does not have."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import is_unset
from controlplane.rules.listening import asked_of_engine
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack

_OF_OTHERS = frozenset(
    {"/", "/healthz", "/livez", "/live", "/status", "/healthcheck", "/health_check"}
    | {"/health/ready", "/health/live", "/health/readiness", "/health/liveness", "/v1/health", "/api/health"}
    | {"/v2/health/ready", "/v2/health/live", "/v1/health/ready", "/v1/health/live", "/actuator/health"}
)
"""Where other servers tell of their health, and vLLM answers 404 (0.8.5 to 0.33.0)."""

_MORE_ROUTES = ("middleware", "root_path", "config", "headless", "uds")
"""What may bring in other paths, or another server."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        if all(is_unset(engine, name) for name in _MORE_ROUTES):
            for kind, probe, http in asked_of_engine(engine):
                path = "/" + http.path.partition("?")[0].strip("/")
                if path in _OF_OTHERS:
                    yield Finding(
                        f"the {kind} probe asks for {http.path}, which vLLM answers with 404; it tells of its health "
                        "at /health",
                        at=probe.port_origin or probe.origin,
                        otherwise=engine.place,
                        evidence=(evidence("path", http.path, source=str(probe.origin)),),
                    )


_PROBE = """
          livenessProbe:
            httpGet: {{path: {path}, port: 8000}}{note}
          startupProbe:
            httpGet: {{path: /health, port: 8000}}
            periodSeconds: 10
            failureThreshold: 360
"""


def _probed(path: str, note: str = "") -> str:
    return example("").rstrip("\n") + _PROBE.format(path=path, note=note)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A probe takes any answer from 200 to 399 for success. vLLM answers 404 at a path that it does not "
    "have: a readiness probe then keeps the pod out of its Service for ever, a liveness or startup probe has the "
    "container restarted for ever, each time after the model has been loaded.",
    remedy="Set the probe's path to /health.",
    sources=("vLLM 0.8.5 and 0.33.0, the routes of entrypoints/openai/api_server.py and entrypoints/serve",),
    bad=(_probed("/healthz", "  # fires"),),
    good=(_probed("/health"), _probed("/v1/models")),
    check=check,
)
