"""A Service sends its traffic to a port where its pods do not listen."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.listening import engine_port
from controlplane.rules.pod_arithmetic import is_partial, is_rendered, matches, pod_sets_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence, listed
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known, value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import Service, ServicePort


def check(stack: Stack) -> Iterator[Finding]:
    engines = list(engines_of(stack))
    for service in stack.references:
        # Clients of a headless Service choose the port themselves.
        if isinstance(service, Service) and not service.headless:
            selected = _selected(stack, service)
            for port in service.ports:
                if isinstance(port.target, str):
                    yield from _unnamed(service, port, selected)
                else:
                    yield from _elsewhere(service, port, [e for e in engines if _runs_in(e, selected)], len(selected))


def _selected(stack: Stack, service: Service) -> list[tuple[Workload, PodSet]]:
    selector = value_of(service.selector)
    if not selector:
        return []
    near = (w_p for w_p in pod_sets_of(stack) if w_p[0].ref.namespace == service.ref.namespace)
    return [(workload, pods) for workload, pods in near if matches(selector, pods.labels)]


def _runs_in(engine: DeployedEngine, selected: list[tuple[Workload, PodSet]]) -> bool:
    return any(engine.workload is workload and engine.pods is pods for workload, pods in selected)


def _unnamed(service: Service, port: ServicePort, selected: list[tuple[Workload, PodSet]]) -> Iterator[Finding]:
    target = str(port.target)
    # KubeRay names the ports of a Ray container itself.
    added = any(workload.ray is not None or is_partial(workload, pods) for workload, pods in selected)
    if not selected or target.isdigit() or not is_rendered(target) or added:
        return
    sidecars = [c for _, pods in selected for c in pods.init_containers]
    names = {p.name for _, pods in selected for c in (*pods.containers, *sidecars) for p in c.ports}
    if target not in names:
        named = sorted(name for name in names if name)
        has = f"whose ports are named {listed(named)}" if named else "which name no port"
        workload, pods = selected[0]
        yield Finding(
            f"port {port.number} of Service {service.ref.name} goes to the port named {target} of the pods of "
            f"{workload.ref.kind} {workload.ref.name}, {has}; it gets no endpoints",
            at=port.target_origin or port.origin,
            otherwise=service.origin,
            remedy=f"Name the container's port {target}, or write the port's number as targetPort.",
            evidence=(evidence("targetPort", target, source=str(port.target_origin)),),
            related=((pods.origin or workload.origin, "the pods"),),
        )


def _elsewhere(
    service: Service, port: ServicePort, engines: list[DeployedEngine], selected: int
) -> Iterator[Finding]:
    if len(engines) != 1 or selected != 1 or engines[0].workload.ray is not None or port.protocol != "TCP":
        return
    engine, served = engines[0], engine_port(engines[0])
    pods = engine.pods
    if (
        pods is None
        or is_partial(engine.workload, pods)
        or len(pods.containers) != 1
        or pods.init_containers
        or not isinstance(served, Known)
    ):
        return
    if port.target in (0, served.value):
        return
    others = any(served.value == other.target for other in service.ports)
    yield Finding(
        f"port {port.number} of Service {service.ref.name} goes to port {port.target} of the pods of "
        f"{engine.workload.ref.kind} {engine.workload.ref.name}; vLLM listens at {served.value} there",
        at=port.target_origin or port.origin,
        otherwise=service.origin,
        remedy=f"Set targetPort: {served.value}.",
        evidence=(
            evidence("targetPort", port.target, source=str(port.target_origin)),
            evidence("--port", served),
        ),
        related=((served, f"vLLM listens at {served.value}"),),
        severity=Severity.WARNING if others else None,
    )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A named target that no container has gives no endpoints, a number where nothing listens gives refused "
    "connections. Neither is checked by the API server, and pods and Service both look well. Numbers are judged "
    "where vLLM is alone in its pod, as a warning if another port of the Service is right; targetPort is the "
    "Service's port where it is not written.",
    remedy="Let targetPort be the port where the container listens.",
    sources=(
        "Kubernetes: targetPort defaults to port; a name is looked up in the pod's container ports",
        "vLLM: --port, default 8000",
    ),
    bad=(
        """
        apiVersion: v1
        kind: Service
        metadata: {name: chat}
        spec:
          selector: {app: chat}
          ports:
            - {name: http, port: 80}  # fires
            - {name: web, port: 81, targetPort: web}  # fires
            - {name: openai, port: 82, targetPort: 8000}
        ---
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
        """,
    ),
    good=(
        """
        apiVersion: v1
        kind: Service
        metadata: {name: chat}
        spec:
          selector: {app: chat}
          ports:
            - {name: http, port: 80, targetPort: openai}
            - {name: openai, port: 9000, targetPort: 9000}
        ---
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
                  args: [--model, example/chat-8B, --port, "9000"]
                  ports: [{name: openai, containerPort: 9000}]
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
