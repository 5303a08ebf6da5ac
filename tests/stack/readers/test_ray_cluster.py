from __future__ import annotations

import pytest

from controlplane.stack.facts import ABSENT, Derived, Known, Unknown, Why, value_of
from controlplane.stack.model import Workload
from controlplane.stack.pods import CountOwner
from tests.stack.manifests import read_text, workload
from tests.stack.places import written, written_at

CLUSTER = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: chat
  namespace: llm
  labels: {team: a}
  annotations: {ray.io/ft-enabled: "true"}
spec:
  rayVersion: 2.60.0
  enableInTreeAutoscaling: true
  autoscalerOptions: {version: v2, idleTimeoutSeconds: 30, upscalingMode: Default}
  gcsFaultToleranceOptions:
    redisAddress: redis:6379
    redisPassword: {valueFrom: {secretKeyRef: {name: redis, key: password}}}
    externalStorageNamespace: chat
  authOptions: {mode: token}
  upgradeStrategy: {type: Recreate}
  headGroupSpec:
    rayStartParams: {num-cpus: "0"}
    template:
      metadata: {labels: {a: b}}
      spec:
        containers:
        - name: ray-head
          image: rayproject/ray-llm:2.60.0-py311-cu128
          resources: {limits: {cpu: 4, memory: 16Gi}}
  workerGroupSpecs:
  - groupName: gpu
    replicas: 2
    minReplicas: 1
    maxReplicas: 5
    numOfHosts: 2
    idleTimeoutSeconds: 90
    priority: 3
    suspend: false
    labels: {zone: b}
    resources: {GPU: "4"}
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: ray-worker
          image: rayproject/ray-llm:2.60.0-py311-cu128
          resources: {limits: {cpu: 1500m, nvidia.com/gpu: 4}}
  - groupName: cpu
    template: {spec: {containers: [{name: ray-worker, image: x, resources: {requests: {cpu: 2}}}]}}
"""


def groups(text: str) -> str:
    return f"""\
apiVersion: ray.io/v1alpha1
kind: RayCluster
metadata: {{name: chat}}
spec:
  headGroupSpec: {{template: {{spec: {{containers: [{{name: head, image: x}}]}}}}}}
  workerGroupSpecs:
  {text}
"""


def test_the_pods_of_a_cluster_are_the_head_and_its_groups() -> None:
    found = workload(CLUSTER)
    assert [pods.name for pods in found.pod_sets] == ["head", "gpu", "cpu"]
    head, gpu, cpu = found.pod_sets
    assert (head.count.desired, head.hosts_per_unit) == (Known(1, Derived("")), Known(1, Derived("")))
    assert [value_of(fact) for fact in (gpu.count.min, gpu.count.desired, gpu.count.max)] == [1, 2, 5]
    assert value_of(gpu.hosts_per_unit) == 2
    assert written(CLUSTER, gpu.count.max) == "5"
    assert [value_of(fact) for fact in (cpu.count.min, cpu.count.desired, cpu.count.max)] == [0, 0, 2147483647]
    assert isinstance(cpu.count.max, Known)
    assert isinstance(cpu.count.max.origin, Derived)
    assert {pods.count.owner for pods in (gpu, cpu)} == {CountOwner.RAY_AUTOSCALER}
    assert head.count.owner is CountOwner.DECLARED


def test_what_the_object_says_of_itself_is_kept() -> None:
    found = workload(CLUSTER)
    assert found.labels == {"team": "a"}
    assert found.annotations == {"ray.io/ft-enabled": "true"}
    assert written_at(CLUSTER, found.origin) == "chat"
    assert written_at(CLUSTER, found.namespace_origin) == "llm"


def test_the_cluster_has_every_option_at_its_place() -> None:
    ray = workload(CLUSTER).ray
    assert ray is not None
    facts = {
        "2.60.0": ray.version,
        "v2": ray.autoscaling.version,
        "30": ray.autoscaling.idle_timeout_seconds,
        "Default": ray.autoscaling.upscaling_mode,
        "redis:6379": ray.gcs.redis_address,
        "chat": ray.gcs.external_storage_namespace,
        "token": ray.auth_mode,
        "Recreate": ray.upgrade,
    }
    for text, fact in facts.items():
        assert str(value_of(fact)) == text
        assert written(CLUSTER, fact) == text
    assert (ray.autoscaling.enabled, ray.autoscaling.options) == (Known(True, Derived("")), Known(True, Derived("")))
    assert written(CLUSTER, ray.autoscaling.options) == "autoscalerOptions"
    assert written(CLUSTER, ray.gcs.options) == "gcsFaultToleranceOptions"
    assert written(CLUSTER, ray.gcs.redis_password) == "redisPassword"
    assert written(CLUSTER, ray.gcs.annotation) == '"true"'
    assert written(CLUSTER, ray.image_version) == "rayproject/ray-llm:2.60.0-py311-cu128"


def test_a_group_has_every_option_at_its_place() -> None:
    ray = workload(CLUSTER).ray
    assert ray is not None
    gpu = ray.workers[0]
    assert (gpu.name, gpu.is_head, gpu.labels) == ("gpu", False, {"zone": "b"})
    assert [value_of(fact) for fact in (gpu.idle_timeout_seconds, gpu.priority, gpu.suspend)] == [90, 3, False]
    assert gpu.restart_policy == Known("Never", Derived(""))
    assert written_at(CLUSTER, gpu.origin) == "gpu"
    assert written_at(CLUSTER, ray.head.origin) == "headGroupSpec"
    assert written(CLUSTER, gpu.resources["GPU"]) == '"4"'


def test_both_derivations_of_a_group_keep_their_places() -> None:
    ray = workload(CLUSTER).ray
    assert ray is not None
    assert (value_of(ray.head.told.cpu), value_of(ray.head.believed.cpu)) == (0.0, 0.0)
    assert written(CLUSTER, ray.head.told.cpu) == '"0"'
    assert value_of(ray.head.told.memory_bytes) == 16 * 2**30
    gpu, cpu = ray.workers
    assert (value_of(gpu.told.cpu), written(CLUSTER, gpu.told.cpu)) == (2.0, "1500m")
    assert (value_of(gpu.told.gpu), written(CLUSTER, gpu.told.gpu)) == (4.0, '"4"')
    assert cpu.told.gpu == cpu.believed.gpu == ABSENT
    assert value_of(cpu.believed.cpu) == 2.0


def test_the_command_of_the_ray_container_is_the_operators_so_its_image_starts_no_engine() -> None:
    text = groups(
        "- groupName: gpu\n    template: {spec: {containers: [{name: w, image: 'vllm/vllm-openai:v0.33.0'}]}}"
    )
    assert workload(text).engines == ()


def test_an_engine_that_a_container_starts_beside_ray_is_found() -> None:
    text = groups(
        "- groupName: gpu\n    template: {spec: {containers: [{name: w, image: x, "
        "command: [bash, -c], args: ['ray start --block & vllm serve m --tensor-parallel-size 2']}]}}"
    )
    (engine,) = workload(text).engines
    assert (engine.pod_set, engine.container, value_of(engine.model)) == ("gpu", "w", "m")


def test_two_groups_that_start_engines_have_roles_that_differ() -> None:
    group = (
        "- groupName: {}\n    template: {{spec: {{containers: [{{name: w, image: x, command: [vllm, serve, m]}}]}}}}"
    )
    found = workload(groups(f"{group.format('one')}\n  {group.format('two')}"))
    assert [engine.role for engine in found.engines] == ["one/engine", "two/engine"]
    same = workload(groups(f"{group.format('one')}\n  {group.format('one')}"))
    assert [engine.role for engine in same.engines] == ["one/engine", "one/engine (2)"]


def test_what_is_templated_is_unknown_and_no_finding() -> None:
    text = groups(
        "- groupName: gpu\n    replicas: '{{ .Values.replicas }}'\n"
        "    rayStartParams: {num-gpus: '{{ .Values.gpus }}'}\n"
        "    template: {spec: {containers: [{name: w, image: x, resources: {limits: {cpu: '{{ .Values.cpu }}'}}}]}}"
    )
    reading = read_text(text)
    assert reading.diagnostics == ()
    ray = reading.stack.workloads[0].ray
    assert ray is not None
    told = ray.workers[0].told
    assert [fact.why for fact in (told.cpu, told.gpu) if isinstance(fact, Unknown)] == [Why.TEMPLATED] * 2
    assert reading.stack.workloads[0].pod_sets[1].count.desired == Unknown(Why.TEMPLATED)


def test_a_group_without_a_container_to_read_is_unknown_by_both() -> None:
    for containers in ("[]", "[text]", "[{name: w, resources: text}]"):
        found = read_text(groups(f"- groupName: gpu\n    template: {{spec: {{containers: {containers}}}}}"))
        ray = found.stack.workloads[0].ray
        assert ray is not None
        group = ray.workers[0]
        for fact in (group.told.cpu, group.told.gpu, group.believed.cpu, group.believed.memory_bytes):
            assert isinstance(fact, Unknown)
            assert fact != ABSENT


@pytest.mark.parametrize("group", ["v1", "v1alpha1"])
def test_both_versions_of_the_api_are_read(group: str) -> None:
    found: Workload = workload(CLUSTER.replace("ray.io/v1", f"ray.io/{group}", 1))
    assert found.ray is not None


def test_an_empty_object_is_read() -> None:
    found = workload("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n")
    assert found.ray is not None
    assert found.ray.workers == ()
