"""What people have and what is right: no rule of the chain speaks of it."""

from __future__ import annotations

from tests.rules.judging import findings_of

_HANDED = """
apiVersion: v1
kind: Pod
metadata: {name: chat}
spec:
  containers:
    - name: server
      image: vllm/vllm-openai:v0.26.0
      command: [vllm, serve, --port=8000, --model=example/chat-2B]
      env: [{name: CUDA_VISIBLE_DEVICES, value: "3"}]
      resources: {limits: {nvidia.com/gpu: 0, memory: 9Gi}}
"""


def test_container_that_is_handed_its_gpus_needs_none_of_the_scheduler() -> None:
    """It asks for none in words, and says which one it takes: a launcher holds them for it."""
    assert [f.rule for f in findings_of(_HANDED)] == []
    without = _HANDED.replace("CUDA_VISIBLE_DEVICES", "OTHER")
    assert [f.rule for f in findings_of(without)] == ["cross/parallelism-exceeds-gpus"]


_SCALED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  replicas: 2
  template:
    spec:
      containers:
        - {name: server, image: "registry.example/proxy:1.0"}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  maxReplicas: 6
"""


def test_replicas_of_a_patch_may_be_taken_out_where_it_is_used() -> None:
    assert [f.rule for f in findings_of(_SCALED) if f.rule.startswith("cross/")] == ["cross/replicas-written-twice"]
    patch = _SCALED.replace(', image: "registry.example/proxy:1.0"', "")
    assert [f.rule for f in findings_of(patch) if f.rule.startswith("cross/")] == []
