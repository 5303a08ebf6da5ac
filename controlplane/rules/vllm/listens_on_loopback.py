"""The engine listens on the loopback address, where the kubelet's probes cannot reach it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import spelled, text
from controlplane.rules.listening import engine_port
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack
from controlplane.stack.pods import HttpGet, Probe, TcpSocket

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        host, port = engine.written("host"), engine_port(engine)
        probe = _probe(engine, port.value) if isinstance(port, Known) else None
        if text(engine, "host") in _LOOPBACK and probe is not None:
            flag = spelled(engine, "host")
            yield Finding(
                f"{flag} is {text(engine, 'host')}, and the probe asks at the pod's address: it fails for ever",
                at=host,
                otherwise=engine.place,
                remedy=f"Take {flag} out, or set it to 0.0.0.0.",
                related=((probe.origin, "the probe"),),
            )


def _probe(engine: DeployedEngine, port: int) -> Probe | None:
    """A probe over the network at the engine's own port."""
    container = engine.container
    if container is None:
        return None
    named = {entry.name: entry.number for entry in container.ports if entry.name}
    for probe in (container.startup_probe, container.readiness_probe, container.liveness_probe):
        if probe is not None and isinstance(probe.handler, HttpGet | TcpSocket):
            asked = probe.handler.port
            if asked == port or named.get(str(asked)) == port:
                return probe
    return None


_PROBED = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  strategy: {{type: Recreate}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
      containers:
        - name: engine
          image: registry.example/vllm-openai:v0.33.0
          args:
            - --model=registry.example/chat
            - --host={host}
          readinessProbe:
            httpGet: {{path: /health, port: 8000}}
          resources:
            limits: {{nvidia.com/gpu: 1}}
"""


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The kubelet probes a pod at its own address, and a Service sends there too. A server that is bound "
    "to the loopback address answers neither: the pod is never ready, or is killed by its liveness probe.",
    remedy="Let the engine listen on all addresses of its pod.",
    sources=("Kubernetes 1.36, pkg/kubelet/prober: HTTP and TCP probes go to the pod's IP",),
    bad=(_PROBED.format(host="127.0.0.1  # fires"),),
    good=(_PROBED.format(host="'::'"),),
    check=check,
)
