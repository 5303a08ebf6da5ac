"""vLLM's arguments, checked against the pinned version."""

from __future__ import annotations

import pytest

from controlplane.emit import emit, to_yaml
from controlplane.policy.argument_names import canonical_name
from controlplane.source import Dialect, read_yaml
from controlplane.stack.facts import value_of
from controlplane.stack.read import read
from tests.policy.folder import FLEET, findings, one, remedy, service, stack, told, workload


def arguments(memory: str) -> dict[str, object]:
    found = workload(service(memory=memory)).engines[0].arguments
    return {name: value_of(fact) for name, fact in found.items()}


def test_only_what_somebody_set_is_written() -> None:
    assert arguments("{}") == {"tensor_parallel_size": 1, "shutdown_timeout": 45}


def test_every_key_sets_its_argument() -> None:
    memory = (
        "{tensorParallel: 2, pipelineParallel: 2, maxModelLen: 8192, maxNumSeqs: 64, maxNumBatchedTokens: 4096, "
        "gpuMemoryUtilization: 0.85, kvCacheDtype: fp8, dtype: bfloat16, quantization: fp8, "
        "enablePrefixCaching: false, schedulingPolicy: priority}"
    )
    assert arguments(memory) == {
        "tensor_parallel_size": 2,
        "pipeline_parallel_size": 2,
        "max_model_len": 8192,
        "max_num_seqs": 64,
        "max_num_batched_tokens": 4096,
        "gpu_memory_utilization": 0.85,
        "kv_cache_dtype": "fp8",
        "dtype": "bfloat16",
        "quantization": "fp8",
        "enable_prefix_caching": False,
        "scheduling_policy": "priority",
        "shutdown_timeout": 45,
    }


@pytest.mark.parametrize("key", ["max_loras", "max-loras", "--max-loras", "maxLoras"])
def test_extra_argument_is_taken_in_any_spelling(key: str) -> None:
    assert canonical_name(key) == "max_loras"
    assert arguments(f"{{extraArgs: {{{key}: 4}}}}")["max_loras"] == 4


def refused(memory: str, rule: str, **replaced: str) -> tuple[str, str]:
    found = one(findings(FLEET, service(memory=memory, **replaced)), rule)
    return found.message, remedy(found)


def test_unknown_argument_gets_the_nearest_name_of_the_version() -> None:
    message, what = refused("{extraArgs: {enabel_lora: true}}", "policy/unknown-argument")
    assert "runtime.vllm is 0.33.0" in message
    assert what == "Write `enable_lora`."


def test_argument_that_is_gone_names_the_version_and_its_successor() -> None:
    message, what = refused("{extraArgs: {swap_space: 4}}", "policy/unknown-argument")
    assert "gone since vLLM 0.18.0" in message
    assert "--kv-offloading-size" in what


def test_argument_that_is_too_new_names_the_version_that_has_it() -> None:
    runtime = "{image: registry.example/own, vllm: 0.17.0}"
    message, _ = refused("{extraArgs: {numa_bind: true}}", "policy/unknown-argument", runtime=runtime)
    assert "from 0.20.0 only" in message
    assert "0.17.0" in message


def test_key_whose_argument_the_version_lacks_is_refused() -> None:
    runtime = "{image: registry.example/own, vllm: 0.33.0}"
    assert findings(FLEET, service(memory="{schedulingPolicy: priority}", runtime=runtime)) == []


def test_value_that_is_no_choice_gets_the_nearest() -> None:
    message, what = refused("{schedulingPolicy: priorty}", "policy/bad-argument-value")
    assert "memory.schedulingPolicy" in message
    assert what == "Write priority."


def test_value_of_another_type_is_refused() -> None:
    message, _ = refused('{extraArgs: {max_loras: "four"}}', "policy/bad-argument-value")
    assert 'the text "four"' in message
    assert "a whole number" in message


@pytest.mark.parametrize(
    ("key", "home"),
    [
        ("tensor_parallel_size", "`memory.tensorParallel`"),
        ("gpu-memory-utilization", "`memory.gpuMemoryUtilization`"),
        ("shutdown_timeout", "machine.termination.drain"),
        ("served_model_name", "model.servedName"),
        ("port", "service.port"),
        ("model", "model.name"),
    ],
)
def test_extra_argument_with_a_home_is_told_it(key: str, home: str) -> None:
    _, what = refused(f"{{extraArgs: {{{key}: 1}}}}", "policy/misplaced-key")
    assert home in what


def test_secret_as_an_argument_is_told_to_be_a_reference() -> None:
    message, what = refused("{extraArgs: {api_key: [5up3r]}}", "policy/misplaced-key")
    assert "5up3r" not in message + what
    assert "VLLM_API_KEY" in what


def test_same_argument_in_two_spellings_is_refused() -> None:
    found = told("policy/duplicate-argument", service(memory="{extraArgs: {max_loras: 4, max-loras: 8}}"))
    assert len(found.related) == 1


def test_unknown_version_is_refused_with_the_nearest() -> None:
    found = told("policy/unknown-vllm-version", service(runtime="{image: registry.example/own, vllm: 0.99.0}"))
    assert found.path == ("spec", "runtime", "vllm")
    assert "0.33.0" in found.message


def test_every_key_has_an_argument_in_the_newest_version() -> None:
    from controlplane.policy.kinds import known_keys
    from controlplane.policy.resolution.argument_findings import KEYS
    from controlplane.stack.vllm_tables import load_table, versions

    assert set(KEYS) == set(known_keys("ModelService", ("spec", "memory"))) - {"policy", "extraArgs"}
    table = load_table(versions()[-1])
    assert table is not None
    assert all(table.argument(name) is not None for name in KEYS.values())


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("no_enable_chunked_prefill: true", "Write `enable_chunked_prefill: false`."),
        ("no_enable_chunked_prefill: false", "Write `enable_chunked_prefill: true`."),
        ("compilation_config.mode: 3", "Write `compilation_config: {mode: …}`."),
        ("tp: 2", "Write `memory.tensorParallel: …`."),
        ('"--max-num-seqs=4": true', "Write `memory.maxNumSeqs: …`."),
        ("dcp: 2", "Write `decode_context_parallel_size: …`."),
    ],
)
def test_flag_that_is_no_name_is_translated(key: str, what: str) -> None:
    assert refused(f"{{extraArgs: {{{key}}}}}", "policy/unknown-argument")[1] == what


def test_argument_that_is_gone_without_a_successor_says_so_in_plain_words() -> None:
    _, what = refused("{extraArgs: {disable_log_requests: true}}", "policy/unknown-argument")
    assert what == "Remove it; requests are not logged unless --enable-log-requests is given."


def test_finding_about_a_key_stands_at_the_key() -> None:
    found = told("policy/unknown-argument", service(memory="{extraArgs: {foo: 1}}"))
    assert found.span.end_column - found.span.column == len("foo")


@pytest.mark.parametrize(
    ("argument", "fact"),
    [
        ("cudagraph_capture_sizes: [1, x]", 'holds the text "x"; whole numbers are needed'),
        ("cudagraph_capture_sizes: []", "is an empty list; at least one item is needed"),
        ("allowed_origins: '*'", 'is the text "*"; a list is needed'),
        ("kv_cache_memory_bytes: 8.5x", 'is the text "8.5x"; a whole number is needed'),
        ("cpu_offload_gb: -4", "is -4; a number at least 0 is needed"),
    ],
)
def test_value_that_the_parser_refuses(argument: str, fact: str) -> None:
    message, _ = refused(f"{{extraArgs: {{{argument}}}}}", "policy/bad-argument-value")
    assert f"memory.extraArgs.{argument.partition(':')[0]} {fact} (vLLM 0.33.0)" == message


@pytest.mark.parametrize("argument", ["kv_cache_memory_bytes: 8k", "kv_cache_memory_bytes: 1.5g", "middleware: [a]"])
def test_value_that_the_parser_takes(argument: str) -> None:
    assert findings(FLEET, service(memory=f"{{extraArgs: {{{argument}}}}}")) == []


def test_value_that_the_release_does_not_name_is_a_warning() -> None:
    message, what = refused("{kvCacheDtype: fp9}", "policy/unusual-argument-value")
    assert 'memory.kvCacheDtype is the text "fp9"; known are auto, bfloat16' in message
    assert what == "Write fp8."
    assert findings(FLEET, service(memory="{extraArgs: {attention_backend: flash_attn}}")) == []


@pytest.mark.parametrize(
    ("memory", "fact"),
    [
        ("{maxNumSeqs: 256, maxNumBatchedTokens: 128}", "maxNumBatchedTokens is 128, but maxNumSeqs is 256"),
        (
            "{maxModelLen: 8192, maxNumBatchedTokens: 2048, extraArgs: {enable_chunked_prefill: false}}",
            "maxNumBatchedTokens is 2048, but maxModelLen is 8192",
        ),
        ("{extraArgs: {enable_auto_tool_choice: true}}", "no tool_call_parser is set"),
        ("{tensorParallel: 6}", "has 32 attention heads, and 32 / 6 leaves 2"),
    ],
)
def test_arguments_that_no_engine_starts_with_together(memory: str, fact: str) -> None:
    assert fact in refused(memory, "policy/arguments-exclude-each-other")[0]


def test_heads_name_the_sizes_that_divide_them() -> None:
    found = told("policy/arguments-exclude-each-other", service(memory="{tensorParallel: 3}"))
    assert remedy(found).startswith("Set tensorParallel to 1, 2, 4 or 8; use what is left")


def test_heads_of_a_model_that_nobody_knows_are_not_judged() -> None:
    model = "{name: own/model, weights: 1Gi, from: {pvc: models}}"
    assert findings(FLEET, service(model=model, memory="{tensorParallel: 3}")) == []


@pytest.mark.parametrize("name", ["uds", "ssl_keyfile", "grpc", "nnodes", "data_parallel_rank"])
def test_argument_that_takes_the_engine_away_from_its_service_is_refused(name: str) -> None:
    assert refused(f"{{extraArgs: {{{name}: 1}}}}", "policy/misplaced-key")[1].startswith("Remove it; ")


def test_token_in_an_argument_is_a_literal_secret() -> None:
    token = "hf_" + "a" * 30
    message, _ = refused(f"{{extraArgs: {{hf_overrides: {{a: [{token}]}}}}}}", "policy/literal-secret")
    assert token not in message


def test_release_without_a_table_is_remarked() -> None:
    runtime = "{image: registry.example/own, vllm: 0.17.1}"
    message, _ = refused("{}", "policy/nearest-vllm-version", runtime=runtime)
    assert "vLLM 0.17.1 has no table of arguments; they are checked against those of 0.17.0" in message


def test_build_of_a_release_is_that_release() -> None:
    runtime = "{image: registry.example/vllm-openai:v0.33.0, vllm: 0.33.0+cu129}"
    assert findings(FLEET, service(runtime=runtime)) == []


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("kv_cache_memory_bytes: 1.5g", 1_500_000_000),
        ("kv_cache_memory_bytes: 8K", 8192),
        ("chat_template: 5", "5"),
        ("optimization_level: '3'", 3),
        ("lora_modules: [{path: b, name: a}]", ['{"name":"a","path":"b"}']),
        ("device_ids: ['0,1']", [0, 1]),
        ("aggregate_engine_logging: false", None),
        ("tokenizer: 'None'", "None"),
    ],
)
def test_value_is_what_reads_back_from_the_command_line(argument: str, value: object) -> None:
    text = service(memory=f"{{extraArgs: {{{argument}}}}}")
    found = workload(text).engines[0]
    assert arguments(f"{{extraArgs: {{{argument}}}}}").get(argument.partition(":")[0]) == value
    written = to_yaml(emit(stack(FLEET, text)))
    read_back = read(read_yaml(written.encode(), "out.yaml", Dialect.KUBERNETES).documents).stack
    assert read_back.workloads[0].engines[0] == found
