"""Two engines of a pod listen at the same port."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.listening import engine_port
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Fact, Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    first: dict[tuple[int, int], tuple[DeployedEngine, Fact[int]]] = {}
    for engine in engines_of(stack):
        port = engine_port(engine)
        if not isinstance(port, Known) or not _stays(engine):
            continue
        key = (id(engine.pods), port.value)
        if key in first:
            other, where = first[key]
            name = other.container.name if other.container is not None else ""
            yield Finding(
                f"the engine listens at port {port.value}, which the engine in container {name} of the same pod has",
                at=port,
                otherwise=engine.place,
                remedy="Set --port to another number.",
                related=((where if isinstance(where, Known) else other.place, "the other engine"),),
            )
        first.setdefault(key, (engine, port))


def _stays(engine: DeployedEngine) -> bool:
    """Whether the engine runs beside others: containers of a pod do, init containers one after another."""
    return engine.pods is not None and engine.container in engine.pods.containers and not engine.engine.alternative


_TWO = """
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
        - name: small
          image: registry.example/vllm-openai:v0.33.0
          args: [--model=registry.example/small]
          resources:
            limits: {{nvidia.com/gpu: 1}}
        - name: large
          image: registry.example/vllm-openai:v0.33.0
          args:
            - --model=registry.example/large
            - --port={port}{mark}
          resources:
            limits: {{nvidia.com/gpu: 1}}
"""


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Containers of a pod share one network: the second engine that starts ends with `Address already in "
    "use`, after the first has taken the port.",
    remedy="Give each engine of a pod its own port.",
    sources=(
        "Kubernetes 1.36: containers of a pod share the network namespace",
        "vLLM 0.8.5 to 0.33.0: --port is 8000 where nobody sets it",
    ),
    bad=(_TWO.format(port=8000, mark="  # fires"),),
    good=(_TWO.format(port=8001, mark=""),),
    check=check,
)
