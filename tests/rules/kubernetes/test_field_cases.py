"""Faults that people met in the field, retold with invented names: each is found where it lies, its repair is clean.

What a thread gives is kept: numbers, field names, what was seen. Each test names its source.
"""

from __future__ import annotations

import textwrap

import pytest

from controlplane.diagnostics import Diagnostic
from tests.rules.judging import findings_of, marked_lines

_GPU_NODE = """
apiVersion: v1
kind: Node
metadata: {name: gpu-0, labels: {cloud: example}}
spec:
  taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]
status:
  allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "1", pods: "110"}
---
apiVersion: v1
kind: Node
metadata: {name: cpu-0, labels: {cloud: example}}
status:
  allocatable: {cpu: "32", memory: 120Gi, pods: "110"}
---
"""


def _found(text: str, rule: str) -> list[Diagnostic]:
    return [finding for finding in findings_of(text) if finding.rule == rule]


def _only(text: str, rule: str) -> Diagnostic:
    """The one finding, at the marked line, and no other of this family."""
    family = [finding for finding in findings_of(text) if finding.rule.startswith("kubernetes/")]
    assert [(finding.rule, finding.span.line) for finding in family] == [(rule, marked_lines(text)[0])]
    return family[0]


def _clean(text: str) -> None:
    assert [f"{f.span.line}: {f.rule}: {f.message}" for f in findings_of(text)] == []


_COMPANIONS = (
    _GPU_NODE
    + """
apiVersion: apps/v1
kind: Deployment
metadata: {name: engine}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: engine}}
  template:
    metadata: {labels: {app: engine}}
    spec:
      containers:
        - name: engine
          image: registry.example/engine:1.0
          resources: {limits: {nvidia.com/gpu: 1}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kv-cache}
spec:
  selector: {matchLabels: {app: kv-cache}}
  template:
    metadata: {labels: {app: kv-cache}}
    spec:
      TOLERATIONS
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - labelSelector: {matchLabels: {app: engine}}  # fires
              topologyKey: kubernetes.io/hostname
      containers:
        - name: cache
          image: registry.example/cache:1.0
          resources: {limits: {cpu: 1}}
"""
)


def test_companion_without_a_gpu_is_kept_from_the_tainted_node_of_its_engine() -> None:
    """vllm-project/aibrix#909: the platform tolerates the taint for pods that ask for the GPU, not for companions."""
    finding = _only(
        _COMPANIONS.replace("TOLERATIONS", "enableServiceLinks: true"), "kubernetes/no-pool-takes-the-pod"
    )
    assert "nvidia.com/gpu=present:NoSchedule" in finding.message
    assert finding.remedy is not None
    assert "{key: nvidia.com/gpu, operator: Equal, value: present, effect: NoSchedule}" in finding.remedy.text


def test_companion_with_the_toleration_runs_beside_its_engine() -> None:
    _clean(_COMPANIONS.replace("TOLERATIONS", "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"))


_QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: compute, namespace: science}
spec:
  hard:
    requests.cpu: "3"  # cpu
    limits.memory: 18Gi  # memory
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: notebook, namespace: science}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: notebook}}
  template:
    metadata: {labels: {app: notebook}}
    spec:
      containers:
        - name: notebook
          image: registry.example/notebook:1.0
          resources:
            requests: {cpu: 2810m, memory: 8Gi}
            limits: {memory: 14330Mi}
---
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: fraud, namespace: science}
spec:
  rayVersion: 2.52.0
  headGroupSpec:
    rayStartParams: {num-cpus: "0"}
    template:
      spec:
        containers:
          - name: ray-head
            image: rayproject/ray:2.52.0
            resources:
              requests: {cpu: HEAD_CPU, memory: 2Gi}
              limits: {memory: HEAD_MEMORY}
"""


def test_quota_has_no_room_for_the_ray_head() -> None:
    """rh-aiservices-bu/fraud-detection#73: 2810m + 2010m > 3, 14330Mi + 9048576k > 18Gi; no pod was to be seen."""
    text = _QUOTA.replace("HEAD_CPU", "2010m").replace("HEAD_MEMORY", "9048576k")
    found = _found(text, "kubernetes/quota-exceeded")
    lines = text.lstrip("\n").splitlines()
    assert [lines[finding.span.line - 1].strip() for finding in found] == [
        'requests.cpu: "3"  # cpu',
        "limits.memory: 18Gi  # memory",
    ]
    assert "take 4820m" in found[0].message
    assert "9048576k" not in found[1].message, "both amounts are told in one unit"


def test_smaller_head_fits_into_the_quota() -> None:
    text = _QUOTA.replace("HEAD_CPU", "190m").replace("HEAD_MEMORY", "3Gi")
    assert _found(text, "kubernetes/quota-exceeded") == []


def test_quota_counts_the_autoscaler_that_kuberay_adds_to_the_head() -> None:
    text = _QUOTA.replace("HEAD_CPU", "190m").replace("HEAD_MEMORY", "3Gi")
    scaled = text.replace("  rayVersion: 2.52.0", "  rayVersion: 2.52.0\n  enableInTreeAutoscaling: true")
    found = _found(scaled, "kubernetes/quota-exceeded")
    assert [finding.message.split(";")[0] for finding in found] == ["quota compute allows 3 of requests.cpu"]


_COLLISION = """
apiVersion: v1
kind: Service
metadata: {name: SERVICE, namespace: models}  # fires
spec:
  selector: {app: gateway}
  ports: [{port: 8000}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: models}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      LINKS
      containers:
        - name: server
          image: vllm/vllm-openai:v0.8.2
          args: [--model, example/chat-8B]
          resources: {limits: {nvidia.com/gpu: 1}}
"""


def test_service_called_vllm_collides_with_the_engines_variables() -> None:
    """vllm-project/vllm#15613, #34199: VLLM_PORT=tcp://..., 'invalid literal for int()'; by any Service there."""
    text = _COLLISION.replace("SERVICE", "vllm").replace("LINKS", "enableServiceLinks: true")
    assert "VLLM_PORT=tcp://" in _only(text, "kubernetes/service-link-collision").message


def test_another_name_or_no_service_links_end_the_collision() -> None:
    _clean(_COLLISION.replace("SERVICE", "openai").replace("LINKS", "enableServiceLinks: true"))
    _clean(_COLLISION.replace("SERVICE", "vllm").replace("LINKS", "enableServiceLinks: false"))


def test_service_of_another_namespace_does_not_collide() -> None:
    text = _COLLISION.replace("SERVICE, namespace: models", "vllm, namespace: others")
    _clean(text.replace("LINKS", "enableServiceLinks: true"))


_ROLLOUT = (
    _GPU_NODE
    + """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}  # fires
spec:
  replicas: 1
  STRATEGY
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: server
          image: registry.example/server:1.0
          resources: {limits: {nvidia.com/gpu: 1}}
"""
)


def test_rollout_waits_for_the_gpu_of_the_pod_it_replaces() -> None:
    """defilantech/LLMKube#192: one replica on one GPU; 25 % of 1 is 1 too many and 0 missing."""
    finding = _only(_ROLLOUT.replace("STRATEGY", "revisionHistoryLimit: 3"), "kubernetes/rollout-deadlock")
    assert "of 1 pod 0 may be missing and 1 be too many" in finding.message


def test_rollout_that_ends_the_old_pod_first_is_clean() -> None:
    _clean(_ROLLOUT.replace("STRATEGY", "strategy: {type: Recreate}"))
    _clean(_ROLLOUT.replace("STRATEGY", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"))


def test_rollout_is_not_judged_where_the_machines_are_not_shown() -> None:
    _clean(_ROLLOUT.removeprefix(_GPU_NODE).replace("STRATEGY", "revisionHistoryLimit: 3"))


_DRAIN = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      terminationGracePeriodSeconds: GRACE  # fires
      containers:
        - name: server
          image: vllm/vllm-openai:VERSION
          args: [--model, example/chat-8B, --shutdown-timeout=45]
          lifecycle: {preStop: {sleep: {seconds: 15}}}
          resources: {limits: {nvidia.com/gpu: 1}}
"""


def test_drain_is_longer_than_the_grace_period() -> None:
    """llm-d/llm-d#927: streams are cut at scale-in; preStop 15 s and --shutdown-timeout 45 s want 60 s."""
    finding = _only(_DRAIN.replace("GRACE", "30").replace("VERSION", "v0.20.0"), "kubernetes/grace-period-too-short")
    assert "preStop 15 s and --shutdown-timeout 45 s, 60 s in all" in finding.message


def test_grace_period_of_both_together_is_clean() -> None:
    _clean(_DRAIN.replace("GRACE", "60").replace("VERSION", "v0.20.0"))


_FRAGMENTED = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "4", pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "32", memory: 120Gi, nvidia.com/gpu: "4", pods: "110"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  replicas: REPLICAS  # fires
  strategy: {type: Recreate}
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: server
          image: registry.example/server:1.0
          resources: {limits: {nvidia.com/gpu: 3}}
"""


def test_gpus_that_are_free_in_all_are_on_no_node_together() -> None:
    """volcano-sh/volcano#3948: what is free in total is no answer; the largest free block is."""
    finding = _only(_FRAGMENTED.replace("REPLICAS", "3"), "kubernetes/pods-exceed-nodes")
    assert "asks for 3 nvidia.com/gpu; 2 are free in all and 1 on the node with most" in finding.message


def test_pods_that_fit_onto_the_nodes_are_clean() -> None:
    _clean(_FRAGMENTED.replace("REPLICAS", "2"))


def test_port_that_is_there_twice_is_refused_by_server_side_apply() -> None:
    """kubernetes/kubernetes#113482: two ports of one number and protocol."""
    text = """
    apiVersion: v1
    kind: Service
    metadata: {name: chat}
    spec:
      selector: {app: chat}
      ports:
        - {name: http, port: 8000}
        - {name: metrics, port: 8000}  # fires
    """
    _only(text, "kubernetes/duplicate-key-in-list")
    _clean(text.replace("metrics, port: 8000", "metrics, port: 9090"))


_KUEUE = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: research}
spec:
  COHORT
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - {name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}
        - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: team, namespace: models}
spec: {clusterQueue: research}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: models, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  parallelism: 5
  completions: 5
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: trainer
          image: registry.example/trainer:1.0
          resources: {limits: {nvidia.com/gpu: 2}}
"""


def test_queue_cannot_admit_a_job_that_no_flavor_holds() -> None:
    """10 GPUs in all are there, but a pod set gets one flavor."""
    found = _found(_KUEUE.replace("COHORT", "queueingStrategy: StrictFIFO"), "kubernetes/queue-cannot-admit")
    assert ["asks for 10 nvidia.com/gpu" in finding.message for finding in found] == [True]


def test_queue_with_a_cohort_may_borrow() -> None:
    assert _found(_KUEUE.replace("COHORT", "cohort: all"), "kubernetes/queue-cannot-admit") == []


def test_repair_of_a_gpu_request_is_made_at_its_bytes() -> None:
    text = """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: train}
    spec:
      selector: {matchLabels: {app: train}}
      template:
        metadata: {labels: {app: train}}
        spec:
          containers:
            - name: trainer
              image: registry.example/trainer:1.0
              resources: {requests: {nvidia.com/gpu: "1"}, limits: {nvidia.com/gpu: 4}}
    """
    (finding,) = findings_of(text)
    assert finding.remedy is not None
    (edit,) = finding.remedy.edits
    lines = textwrap.dedent(text).lstrip("\n").splitlines()
    line = lines[edit.span.line - 1]
    lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.new_text + line[edit.span.end_column - 1 :]
    assert "requests: {nvidia.com/gpu: 4}" in lines[edit.span.line - 1]
    _clean("\n".join(lines))


def test_companion_is_kept_from_the_nodes_that_its_selector_names() -> None:
    affinity = _COMPANIONS[
        _COMPANIONS.index("      affinity:") : _COMPANIONS.index("      containers:\n        - name: ca")
    ]
    text = _COMPANIONS.replace(affinity, '      nodeSelector: {gpu: "yes"}\n').replace(
        "labels: {cloud: example}}\nspec:\n  taints", 'labels: {cloud: example, gpu: "yes"}}\nspec:\n  taints'
    )
    without = text.replace("TOLERATIONS", "enableServiceLinks: true")
    (finding,) = _found(without, "kubernetes/no-pool-takes-the-pod")
    assert "labels: {app: kv-cache}" in without.lstrip("\n").splitlines()[finding.span.line - 1]
    _clean(text.replace("TOLERATIONS", "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"))


@pytest.mark.parametrize(
    "strategy",
    [
        "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
        "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 100%, maxUnavailable: 0%}}",
        "strategy: {rollingUpdate: {maxUnavailable: 25%}}",
    ],
)
def test_rollout_waits_in_whatever_form_its_strategy_is_written(strategy: str) -> None:
    text = _ROLLOUT.replace("STRATEGY", strategy)
    (finding,) = findings_of(text)
    assert finding.rule == "kubernetes/rollout-deadlock"
    assert strategy in text.lstrip("\n").splitlines()[finding.span.line - 1]


def test_service_called_vllm_collides_in_a_job_and_its_script() -> None:
    job = (
        _COLLISION.replace("apiVersion: apps/v1\nkind: Deployment", "apiVersion: batch/v1\nkind: Job")
        .replace("  selector: {matchLabels: {app: chat}}\n", "")
        .replace("args: [--model, example/chat-8B]", 'command: [bash, -c, "vllm serve example/chat-8B"]')
        .replace("SERVICE", "vllm")
    )
    _only(job.replace("LINKS", "restartPolicy: Never"), "kubernetes/service-link-collision")
    _clean(job.replace("LINKS", "restartPolicy: Never\n      enableServiceLinks: false"))


def test_quota_counts_the_init_container_of_a_head() -> None:
    fetching = _QUOTA.replace(
        "        containers:\n          - name: ray-head",
        '        initContainers: [{name: fetch, image: "registry.example/fetch:1.0", resources: '
        "{requests: {cpu: 2, memory: 1Gi}, limits: {memory: 1Gi}}}]\n        containers:\n          - name: ray-head",
    )
    found = _found(fetching.replace("HEAD_CPU", "190m").replace("HEAD_MEMORY", "3Gi"), "kubernetes/quota-exceeded")
    assert [finding.span.line for finding in found] == [6]
