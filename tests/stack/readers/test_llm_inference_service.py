from __future__ import annotations

import pytest

from controlplane.stack.engine import Engine
from controlplane.stack.facts import Unknown, value_of
from controlplane.stack.model import Workload
from controlplane.stack.pods import CountOwner
from tests.stack.manifests import at, workload

SERVICE = """\
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: "hf://Qwen/Qwen3-8B", name: qwen}
"""
TEMPLATE = "{containers: [{name: main, resources: {limits: {nvidia.com/gpu: 4}}}]}"


def read(fields: str) -> Workload:
    return workload(SERVICE + "\n".join(f"  {line}" for line in fields.splitlines()) + "\n")


def engine(fields: str) -> Engine:
    (found,) = read(fields).engines
    return found


def test_the_operator_starts_an_engine_on_the_model() -> None:
    found = engine(f"replicas: 2\nparallelism: {{tensor: 4}}\ntemplate: {TEMPLATE}")
    assert (found.role, found.pod_set, found.container) == ("engine", "main", "main")
    assert (value_of(found.model), value_of(found.served_model_name)) == ("Qwen/Qwen3-8B", "qwen")
    assert value_of(found.arguments["tensor_parallel_size"]) == 4
    assert not found.complete


def test_what_the_operator_adds_to_the_pods_is_there() -> None:
    (pods,) = read(f"replicas: 2\ntemplate: {TEMPLATE}").pod_sets
    assert (value_of(pods.count.desired), value_of(pods.grace_seconds)) == (2, 60)
    (volume,), (mount,) = pods.volumes, pods.containers[0].mounts
    assert (volume.name, mount.volume, mount.path.rpartition("/")[2]) == ("dshm", "dshm", "shm")


def test_arguments_of_the_container_are_vllm_s_with_their_places() -> None:
    text = SERVICE + "  template: {containers: [{name: main, args: [--max-model-len=4096, --frob]}]}\n"
    (found,) = workload(text).engines
    assert value_of(found.arguments["max_model_len"]) == 4096
    assert [at(text, argument.key_origin) for argument in found.written] == ["--max-model-len", "--frob"]


def test_arguments_of_the_variable_are_read_as_a_shell_does() -> None:
    value = """--max-num-seqs 8 --kv-transfer-config '{"kv_role": "kv_both"}'"""
    text = (
        SERVICE
        + "  template:\n    containers:\n    - name: main\n      env:\n      - name: VLLM_ADDITIONAL_ARGS\n"
        + f"        value: >-\n          {value}\n"
    )
    (found,) = workload(text).engines
    assert value_of(found.arguments["max_num_seqs"]) == 8
    assert value_of(found.arguments["kv_transfer_config"]) == {"kv_role": "kv_both"}
    assert at(text, found.written[0].origin) == "8"


def test_an_argument_that_a_shell_may_have_changed_is_unknown() -> None:
    found = engine("""template: {containers: [{name: main, args: ['--kv-transfer-config={"a": 1}', --port=1]}]}""")
    assert isinstance(found.arguments["kv_transfer_config"], Unknown)
    assert value_of(found.arguments["port"]) == 1


def test_a_command_of_one_s_own_is_read_as_it_stands() -> None:
    found = engine("template: {containers: [{name: main, command: [vllm, serve, own]}]}")
    assert (value_of(found.model), found.complete) == ("own", True)


def test_prefill_and_decode_are_pod_sets_of_their_own() -> None:
    found = read(f"template: {TEMPLATE}\nprefill: {{replicas: 3, parallelism: {{tensor: 2}}, template: {TEMPLATE}}}")
    assert [(pods.name, value_of(pods.count.desired)) for pods in found.pod_sets] == [("decode", 1), ("prefill", 3)]
    assert [engine.role for engine in found.engines] == ["decode", "prefill"]


def test_workers_make_a_replica_span_hosts() -> None:
    found = read(f"parallelism: {{data: 16, dataLocal: 8}}\ntemplate: {TEMPLATE}\nworker: {TEMPLATE}")
    assert [(pods.name, value_of(pods.hosts_per_unit)) for pods in found.pod_sets] == [("main", 1), ("worker", 1)]
    assert [value_of(e.arguments["data_parallel_size"]) for e in found.engines] == [16, 16]


def test_the_template_for_one_host_passes_no_data_parallelism_on() -> None:
    assert "data_parallel_size" not in engine(f"parallelism: {{data: 2}}\ntemplate: {TEMPLATE}").arguments


def test_scaling_owns_the_number_of_replicas() -> None:
    (pods,) = read(f"scaling: {{minReplicas: 2, maxReplicas: 5, wva: {{keda: {{}}}}}}\ntemplate: {TEMPLATE}").pod_sets
    assert (value_of(pods.count.min), value_of(pods.count.max), pods.count.owner) == (2, 5, CountOwner.KEDA)


@pytest.mark.parametrize("fields", [f"baseRefs: [{{name: base}}]\ntemplate: {TEMPLATE}", "router: {}"])
def test_pods_that_are_written_elsewhere_are_not_guessed(fields: str) -> None:
    found = read(fields)
    assert (found.pod_sets, found.engines) == ((), ())


def test_a_model_that_lies_elsewhere_has_no_name_that_tells_its_shape() -> None:
    text = SERVICE.replace("hf://Qwen/Qwen3-8B", "pvc://models/qwen") + f"  template: {TEMPLATE}\n"
    assert isinstance(workload(text).engines[0].model, Unknown)
