"""Variables that vLLM's releases read, against what its source and release notes say."""

from __future__ import annotations

import pytest

from controlplane.stack import vllm_environment, vllm_tables
from controlplane.stack.schema_files import read_schema
from controlplane.stack.vllm_environment import (
    nearest_variable,
    removed_variable,
    variable,
    variable_known,
    variable_since,
)

NEWEST = "0.33.0"


def test_every_release_with_an_argument_table_was_read() -> None:
    assert tuple(read_schema("vllm", "variables.json")["versions"]) == vllm_tables.versions()


@pytest.mark.parametrize(
    ("name", "last_in", "gone_in", "part"),
    [
        ("VLLM_USE_V1", "0.11.0", "0.11.1", "only engine"),
        ("VLLM_USE_RAY_SPMD_WORKER", "0.11.0", "0.11.1", "always"),
        ("VLLM_USE_RAY_COMPILED_DAG", "0.11.0", "0.11.1", "engine decides"),
        ("VLLM_MM_INPUT_CACHE_GIB", "0.12.0", "0.13.0", "--mm-processor-cache-gb"),
        ("VLLM_ATTENTION_BACKEND", "0.14.0", "0.15.0", "--attention-backend"),
        ("VLLM_FLASH_ATTN_VERSION", "0.14.0", "0.15.0", "flash_attn_version"),
        ("VLLM_USE_TRTLLM_ATTENTION", "0.14.0", "0.15.0", "use_trtllm_attention"),
        ("VLLM_ALL2ALL_BACKEND", "0.15.0", "0.16.0", "--all2all-backend"),
        ("VLLM_TORCH_PROFILER_DIR", "0.15.0", "0.16.0", "--profiler-config"),
        ("VLLM_SLEEP_WHEN_IDLE", "0.17.0", "0.18.0", "drop"),
        ("VLLM_RPC_TIMEOUT", "0.22.0", "0.23.0", "drop"),
        ("VLLM_NVFP4_GEMM_BACKEND", "0.23.0", "0.24.0", "--linear-backend"),
        ("VLLM_USE_FLASHINFER_MOE_FP8", "0.23.0", "0.24.0", "--moe-backend"),
        ("VLLM_PREFIX_CACHE_RETENTION_INTERVAL", "0.29.0", "0.30.0", "--prefix-cache-retention-interval"),
        ("VLLM_MM_HASHER_ALGORITHM", "0.29.0", "0.30.0", "--mm-hasher-algorithm"),
        ("VLLM_ENGINE_ITERATION_TIMEOUT_S", "0.31.0", "0.32.0", "drop"),
        ("VLLM_USE_RAY_V2_EXECUTOR_BACKEND", "0.32.0", "0.33.0", "only Ray executor"),
    ],
)
def test_removed_variable_names_the_releases_and_the_replacement(
    name: str, last_in: str, gone_in: str, part: str
) -> None:
    assert variable_known(name, last_in) is True
    assert variable_known(name, gone_in) is False
    assert removed_variable(name, last_in) is None
    removal = removed_variable(name, gone_in)
    assert removal is not None
    assert (removal.last_in, removal.gone_in) == (last_in, gone_in)
    assert part in removal.replacement
    assert removal.source


def test_flags_named_as_replacement_of_a_variable_exist_in_the_release_that_lacks_it() -> None:
    for name in read_schema("vllm", "variables.json")["variables"]:
        removal = removed_variable(name, NEWEST)
        if removal is None or not removal.replacement.startswith("--") or "gone in" in removal.replacement:
            continue
        table = vllm_tables.load_table(removal.gone_in)
        assert table is not None
        assert table.argument(removal.replacement.split(" ")[0]), removal


def test_renamed_variable_has_a_successor_that_the_release_knows() -> None:
    removal = removed_variable("VLLM_TRITON_ATTN_USE_TD", "0.29.0")
    assert removal is not None
    assert variable_known(removal.successor, "0.29.0") is True


@pytest.mark.parametrize("name", ["VLLM_LOGGING_LEVEL", "VLLM_HOST_IP", "VLLM_CACHE_ROOT", "VLLM_PP_LAYER_PARTITION"])
def test_common_variables_are_known_to_every_release(name: str) -> None:
    assert all(variable_known(name, version) for version in vllm_tables.versions())


def test_variable_that_only_a_kernel_reads_is_known_but_never_called_removed() -> None:
    assert variable_known("VLLM_CUSTOM_ALLREDUCE_ALGO", NEWEST) is True
    assert variable("VLLM_CUSTOM_ALLREDUCE_ALGO", NEWEST) is None
    assert removed_variable("VLLM_SKIP_WARMUP", NEWEST) is None


@pytest.mark.parametrize(
    "name", ["VLLM_HPU_USE_DELAYED_SAMPLING", "VLLM_TPU_MOST_MODEL_LEN", "VLLM_ASCEND_ENABLE_NZ"]
)
def test_variables_of_plug_ins_are_never_judged(name: str) -> None:
    assert variable_known(name, NEWEST) is None
    assert removed_variable(name, NEWEST) is None


def test_misspelled_variable_has_a_nearest_one() -> None:
    assert variable_known("VLLM_LOGING_LEVEL", NEWEST) is False
    assert nearest_variable("VLLM_LOGING_LEVEL", NEWEST) == "VLLM_LOGGING_LEVEL"
    assert nearest_variable("VLLM_LOGING_LEVEL", "0.99.0") is None


def test_choices_of_a_variable_are_those_of_its_release() -> None:
    found = variable("VLLM_WORKER_MULTIPROC_METHOD", NEWEST)
    assert found is not None
    assert set(found.choices) == {"spawn", "fork"}
    counted = variable("VLLM_RINGBUFFER_WARNING_INTERVAL", NEWEST)
    assert counted is not None
    assert counted.kind == "int"


def test_variable_appears_with_its_release() -> None:
    assert variable_since("VLLM_ALL2ALL_BACKEND") == "0.9.0"
    assert variable_since("VLLM_NOTHING_OF_THE_KIND") is None


def test_unknown_release_has_no_answer() -> None:
    assert variable_known("VLLM_LOGGING_LEVEL", "0.99.0") is None
    assert vllm_environment.variable_known("VLLM_LOGGING_LEVEL", "latest") is None
