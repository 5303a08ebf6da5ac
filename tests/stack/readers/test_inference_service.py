from __future__ import annotations

from controlplane.source import parse_quantity
from controlplane.stack.facts import Known, Unknown, value_of
from controlplane.stack.pods import CountOwner
from tests.stack.manifests import workload

HEAD = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: chat}\n"
RUNTIME = """\
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterServingRuntime
metadata: {name: vllm}
spec:
  annotations: {prometheus.io/port: "8080"}
  supportedModelFormats: [{name: vLLM}]
  containers:
  - name: kserve-container
    image: vllm/vllm-openai:v0.20.0
    command: [python, -m, vllm.entrypoints.openai.api_server]
    args: [--model=/mnt/models, "--served-model-name={{.Name}}", --port=8080]
"""


def test_a_predictor_with_containers_is_a_pod_like_any_other() -> None:
    spec = "spec: {predictor: {minReplicas: 2, containers: [{name: c, image: i, command: [vllm, serve, m]}]}}"
    found = workload(HEAD + spec)
    (pods,) = found.pod_sets
    assert (pods.name, value_of(pods.count.desired), pods.count.owner) == ("predictor", 2, CountOwner.DECLARED)
    assert [value_of(engine.model) for engine in found.engines] == ["m"]


def test_a_model_asks_for_resources_and_what_runs_it_is_unknown() -> None:
    model = "{modelFormat: {name: vLLM}, storageUri: 'hf://m', args: [--x], resources: {limits: {nvidia.com/gpu: 2}}}"
    found = workload(HEAD + f"spec: {{predictor: {{maxReplicas: 4, model: {model}}}}}")
    (container,) = found.pod_sets[0].containers
    assert isinstance(container.image, Unknown)
    assert container.limits["nvidia.com/gpu"] == Known(parse_quantity("2"), None)  # type: ignore[arg-type]  # not compared
    assert found.engines == ()
    count = found.pod_sets[0].count
    assert (value_of(count.min), value_of(count.max), count.owner) == (1, 4, CountOwner.HPA)


def test_workers_of_a_predictor_are_a_pod_set_of_unknown_hosts() -> None:
    predictor = "{model: {modelFormat: {name: vLLM}}, workerSpec: {containers: [{name: w, image: i}]}}"
    found = workload(HEAD + f"spec: {{predictor: {predictor}}}")
    assert [pods.name for pods in found.pod_sets] == ["predictor", "worker"]
    assert isinstance(found.pod_sets[1].hosts_per_unit, Unknown)


def test_a_serving_runtime_has_pods_that_nobody_counted() -> None:
    found = workload(RUNTIME)
    assert isinstance(found.pod_sets[0].count.desired, Unknown)
    assert found.pod_sets[0].annotations == {"prometheus.io/port": "8080"}
    (engine,) = found.engines
    assert (value_of(engine.version), value_of(engine.model), engine.complete) == ("0.20.0", "/mnt/models", True)
    assert isinstance(engine.served_model_name, Unknown)
