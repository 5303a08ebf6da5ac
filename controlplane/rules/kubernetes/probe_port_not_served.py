"""A probe asks at a port where nothing in its pod listens."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.listening import engine_port
from controlplane.rules.pod_arithmetic import containers_of, is_partial, is_rendered
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import Container, ExecProbe, PodSet, Port, Probe


def check(stack: Stack) -> Iterator[Finding]:
    for workload, pods, container in containers_of(stack):
        if not _added_to(workload, pods):
            for kind, probe in _probes(container):
                yield from _unnamed(container, kind, probe)
    for engine in engines_of(stack):
        if engine.container is not None and engine.pods is not None and not _added_to(engine.workload, engine.pods):
            for kind, probe in _probes(engine.container):
                yield from _elsewhere(engine, engine.container, kind, probe)


def _added_to(workload: Workload, pods: PodSet) -> bool:
    """Whether an operator gives the containers ports: KubeRay does."""
    return workload.ray is not None or is_partial(workload, pods)


def _probes(container: Container) -> Iterator[tuple[str, Probe]]:
    probes = (
        ("startup", container.startup_probe),
        ("readiness", container.readiness_probe),
        ("liveness", container.liveness_probe),
    )
    return ((kind, probe) for kind, probe in probes if probe is not None)


def _port(probe: Probe) -> int | str:
    return 0 if isinstance(probe.handler, ExecProbe) else probe.handler.port


def _unnamed(container: Container, kind: str, probe: Probe) -> Iterator[Finding]:
    port = _port(probe)
    names = [known.name for known in container.ports if known.name]
    # A number in quotes is a number to the kubelet.
    if not isinstance(port, str) or port.isdigit() or port in names or not is_rendered(port):
        return
    has = f"its ports are named {listed(names)}" if names else "it names no port"
    yield Finding(
        f"the {kind} probe of container {container.name} asks at port {port}; {has}, so the probe never succeeds",
        at=probe.port_origin or probe.origin,
        otherwise=container.origin,
        remedy=f"Name the container's port {port}, or write the port's number into the probe.",
        evidence=(evidence("probe port", port, source=str(probe.port_origin)),),
    )


def _elsewhere(engine: DeployedEngine, container: Container, kind: str, probe: Probe) -> Iterator[Finding]:
    port, served = _port(probe), engine_port(engine)
    named = next((known for known in container.ports if known.name == port and port), None)
    port = named.number if named is not None else port
    if not isinstance(port, int) or port == 0 or not isinstance(served, Known) or port == served.value:
        return
    if engine.pods is None or len(engine.pods.containers) > 1 or engine.pods.init_containers:
        return  # another container of the pod shares the address, and may listen there
    if named is not None:
        yield _by_name(named, container, served)
        return
    yield Finding(
        f"the {kind} probe of container {container.name} asks at port {port}; vLLM listens at {served.value}, "
        "so the probe never succeeds",
        at=probe.port_origin or probe.origin,
        otherwise=container.origin,
        remedy=f"Set the probe's port to {served.value}, or start vLLM with --port={port}.",
        evidence=(evidence("probe port", port, source=str(probe.port_origin)), evidence("--port", served)),
        related=((served, f"vLLM listens at {served.value}"),),
    )


def _by_name(port: Port, container: Container, served: Known[int]) -> Finding:
    """One fault for all probes that name the port."""
    return Finding(
        f"container port {port.name} of {container.name} is {port.number} and vLLM listens at {served.value}: a "
        f"probe that asks at {port.name} never succeeds",
        at=port.origin or container.origin,
        remedy=f"Set containerPort: {served.value}, or start vLLM with --port={port.number}.",
        evidence=(evidence("containerPort", port.number, source=str(port.origin)), evidence("--port", served)),
        related=((served, f"vLLM listens at {served.value}"),),
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A readiness probe that cannot succeed keeps the pod out of its Service for ever, a startup or "
    "liveness probe that cannot succeed has it restarted for ever. The API server checks neither names nor numbers. "
    "vLLM listens at one port only, 8000 unless --port says otherwise.",
    remedy="Let the probe ask at the port where the container listens.",
    sources=(
        "Kubernetes 1.36.3: a probe's named port is looked up among the container's own ports; not validated",
        "vLLM: --port, default 8000",
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
                  args: [--model, example/chat-8B, --port=8080]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  readinessProbe:
                    httpGet: {path: /health, port: 8000}  # fires
        """,
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: rank}
        spec:
          selector: {matchLabels: {app: rank}}
          template:
            metadata: {labels: {app: rank}}
            spec:
              containers:
                - name: ranker
                  image: registry.example/rank:1.0
                  ports:
                    - {name: web, containerPort: 9000}
                  readinessProbe:
                    httpGet: {path: /health, port: http}  # fires
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
                  args: [--model, example/chat-8B]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  ports:
                    - {name: http, containerPort: 8000}
                  readinessProbe:
                    httpGet: {path: /health, port: http}
                  startupProbe:
                    tcpSocket: {port: 8000}
                    failureThreshold: 60
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
                  args: [--model, example/chat-8B, --port=8200]
                  resources: {limits: {nvidia.com/gpu: 1}}
                  readinessProbe:
                    httpGet: {path: /health, port: 8000}
                - name: proxy
                  image: registry.example/proxy:1.0
        """,
    ),
    check=check,
)
