"""What people have and what is right: no rule speaks of it."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of

_ENGINE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: server
          image: vllm/vllm-openai:v0.11.0
          args: [--model, example/chat-8B, --port=8000]
          resources: {limits: {nvidia.com/gpu: 1}}
"""

_RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: chat}
spec:
  rayVersion: 2.52.0
  headGroupSpec:
    rayStartParams: {num-cpus: "0"}
    template:
      spec:
        containers:
          - name: ray-head
            image: rayproject/ray:2.52.0
            ports: [{name: gcs-server, containerPort: 6379}]
            resources: {limits: {cpu: 2, memory: 8Gi}}
  workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      minReplicas: 2
      maxReplicas: 2
      rayStartParams: {}
      template:
        spec:
          containers:
            - name: ray-worker
              image: rayproject/ray:2.52.0
              resources: {limits: {cpu: 8, memory: 64Gi, nvidia.com/gpu: 4}}
              volumeMounts: [{name: shared-mem, mountPath: /dev/shm}]
---
apiVersion: v1
kind: Service
metadata: {name: chat-head}
spec:
  selector: {ray.io/cluster: chat, ray.io/node-type: head}
  ports: [{name: serve, port: 8000, targetPort: serve}]
"""

_PATCH = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  template:
    spec:
      containers:
        - name: server
          resources: {requests: {nvidia.com/gpu: 1}}
          readinessProbe: {httpGet: {path: /health, port: http}}
          volumeMounts: [{name: cache, mountPath: /cache}]
"""

_GPU_POOL = """
apiVersion: v1
kind: Node
metadata: {name: gpu-0, labels: {zone: a, kubernetes.io/hostname: gpu-0}}
spec:
  taints:
    - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
    - {key: node.kubernetes.io/not-ready, effect: NoExecute}
status: {allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "2", pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {zone: b, kubernetes.io/hostname: gpu-1}}
spec:
  taints:
    - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
    - {key: node.kubernetes.io/not-ready, effect: NoExecute}
status: {allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "2", pods: "110"}}
---
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("x", "x", id="an engine without probes, requests and Service"),
        pytest.param(
            "resources: {limits: {nvidia.com/gpu: 1}}",
            "resources: {requests: {cpu: 4, memory: 32Gi}, limits: {nvidia.com/gpu: 1}}",
            id="requests without limits",
        ),
        pytest.param(
            "resources: {limits: {nvidia.com/gpu: 1}}",
            "resources: {limits: {nvidia.com/gpu: 1}}\n"
            "          readinessProbe: {httpGet: {path: /health, port: 8000}, failureThreshold: 1}",
            id="a readiness probe that fails while the model loads",
        ),
        pytest.param(
            "resources: {limits: {nvidia.com/gpu: 1}}",
            "resources: {limits: {nvidia.com/gpu: 1}}\n          livenessProbe: {exec: {command: [/bin/alive]}}",
            id="a liveness probe that may know that a model loads",
        ),
        pytest.param("nvidia.com/gpu: 1", 'nvidia.com/gpu: "1"', id="a GPU in quotes"),
        pytest.param(
            "resources: {limits: {nvidia.com/gpu: 1}}",
            "resources: {limits: {nvidia.com/gpu: 1}}\n"
            "          env:\n"
            "            - {name: HF_TOKEN, value: $(FROM_ELSEWHERE)}\n"
            "            - {name: VLLM_API_KEY, value: sk-fake-0123456789abcdef}",
            id="stand-ins for secrets",
        ),
    ],
)
def test_engine_that_is_right_is_clean(old: str, new: str) -> None:
    assert [f"{f.rule}: {f.message}" for f in findings_of(_ENGINE.replace(old, new))] == []


def test_what_kuberay_adds_is_not_missed() -> None:
    """Shared memory and its volume, ports and labels: all of it is the operator's."""
    found = [f for f in findings_of(_RAY) if f.rule.startswith("kubernetes/")]
    assert [f"{f.rule}: {f.message}" for f in found] == []


def test_patch_is_not_judged_for_what_it_leaves_out() -> None:
    found = [f for f in findings_of(_PATCH) if f.rule.startswith("kubernetes/")]
    assert [f"{f.rule}: {f.message}" for f in found] == []


@pytest.mark.parametrize("label", ["zone: b", "kubernetes.io/hostname: gpu-1"])
def test_label_that_differs_within_a_pool_may_be_the_one_wanted(label: str) -> None:
    text = _GPU_POOL + _ENGINE.replace("      containers:", f"      nodeSelector: {{{label}}}\n      containers:")
    assert [f"{f.rule}: {f.message}" for f in findings_of(text)] == []


def test_unrendered_chart_is_not_judged_for_its_templates() -> None:
    text = _ENGINE.replace("name: chat}", 'name: "{{ .Release.Name }}-Chat"}').replace(
        "labels: {app: chat}", 'labels: {app: chat, model: "{{ .Values.model }}"}'
    )
    assert [f"{f.rule}: {f.message}" for f in findings_of(text)] == []
