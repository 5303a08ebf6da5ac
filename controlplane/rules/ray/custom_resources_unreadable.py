"""A group's custom resources are written so that a reader of them fails."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.ray_arithmetic import is_autoscaled, ray_groups
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for _, cluster, group, _ in ray_groups(stack):
        written = group.start_params.get("resources")
        if not isinstance(written, Known) or "$" in written.value:
            continue
        if not _for_ray_start(written.value):
            fault = "the shell hands `ray start` no JSON of numbers, and the container ends with an error"
        elif is_autoscaled(cluster) and not _for_autoscaler(written.value):
            fault = "the autoscaler cannot read it and scales no group of this cluster"
        else:
            continue
        yield Finding(f"group {group.name} writes resources as {written.value}: {fault}", at=written)


def _for_ray_start(text: str) -> bool:
    """Whether a shell makes one word of it that is JSON."""
    try:
        words = shlex.split(text)
        return len(words) == 1 and isinstance(json.loads(words[0]), dict)
    except ValueError:
        return False


def _for_autoscaler(text: str) -> bool:
    """As the autoscaler reads it: without the first and last character and all backslashes, whole numbers only."""
    try:
        parsed = json.loads(text[1:-1].replace("\\", ""))
    except ValueError:
        return False
    return isinstance(parsed, dict) and all(isinstance(amount, int) for amount in parsed.values())


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.RAY,
    since="0.1.0",
    rationale="Three programs read this text: the operator, a shell that starts Ray, and the autoscaler, which drops "
    "the first and the last character and takes whole numbers only. Without quotes of its own inside the YAML value "
    "the shell takes the JSON apart, and the container restarts for ever; with a fraction the autoscaler fails, for "
    "the whole cluster.",
    remedy="Put the JSON into single quotes of its own: resources: '''{\"rack\": 1}''', whole numbers only.",
    sources=(
        "Ray 2.60.0, autoscaler/_private/kuberay/autoscaling_config.py: _get_custom_resources",
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
            - groupName: workers
              replicas: 1
              minReplicas: 1
              maxReplicas: 1
              rayStartParams:
                resources: '{"rack": 1}'  # fires
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: workers
              minReplicas: 0
              maxReplicas: 2
              rayStartParams:
                resources: '''{"rack": 0.5}'''  # fires
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    good=(
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: workers
              minReplicas: 0
              maxReplicas: 2
              rayStartParams:
                resources: '''{"rack": 1}'''
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
        """
        apiVersion: ray.io/v1
        kind: RayCluster
        metadata: {name: chat}
        spec:
          rayVersion: 2.60.0
          enableInTreeAutoscaling: true
          headGroupSpec:
            template:
              spec:
                containers:
                  - name: ray-head
                    image: rayproject/ray:2.60.0
                    resources: {limits: {cpu: 4, memory: 16Gi}}
          workerGroupSpecs:
            - groupName: workers
              minReplicas: 0
              maxReplicas: 2
              rayStartParams:
                resources: '"{\\"rack\\": 1}"'
              template:
                spec:
                  containers:
                    - name: ray-worker
                      image: rayproject/ray:2.60.0
                      resources: {limits: {cpu: 2, memory: 8Gi}}
        """,
    ),
    check=check,
)
