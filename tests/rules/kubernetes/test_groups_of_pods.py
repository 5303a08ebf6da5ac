"""Groups of pods of a LeaderWorkerSet, and the Services that select them."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of, marked_lines

_GROUP = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: chat-70b}}
spec:
  leaderWorkerTemplate:
    size: {size}
    leaderTemplate:
      spec:
        containers:
          - name: leader
            image: vllm/vllm-openai:v0.11.0
            command:
              - sh
              - -c
              - ray start --head; vllm serve example/chat-70B --tensor-parallel-size={tensor} -pp 2
            resources: {{limits: {{nvidia.com/gpu: 4}}}}
            volumeMounts: [{{name: shm, mountPath: /dev/shm}}]
        volumes: [{{name: shm, emptyDir: {{medium: Memory, sizeLimit: 8Gi}}}}]
    workerTemplate:
      spec:
        {pod}
        containers:
          - name: worker  # fires
            image: vllm/vllm-openai:{tag}
            command: [sh, -c, ray start --address=$LWS_LEADER_ADDRESS:6379 --block]
            resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}
            {mounts}
"""
_DEFAULTS = {"size": 2, "tensor": 4, "gpus": 4, "tag": "v0.11.0", "pod": "hostIPC: false", "mounts": "tty: true"}
_SHARED = "kubernetes/shared-memory-missing"


def _group(**values: object) -> str:
    return _GROUP.format(**{**_DEFAULTS, **values})


def _found(text: str, rule: str) -> list[int]:
    return [finding.span.line for finding in findings_of(text) if finding.rule == rule]


def test_worker_whose_ranks_share_too_little_memory_is_told() -> None:
    assert _found(_group(), _SHARED) == marked_lines(_group())


@pytest.mark.parametrize(
    "text",
    [
        _group(gpus=1),
        # The engine leaves GPUs of the group idle: whose ranks run where is not certain.
        _group(tensor=2),
        _group(size="${SIZE}"),
        _group(pod="hostIPC: true"),
        _group(mounts="volumeMounts: [{name: shm, mountPath: /dev/shm}]", pod="volumes: [{name: shm, emptyDir: {}}]"),
    ],
)
def test_worker_that_may_have_enough_is_left_alone(text: str) -> None:
    assert _found(text, _SHARED) == []


@pytest.mark.parametrize(
    ("tag", "is_told"), [("v0.10.2", True), ("v0.11.0", False), ("v0.11.0-cu129", False), ("latest", False)]
)
def test_leader_and_worker_of_two_releases_are_told(tag: str, is_told: bool) -> None:
    assert bool(_found(_group(tag=tag), "vllm/group-of-two-releases")) == is_told


_SERVICE = """
---
apiVersion: v1
kind: Service
metadata: {{name: front}}
spec:
  selector: {{leaderworkerset.sigs.k8s.io/name: {name}, role: leader}}
  ports: [{{port: 8000}}]
"""


@pytest.mark.parametrize(
    ("name", "is_told"),
    [("chat", True), ("chat-7b", True), ("chat-70b", False), ("other", False), ("${NAME}", False)],
)
def test_service_that_selects_another_group_than_the_files_is_told(name: str, is_told: bool) -> None:
    text = _group() + _SERVICE.format(name=name)
    assert bool(_found(text, "kubernetes/service-selects-no-pod")) == is_told


def test_service_beside_several_groups_is_left_alone() -> None:
    two = _group() + "---" + _group().replace("chat-70b", "embed")
    assert _found(two + _SERVICE.format(name="chat"), "kubernetes/service-selects-no-pod") == []
