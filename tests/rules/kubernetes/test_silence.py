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


def _told(text: str) -> list[str]:
    return [f"{f.severity.value} {f.rule}" for f in findings_of(text)]


@pytest.mark.parametrize("stand_in", ["$POOL", "pool-$SIZE", "svc_ID_", "POOL", "claim-V_ZONE", "..."])
def test_name_that_is_still_to_be_filled_in_is_not_judged(stand_in: str) -> None:
    text = _ENGINE.replace("name: chat}", f"name: {stand_in}}}").replace("name: server", f"name: {stand_in}")
    text = text.replace("labels: {app: chat}", f"labels: {{app: chat, pool: {stand_in}}}")
    assert _told(text) == []


@pytest.mark.parametrize("name", ["Chat", "chat.8b", "chat-GPU"])
def test_name_in_capitals_of_its_own_is_judged(name: str) -> None:
    assert _told(_ENGINE.replace("name: server", f"name: {name}")) == ["error kubernetes/name-refused"]


def test_port_whose_number_is_filled_in_later_has_its_name_already() -> None:
    engine = _ENGINE.replace(
        "          resources", "          ports: [{name: web, containerPort: $PORT}]\n          resources"
    )
    service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: chat}\nspec:\n  selector: {app: chat}\n"
    assert _told(f"{engine}{service}  ports: [{{port: 80, targetPort: web}}]\n") == []


def test_volume_of_tokens_is_kuberays_where_the_cluster_asks_for_authentication() -> None:
    mounted = _RAY.replace("{name: shared-mem, mountPath: /dev/shm}", "{name: ray-token, mountPath: /tokens}")
    assert "error kubernetes/mount-without-volume" in _told(mounted)
    guarded = mounted.replace("  rayVersion: 2.52.0\n", "  rayVersion: 2.52.0\n  authOptions: {mode: token}\n")
    assert [told for told in _told(guarded) if "kubernetes/" in told] == []


_KUEUE = """
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: shared}
spec:
  resourceGroups:
    - coveredResources: [nvidia.com/gpu, acme.com/total-shares]
      flavors:
        - name: any
          resources:
            - {name: nvidia.com/gpu, nominalQuota: 8}
            - {name: acme.com/total-shares, nominalQuota: 800}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: team}
spec: {clusterQueue: shared}
"""


def test_resource_that_kueue_may_count_under_another_name_is_not_judged() -> None:
    queued = _ENGINE.replace("name: chat}", "name: chat, labels: {kueue.x-k8s.io/queue-name: team}}", 1)
    shares = queued.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 1, acme.com/shares: 50")
    assert _told(shares + _KUEUE) == []
    assert _told(queued.replace("limits: {", "requests: {cpu: 4}, limits: {") + _KUEUE) == [
        "warning kubernetes/queue-cannot-admit"
    ]


def test_node_of_an_example_holds_no_pod_back() -> None:
    cordoned = (
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: any}\nspec: {taints: [{key: x, effect: NoSchedule}]}\n"
    )
    assert _told(_ENGINE + cordoned) == []
    assert _told(_ENGINE + cordoned + "status: {allocatable: {nvidia.com/gpu: 8, cpu: 32}}\n") == [
        "warning kubernetes/no-pool-takes-the-pod"
    ]


@pytest.mark.parametrize(
    ("model", "told"),
    [("example/chat-8B", []), ("example/chat-671B-FP8", ["info kubernetes/rollout-fails-while-loading"])],
)
def test_long_startup_probe_alone_fails_no_rollout(model: str, told: list[str]) -> None:
    probe = "startupProbe: {httpGet: {path: /health, port: 8000}, failureThreshold: 360}\n          resources"
    text = _ENGINE.replace("resources", probe).replace("example/chat-8B", model)
    assert _told(text) == told


def test_operator_that_brings_the_containers_brings_their_memory() -> None:
    text = "apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nmetadata: {name: chat}\n"
    assert _told(f"{text}spec: {{model: {{uri: hf://example/chat-8B}}, replicas: 3}}\n") == []


def test_container_that_kserve_merges_with_its_model_is_there_once() -> None:
    text = (
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: chat}\nspec:\n  predictor:\n"
    )
    model = "    model: {modelFormat: {name: huggingface}, storageUri: s3://models/chat}\n"
    containers = "    containers: [{name: kserve-container, image: registry.example/server:1.0}]\n"
    assert _told(text + model + containers) == []


def test_text_in_brackets_and_capitals_is_to_be_replaced() -> None:
    assert _told(_ENGINE.replace("image: vllm/vllm-openai:v0.11.0", "image: [URL]")) == []
    assert _told(_ENGINE.replace("image: vllm/vllm-openai:v0.11.0", "image: [a/b:1, c]")) == [
        "error kubernetes/field-type"
    ]
