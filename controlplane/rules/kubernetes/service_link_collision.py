"""A Service's name makes Kubernetes set a variable that vLLM reads as its own.

Every pod of the namespace gets variables of every Service; one called `vllm` sets VLLM_PORT to an address.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.pod_arithmetic import is_partial
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import PodSet
from controlplane.stack.references import Service

_READ_AS_NUMBERS = ("VLLM_PORT", "VLLM_DP_MASTER_PORT", "VLLM_NIXL_SIDE_CHANNEL_PORT", "VLLM_MOONCAKE_BOOTSTRAP_PORT")


def check(stack: Stack) -> Iterator[Finding]:
    for service in stack.references:
        if isinstance(service, Service) and service.ports and not service.headless:
            variable = f"{service.ref.name.upper().replace('-', '_')}_PORT"
            if variable in _READ_AS_NUMBERS:
                yield from _collision(stack, service, variable)


def _collision(stack: Stack, service: Service, variable: str) -> Iterator[Finding]:
    for workload in stack.workloads:
        hit = [p for p in _engine_pods(workload) if _gets(p, variable) and not is_partial(workload, p)]
        if hit and workload.ref.namespace == service.ref.namespace:
            yield Finding(
                f"Service {service.ref.name} sets {variable}=tcp://ADDRESS:{service.ports[0].number} in the pods of "
                f"{workload.ref.kind} {workload.ref.name}, which vLLM takes for a port number and ends",
                at=service.origin,
                remedy=f"Call the Service serve-{service.ref.name}, or set enableServiceLinks: false in the pods.",
                evidence=(
                    evidence("metadata.name", service.ref.name, source=str(service.origin)),
                    evidence("enableServiceLinks", value_of(hit[0].service_links) is not False, source="the pod"),
                ),
                related=((hit[0].origin or workload.origin, "gets the variable"),),
            )
            return


def _engine_pods(workload: Workload) -> Iterator[PodSet]:
    """The pods that run vLLM; with Ray Serve LLM that may be any of the cluster."""
    names = {engine.pod_set for engine in workload.engines}
    served = any(engine.serve_deployment != ("", "") for engine in workload.engines)
    return (pods for pods in workload.pod_sets if served or pods.name in names)


def _gets(pods: PodSet, variable: str) -> bool:
    """Service links are on by default, and what a container sets itself comes first."""
    known = [env.name for container in pods.containers for env in container.env]
    return value_of(pods.service_links) is not False and variable not in known


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="For a Service called `vllm` the kubelet sets VLLM_PORT=tcp://10.96.0.9:8000 in every pod of the "
    "namespace that starts after it. vLLM reads VLLM_PORT as a number and stops, first with 'invalid literal for "
    "int()', in newer versions with a sentence about a URI. It shows after the first restart, not at once.",
    remedy="Give the Service another name, or set enableServiceLinks: false.",
    sources=(
        "Field case: vllm-project/vllm issues 15613 and 34199",
        "Kubernetes: environment variables for Services, kubelet; headless Services set none",
    ),
    bad=(
        """
        apiVersion: v1
        kind: Service
        metadata:
          name: vllm  # fires
        spec:
          selector: {app: chat}
          ports: [{port: 8000}]
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
        metadata: {name: vllm}
        spec:
          selector: {app: chat}
          ports: [{port: 8000}]
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: chat}
        spec:
          selector: {matchLabels: {app: chat}}
          template:
            metadata: {labels: {app: chat}}
            spec:
              enableServiceLinks: false
              containers:
                - name: vllm
                  image: vllm/vllm-openai:v0.11.0
                  args: [--model, example/chat-8B]
                  resources: {limits: {nvidia.com/gpu: 1}}
        """,
        """
        apiVersion: v1
        kind: Service
        metadata: {name: vllm-server}
        spec:
          selector: {app: chat}
          ports: [{port: 8000}]
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
    check=check,
)
