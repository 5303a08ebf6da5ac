"""A probe asks over HTTP where vLLM answers over HTTPS, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import is_unset
from controlplane.rules.listening import asked_of_engine
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.engine import ArgumentValue
from controlplane.stack.facts import ABSENT, Fact, Known
from controlplane.stack.model import Stack

_TLS = ("ssl_keyfile", "ssl_certfile")


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        written = _certificate(engine)
        for kind, probe, http in asked_of_engine(engine):
            scheme = http.scheme.upper()
            if isinstance(written, Known) and scheme == "HTTP":
                said, served = "over HTTP; vLLM answers over HTTPS alone with --ssl-keyfile", "HTTPS"
            elif scheme == "HTTPS" and all(is_unset(engine, name) for name in _TLS):
                said, served = "over HTTPS; vLLM answers over HTTP without --ssl-keyfile", "HTTP"
            else:
                continue
            yield Finding(
                f"the {kind} probe asks {said}, so the probe never succeeds",
                at=probe.port_origin or probe.origin,
                otherwise=engine.place,
                remedy=f"Set the probe's scheme: {served}.",
                related=((written, "makes vLLM speak TLS"),) if isinstance(written, Known) else (),
            )


def _certificate(engine: DeployedEngine) -> Fact[ArgumentValue]:
    """The argument that turns TLS on; ABSENT where none is certain to."""
    found = (engine.written(name) for name in _TLS)
    return next((fact for fact in found if isinstance(fact, Known) and fact.value), ABSENT)


_PROBE = """
          readinessProbe:
            httpGet: {{path: /health, port: 8000{scheme}}}{note}
"""


def _probed(args: str, scheme: str = "", note: str = "") -> str:
    return example(args).rstrip("\n") + _PROBE.format(scheme=scheme, note=note)


_ARGS = "- --ssl-keyfile=/tls/tls.key\n- --ssl-certfile=/tls/tls.crt"

RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="With --ssl-keyfile vLLM's server speaks TLS at its only port, and answers plain HTTP with a closed "
    "connection. Kubernetes asks over HTTP unless the probe says scheme: HTTPS, so that a readiness probe never "
    "succeeds and a liveness probe has the container restarted for ever.",
    remedy="Give the probe the scheme that vLLM speaks.",
    sources=("vLLM 0.33.0, entrypoints/openai/api_server.py: run_server_worker; uvicorn, Config.is_ssl",),
    bad=(_probed(_ARGS, note="  # fires"), _probed("", ", scheme: HTTPS", "  # fires")),
    good=(_probed(_ARGS, ", scheme: HTTPS"), _probed("")),
    check=check,
)
