"""What a Deployment looks like; that a real API server takes it is shown in `tests/emit/test_emit_cluster.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml

from controlplane.emit import manifest_yaml
from controlplane.emit.kubernetes import deployment
from controlplane.stack.facts import ABSENT, Unknown, Why
from controlplane.stack.pods import Count, CountOwner, OtherVolume, Volume
from tests.emit import example
from tests.emit.example import at, known

EXPECTED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
  namespace: llm
  labels:
    controlplane.dev/service: chat
  annotations:
    controlplane.dev/vllm-version: "0.33.0"
spec:
  replicas: 1
  progressDeadlineSeconds: 900
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 0
      maxUnavailable: 1
  selector:
    matchLabels:
      controlplane.dev/service: chat
  template:
    metadata:
      labels:
        controlplane.dev/service: chat
      annotations:
        prometheus.io/scrape: "true"
    spec:
      enableServiceLinks: false
      terminationGracePeriodSeconds: 75
      nodeSelector:
        example.dev/pool: h100
      tolerations:
      - key: nvidia.com/gpu
        operator: Exists
        effect: NoSchedule
      containers:
      - name: vllm
        image: registry.example/vllm-openai:v0.33.0
        command:
        - vllm
        - serve
        args:
        - meta-llama/Llama-3.1-8B-Instruct
        - --served-model-name=chat
        - --max-model-len=16384
        - --gpu-memory-utilization=0.9
        - --shutdown-timeout=45
        env:
        - name: HF_TOKEN
          valueFrom:
            secretKeyRef:
              name: hub
              key: token
        - name: LEVEL
          value: "1e3"
        ports:
        - name: http
          containerPort: 8000
          protocol: TCP
        resources:
          requests:
            cpu: 500m
            memory: 64Gi
            nvidia.com/gpu: "1"
          limits:
            memory: 64Gi
            nvidia.com/gpu: "1"
        volumeMounts:
        - name: models
          mountPath: /models
          readOnly: true
        - name: shm
          mountPath: /dev/shm
        startupProbe:
          httpGet:
            path: /health
            port: http
          periodSeconds: 10
          timeoutSeconds: 5
          failureThreshold: 60
        readinessProbe:
          httpGet:
            path: /v1/models
            port: http
          periodSeconds: 5
          timeoutSeconds: 5
          failureThreshold: 3
        lifecycle:
          preStop:
            sleep:
              seconds: 15
      volumes:
      - name: models
        persistentVolumeClaim:
          claimName: models
          readOnly: true
      - name: shm
        emptyDir:
          medium: Memory
          sizeLimit: 8Gi
"""


def spec(**changes: Any) -> Any:
    """The spec with other pods."""
    pods = replace(example.pods(), **changes)
    return deployment.build(example.workload(pod_sets=(pods,))).manifest["spec"]


def test_a_deployment_is_written_in_the_order_in_which_people_read() -> None:
    assert manifest_yaml(deployment.build(example.workload()).manifest) == EXPECTED
    assert yaml.safe_load(EXPECTED) == deployment.build(example.workload()).manifest


@pytest.mark.parametrize("owner", [CountOwner.HPA, CountOwner.KEDA])
def test_replicas_that_an_autoscaler_writes_are_left_to_it(owner: CountOwner) -> None:
    assert "replicas" not in spec(count=Count(known(1), known(2), known(3), owner))


def test_no_replicas_are_written_as_such() -> None:
    assert spec(count=example.count(0))["replicas"] == 0


def test_a_version_that_is_not_known_is_not_written() -> None:
    engine = replace(example.engine(), version=Unknown(Why.VERSION))
    made = deployment.build(example.workload(engines=(engine,)))
    assert "annotations" not in made.manifest["metadata"]


def test_a_pre_stop_of_0_seconds_is_none() -> None:
    waiting = replace(example.container(), pre_stop_seconds=known(0))
    assert "lifecycle" not in at(spec(containers=(waiting,)), "template", "spec", "containers", 0)


def test_a_secret_is_written_by_reference_only() -> None:
    text = manifest_yaml(deployment.build(example.workload()).manifest)
    assert "secretKeyRef" in text
    assert "value: token" not in text


@pytest.mark.parametrize(
    "source", [known(OtherVolume("hostPath")), Unknown(Why.TEMPLATED), ABSENT], ids=["other", "templated", "absent"]
)
def test_a_volume_of_which_only_part_is_known_cannot_be_written(source: Any) -> None:
    with pytest.raises(ValueError, match="cannot write the volume 'v'"):
        spec(volumes=(Volume("v", source),))


def test_a_deployment_has_one_kind_of_pods() -> None:
    with pytest.raises(ValueError, match="too many values"):
        deployment.build(example.workload(pod_sets=(example.pods(), example.pods())))
