"""vLLM's arguments, checked against the pinned version."""

from __future__ import annotations

import pytest

from controlplane.policy.argument_names import canonical_name
from controlplane.stack.facts import value_of
from tests.policy.folder import FLEET, findings, one, remedy, service, told, workload


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
    from controlplane.policy.resolution.engine_arguments import _KEYS
    from controlplane.stack.vllm_tables import load_table, versions

    assert set(_KEYS) == set(known_keys("ModelService", ("spec", "memory"))) - {"policy", "extraArgs"}
    table = load_table(versions()[-1])
    assert table is not None
    assert all(table.argument(name) is not None for name in _KEYS.values())
