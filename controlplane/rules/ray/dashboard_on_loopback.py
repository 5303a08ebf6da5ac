"""The head's dashboard listens on loopback, where the operator cannot reach it."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import OVERWRITTEN_COMMAND, ray_workloads
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.facts import ABSENT, Known
from controlplane.stack.model import Stack

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ASKS = {
    "RayService": "sends the Serve configuration there, and no application is ever deployed",
    "RayJob": "asks there how the job does, and never learns it",
}


def check(stack: Stack) -> Iterator[Finding]:
    for workload, cluster in ray_workloads(stack):
        host = cluster.head.start_params.get("dashboard-host", ABSENT)
        if workload.ref.kind not in _ASKS or OVERWRITTEN_COMMAND in workload.annotations:
            continue
        if isinstance(host, Known) and host.value.strip("\"'") in _LOOPBACK:
            yield Finding(
                f"the head's dashboard-host is {host.value}, so that only the head itself can reach the dashboard; "
                f"the operator {_ASKS[workload.ref.kind]}",
                at=host,
                otherwise=cluster.head.origin,
                remedy="Write 0.0.0.0, or leave dashboard-host out: KubeRay sets it so.",
                evidence=(evidence("dashboard-host", host),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="KubeRay talks to the dashboard over the head's Service: it sends a RayService's configuration and "
    "asks for the state of Serve and of jobs. A dashboard that listens on loopback refuses the connection, and the "
    "object never becomes ready.",
    remedy="Let the dashboard listen on all addresses.",
    sources=(
        "KubeRay 1.6.2, controllers/ray/common/pod.go: dashboard-host 0.0.0.0 is set where it is missing",
        "KubeRay 1.6.2, controllers/ray/utils/dashboardclient: requests to the head's Service, port 8265",
    ),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 1
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              rayStartParams:
                dashboard-host: 127.0.0.1  # fires
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: chat}
        spec:
          serveConfigV2: |
            applications:
              - name: chat
                import_path: chat:app
                deployments:
                  - name: Chat
                    num_replicas: 1
          rayClusterConfig:
            rayVersion: 2.60.0
            headGroupSpec:
              rayStartParams:
                dashboard-host: 0.0.0.0
              template:
                spec:
                  containers:
                    - name: ray-head
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 4, memory: 16Gi}}
        """,
    ),
    check=check,
)
