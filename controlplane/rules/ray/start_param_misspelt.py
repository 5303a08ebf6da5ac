"""A parameter of `ray start` is misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import OVERWRITTEN_COMMAND, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.source.suggest import nearest
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_PARAMETERS = frozenset(
    {
        "address",
        "autoscaling-config",
        "block",
        "cgroup-path",
        "dashboard-agent-grpc-port",
        "dashboard-agent-listen-port",
        "dashboard-host",
        "dashboard-port",
        "disable-usage-stats",
        "enable-object-reconstruction",
        "enable-resource-isolation",
        "gcs-server-port",
        "head",
        "include-dashboard",
        "include-log-monitor",
        "labels",
        "labels-file",
        "log-color",
        "log-style",
        "max-worker-port",
        "memory",
        "metrics-export-port",
        "min-worker-port",
        "no-monitor",
        "no-redirect-output",
        "node-ip-address",
        "node-manager-port",
        "node-name",
        "num-cpus",
        "num-gpus",
        "object-manager-port",
        "object-spilling-directory",
        "object-store-memory",
        "plasma-directory",
        "port",
        "proxy-server-url",
        "ray-client-server-port",
        "ray-debugger-external",
        "redis-password",
        "redis-shard-ports",
        "redis-username",
        "resources",
        "runtime-env-agent-port",
        "system-config",
        "system-reserved-cpu",
        "system-reserved-memory",
        "temp-dir",
        "tracing-startup-hook",
        "verbose",
        "worker-port-list",
        "worker-register-timeout",
    }
)
"""Options of `ray start`: those of Ray 2.60, and the last of earlier ones that it no longer has."""


def check(stack: Stack) -> Iterator[Finding]:
    for workload, _, group, _ in ray_groups(stack):
        if OVERWRITTEN_COMMAND in workload.annotations:
            continue
        for name, value in group.start_params.items():
            meant = nearest(name, _PARAMETERS) if name not in _PARAMETERS else None
            if meant is not None and isinstance(value, Known):
                yield Finding(
                    f"group {group.name} passes --{name} to `ray start`, which knows no such option: the container "
                    f"ends with an error; {meant} is probably meant",
                    at=value,
                    remedy=f"Write {meant} instead of {name}.",
                )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="KubeRay puts every entry of rayStartParams onto the command line of `ray start` without looking at "
    "it. An option that does not exist ends the command, so that the pod restarts for ever.",
    remedy="Correct the name.",
    sources=(
        "Ray 2.60.0, scripts/scripts.py: start",
        "KubeRay 1.6.2, controllers/ray/common/pod.go: convertParamMap",
    ),
    bad=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: gpu
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                num_gpus: "1"  # fires
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: gpu
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                num-gpus: "1"
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}
        """,
    ),
    check=check,
)
