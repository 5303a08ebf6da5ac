from __future__ import annotations

from typing import Any

import pytest

from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Derived, Known, Unknown, Why, value_of
from controlplane.stack.serve import Serve, ServeDeployment
from tests.stack.manifests import read_text, workload
from tests.stack.places import written, written_at
from tests.stack.readers.test_serve_config import service

CONFIG = """\
applications:
- name: llms
  import_path: ray.serve.llm:build_openai_app
  route_prefix: /
  args:
    llm_configs:
    - model_loading_config:
        model_id: Qwen/Qwen2.5-7B
        model_source: Qwen/Qwen2.5-7B-Instruct
      accelerator_type: H100
      engine_kwargs:
        tensor_parallel_size: 2
        pipeline_parallel_size: 2
        max_model_len: 8192
        quantization: null
        speculative_config: {method: ngram, num_speculative_tokens: 3}
      deployment_config:
        num_replicas: 3
        max_ongoing_requests: 64
"""


def first(config: str) -> tuple[Engine, ServeDeployment]:
    found = workload(service(config))
    assert found.serve is not None
    return found.engines[0], found.serve.deployments[0]


def one(fields: str, builder: str = "build_openai_app") -> tuple[Engine, ServeDeployment]:
    """The engine and the deployment of one LLMConfig with a model called m."""
    config = f"{{model_loading_config: {{model_id: m}}, {fields}}}"
    args = f"llm_configs: [{config}]" if builder == "build_openai_app" else f"llm_config: {config}"
    return first(f"applications: [{{name: a, import_path: 'ray.serve.llm:{builder}', args: {{{args}}}}}]")


def bundles(deployment: ServeDeployment) -> list[dict[str, Any]] | None:
    group = deployment.placement_group
    found = value_of(group.bundles) if group else None
    return None if found is None else [{k: value_of(v) for k, v in one.resources.items()} for one in found]


def test_an_engine_has_its_arguments_at_their_places() -> None:
    text = service(CONFIG)
    engine, _ = first(CONFIG)
    assert (engine.role, engine.pod_set, engine.container) == ("Qwen/Qwen2.5-7B", "", "")
    assert engine.serve_deployment == ("llms", "LLMServer:Qwen--Qwen2_5-7B")
    assert written(text, engine.model) == "Qwen/Qwen2.5-7B-Instruct"
    assert written(text, engine.served_model_name) == "Qwen/Qwen2.5-7B"
    assert written(text, engine.accelerator_type) == "H100"
    assert {name: value_of(fact) for name, fact in engine.arguments.items()} == {
        "tensor_parallel_size": 2,
        "pipeline_parallel_size": 2,
        "max_model_len": 8192,
        "quantization": None,
        "speculative_config": {"method": "ngram", "num_speculative_tokens": 3},
    }
    assert written(text, engine.arguments["max_model_len"]) == "8192"
    assert written_at(text, engine.origin) == "Qwen/Qwen2.5-7B"
    assert [argument.spelling for argument in engine.written] == list(engine.arguments)
    argument = engine.written[2]
    assert (written_at(text, argument.key_origin), written_at(text, argument.origin)) == ("max_model_len", "8192")
    assert argument.verbatim


def test_the_deployment_names_its_engine() -> None:
    engine, deployment = first(CONFIG)
    assert deployment.name == Known("LLMServer:Qwen--Qwen2_5-7B", Derived(""))
    assert (deployment.engine, deployment.is_llm, deployment.application) == (engine.role, True, "llms")
    assert value_of(deployment.replicas.desired) == 3
    assert value_of(deployment.max_ongoing_requests) == 64
    assert {"deployment_config.num_replicas", "engine_kwargs.speculative_config.method"} <= set(deployment.options)
    (found,) = engines_of(read_text(service(CONFIG)).stack)
    assert found.deployment == deployment
    assert value_of(found.tensor_parallel) == 2


def test_a_worker_of_each_rank_has_a_bundle() -> None:
    _, deployment = first(CONFIG)
    assert bundles(deployment) == [{"accelerator_type:H100": 0.001, "GPU": 1.0}] * 4
    assert deployment.placement_group is not None
    assert deployment.placement_group.written is False
    assert deployment.placement_group.strategy == Known("PACK", Derived(""))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("engine_kwargs: {}", [{"GPU": 1.0}]),
        ("accelerator_type: A10", [{"accelerator_type:A10G": 0.001, "GPU": 1.0}]),
        ("accelerator_type: TPU-V6E", [{"accelerator_type:TPU-V6E": 0.001, "TPU": 1.0}]),
        ("accelerator_config: {kind: cpu}, engine_kwargs: {tensor_parallel_size: 2}", [{"CPU": 1.0}] * 2),
        ("accelerator_config: {kind: tpu, topology: 2x2}, accelerator_type: TPU-V6E", None),
        ("engine_kwargs: {tensor_parallel_size: '{{ .Values.tp }}'}", None),
        ("engine_kwargs: {tensor_parallel_size: 1000000000}", None),
        ("placement_group_config: {bundles: [{GPU: 1, CPU: 2}, {GPU: 1}]}", [{"GPU": 1.0, "CPU": 2.0}, {"GPU": 1.0}]),
        (
            "placement_group_config: {bundle_per_worker: {GPU: 0.5}}, engine_kwargs: {tensor_parallel_size: 2}",
            [{"GPU": 0.5}] * 2,
        ),
        (
            "placement_group_config: {bundles: [{'accelerator_type:L4': 1, GPU: 1}]}, accelerator_type: L4",
            [{"accelerator_type:L4": 1.0, "GPU": 1.0}],
        ),
    ],
)
def test_bundles_are_those_that_ray_makes(fields: str, expected: list[dict[str, float]] | None) -> None:
    assert bundles(one(fields)[1]) == expected


def test_without_replicas_one_runs() -> None:
    _, deployment = one("accelerator_type: L4")
    assert [value_of(f) for f in (deployment.replicas.min, deployment.replicas.max)] == [1, 1]
    assert not deployment.autoscaled


def test_replicas_of_data_parallel_engines_are_groups_of_ranks() -> None:
    fields = "engine_kwargs: {data_parallel_size: 4}, deployment_config: {num_replicas: 2}"
    engine, deployment = one(fields, "build_dp_openai_app")
    assert value_of(deployment.replicas.desired) == 8
    assert value_of(deployment.num_replicas) == 2
    assert engine.serve_deployment == ("a", "DPServer:m")
    assert value_of(one(fields)[1].replicas.desired) == 2


def test_prefill_and_decode_are_two_engines() -> None:
    found = workload(
        service(
            "applications:\n- import_path: ray.serve.llm:build_pd_openai_app\n  args:\n"
            "    prefill_config: {model_loading_config: {model_id: m}}\n"
            "    decode_config: {model_loading_config: {model_id: m}, engine_kwargs: {data_parallel_size: 2}}\n"
        )
    )
    assert [(engine.role, engine.serve_deployment) for engine in found.engines] == [
        ("prefill", ("default", "Prefill:m")),
        ("decode", ("default", "Decode:m")),
    ]
    assert found.serve is not None
    assert [value_of(one.replicas.desired) for one in found.serve.deployments] == [1, 2]


def test_engines_of_one_model_are_told_apart() -> None:
    app = "{{name: {}, import_path: 'ray.serve.llm:build_openai_app', args: {{llm_configs: [{}, {}]}}}}"
    model = "{model_loading_config: {model_id: m}}"
    config = f"applications: [{app.format('a', model, model)}, {app.format('b', model, model)}]"
    found = workload(service(config))
    assert [engine.role for engine in found.engines] == ["m", "a/m", "b/m", "b/m (2)"]
    assert found.serve is not None
    assert [one.engine for one in found.serve.deployments] == ["m", "a/m", "b/m", "b/m (2)"]


@pytest.mark.parametrize(
    "args",
    ["llm_configs: [models/m.yaml]", "llm_configs: []", "llm_configs: '{{ .Values.m }}'", "{}", "llm_configs: 7"],
)
def test_what_stands_in_other_files_is_not_complete(args: str) -> None:
    text = f"applications: [{{name: a, import_path: ray.serve.llm.build_openai_app, args: {{{args.strip('{}')}}}}}]"
    found = read_text(service(text)).stack.workloads[0]
    assert isinstance(found.serve, Serve)
    assert not found.serve.complete
    assert found.engines == ()


def test_user_code_has_no_engine_that_can_be_seen() -> None:
    found = workload(
        service("applications: [{name: a, import_path: 'my.app:build_openai_app', args: {llm_configs: [x]}}]")
    )
    assert found.engines == ()
    assert found.serve is not None
    assert found.serve.complete


def test_another_server_is_no_engine_of_vllm() -> None:
    for fields in ("server_cls: a.SGLangServer", "llm_engine: SGLang"):
        text = (
            f"applications: [{{import_path: ray.serve.llm:build_openai_app, args: {{llm_configs: [{{{fields}}}]}}}}]"
        )
        found = workload(service(text))
        assert found.engines == ()
        assert found.serve is not None
        assert found.serve.deployments[0].is_llm


def test_listed_deployments_override_what_the_builder_made() -> None:
    found = workload(
        service(CONFIG + "  deployments: [{name: 'LLMServer:Qwen--Qwen2_5-7B', num_replicas: 7}, {name: x}]\n")
    )
    assert found.serve is not None
    made, other = found.serve.deployments
    assert (value_of(made.replicas.desired), made.is_llm, value_of(made.max_ongoing_requests)) == (7, True, 64)
    assert (value_of(other.name), other.is_llm) == ("x", False)


def test_the_version_is_the_annotations() -> None:
    text = service(CONFIG).replace(
        "{name: chat}", "{name: chat, annotations: {controlplane.dev/vllm-version: 0.29.0}}"
    )
    assert value_of(workload(text).engines[0].version) == "0.29.0"
    engine, _ = first(CONFIG)
    assert engine.version == Unknown(Why.VERSION)


def test_a_bucket_is_where_the_weights_come_from() -> None:
    args = "{llm_configs: [{model_loading_config: %s}]}"
    config = f"applications: [{{import_path: ray.serve.llm:build_openai_app, args: {args}}}]"
    source = "{model_id: m, model_source: {bucket_uri: 's3://b/m'}}"
    assert value_of(first(config % source)[0].model) == "s3://b/m"
    assert value_of(first(config % "{model_id: m}")[0].model) == "m"
    assert first(config % "{}")[0].model == ABSENT


def test_variables_of_runtime_environments_are_the_engines() -> None:
    config = (
        "applications:\n- import_path: ray.serve.llm:build_openai_app\n"
        "  runtime_env: {env_vars: {A: app, VLLM_USE_V1: '0'}}\n  args:\n    llm_configs:\n"
        "    - model_loading_config: {model_id: m}\n      runtime_env: {env_vars: {VLLM_USE_V1: '1', B: 2}}\n"
    )
    text = service(config)
    reading = read_text(text)
    (engine,) = reading.stack.workloads[0].engines
    assert {variable.name: value_of(variable.value) for variable in engine.variables} == {
        "A": "app",
        "VLLM_USE_V1": "1",
        "B": None,
    }
    assert written_at(text, engine.variables[1].origin) == "VLLM_USE_V1"
    assert written(text, engine.variables[1].value) == "'1'"
    (finding,) = reading.diagnostics
    assert (finding.rule, finding.message.rpartition(".")[2]) == ("serve/field-type", "B takes a text, not a number")
