"""The tables answer as vLLM's releases do: facts read in its source and seen with its own parser."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from controlplane.stack import vllm_tables
from controlplane.stack.vllm_tables import Argument, ArgumentTable, Bounds, ResolvedLater

NEWEST = "0.33.0"


def table(version: str) -> ArgumentTable:
    found = vllm_tables.load_table(version)
    assert found is not None
    return found


def argument(version: str, name: str) -> Argument:
    found = table(version).argument(name)
    assert found is not None
    return found


def first_and_last(name: str) -> tuple[str, str]:
    having = [version for version in vllm_tables.versions() if name in table(version).names()]
    return having[0], having[-1]


def test_every_minor_release_since_0_8_has_a_table() -> None:
    minors = {version.split(".")[1] for version in vllm_tables.versions()}
    assert minors == {str(minor) for minor in range(8, 34)}
    assert vllm_tables.versions()[0] == "0.8.5"
    assert vllm_tables.versions()[-1] == NEWEST


@pytest.mark.parametrize(
    ("version", "engine_flags"),
    [
        ("0.8.5", 105),
        ("0.9.2", 126),
        ("0.10.2", 133),
        ("0.11.2", 155),  # 151 written one by one and four --guided-decoding-* added in a loop
        ("0.12.0", 149),
        ("0.16.0", 162),
        ("0.20.0", 188),
        ("0.24.0", 209),
        ("0.28.0", 224),
        ("0.31.0", 247),  # 248 spellings: --device-memory-utilization is an alias
        ("0.33.0", 254),
    ],
)
def test_engine_arguments_are_as_many_as_the_release_adds(version: str, engine_flags: int) -> None:
    engine = [name for name in table(version).names() if not argument(version, name).frontend]
    assert len(engine) == engine_flags


def test_the_newest_release_has_the_frontend_arguments_and_those_of_serve_itself() -> None:
    frontend = [name for name in table(NEWEST).names() if argument(NEWEST, name).frontend]
    assert len(frontend) == 62 + len(["headless", "api_server_count", "config", "grpc"])


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("kv_cache_memory_bytes", "0.10.2"),
        ("decode_context_parallel_size", "0.10.2"),
        ("enable_log_requests", "0.10.1"),
        ("nnodes", "0.11.1"),
        ("kv_offloading_size", "0.11.1"),
        ("optimization_level", "0.12.0"),
        ("attention_backend", "0.13.0"),
        ("performance_mode", "0.17.0"),
        ("shutdown_timeout", "0.18.0"),
        ("scheduler_reserve_full_isl", "0.19.0"),
        ("numa_bind", "0.20.0"),
        ("linear_backend", "0.22.0"),
        ("device_ids", "0.24.0"),
        ("max_num_scheduled_tokens", "0.26.0"),
        ("max_num_queued_reqs", "0.29.0"),
        ("log_level", "0.31.0"),
        ("custom_histogram_buckets", "0.32.0"),
        ("watchdog_config", "0.33.0"),
    ],
)
def test_argument_appears_with_its_release(name: str, first: str) -> None:
    assert first_and_last(name) == (first, NEWEST)
    assert vllm_tables.introduced(name) == first


@pytest.mark.parametrize(
    ("name", "last_in", "gone_in"),
    [
        ("device", "0.9.2", "0.10.0"),
        ("num_scheduler_steps", "0.10.0", "0.10.1"),
        ("max_seq_len_to_capture", "0.10.2", "0.11.0"),
        ("rope_scaling", "0.11.0", "0.11.1"),
        ("guided_decoding_backend", "0.11.2", "0.12.0"),
        ("task", "0.12.0", "0.13.0"),
        ("disable_log_requests", "0.16.0", "0.17.0"),
        ("swap_space", "0.17.0", "0.18.0"),
        ("max_num_partial_prefills", "0.26.0", "0.27.0"),
        ("calculate_kv_scales", "0.27.0", "0.28.0"),
    ],
)
def test_removed_argument_is_in_the_last_table_that_has_it(name: str, last_in: str, gone_in: str) -> None:
    assert first_and_last(name)[1] == last_in
    assert vllm_tables.removed(name, last_in) is None
    removal = vllm_tables.removed(name, gone_in)
    assert removal is not None
    assert (removal.last_in, removal.gone_in) == (last_in, gone_in)
    assert removal.replacement
    assert removal.source


def test_removal_is_found_by_any_spelling_of_the_flag() -> None:
    removal = vllm_tables.removed("swap_space", NEWEST)
    assert removal is not None
    assert vllm_tables.removed("--swap-space", NEWEST) == removal
    assert vllm_tables.removed("--swap_space=4", NEWEST) == removal


def test_argument_gone_before_the_oldest_table_is_still_known() -> None:
    removal = vllm_tables.removed("--speculative-model", "0.8.5")
    assert removal is not None
    assert removal.gone_in == "0.8.3"
    assert "--speculative-config" in removal.replacement


def test_argument_that_never_was_and_one_that_still_is_are_not_removed() -> None:
    assert vllm_tables.removed("tensor_parallel_sizes", NEWEST) is None
    assert vllm_tables.removed("tensor_parallel_size", NEWEST) is None


def test_no_removal_contradicts_a_table() -> None:
    for version in vllm_tables.versions():
        assert [name for name in table(version).names() if vllm_tables.removed(name, version)] == []


def test_every_argument_missing_from_the_newest_release_has_a_removal() -> None:
    ever = {name for version in vllm_tables.versions() for name in table(version).names()}
    gone = ever - set(table(NEWEST).names())
    assert len(gone) > 40
    assert {name for name in gone if vllm_tables.removed(name, NEWEST) is None} == set()


def test_every_flag_named_as_replacement_exists_after_the_removal() -> None:
    known_later = {flag for name in table(NEWEST).names() for flag in argument(NEWEST, name).flags}
    gone = {n for v in vllm_tables.versions() for n in table(v).names()} - set(table(NEWEST).names())
    for name in [*gone, "worker_use_ray", "num_speculative_tokens"]:
        removal = vllm_tables.removed(name, NEWEST)
        assert removal is not None
        assert set(re.findall(r"--[a-z0-9-]+", removal.replacement)) <= known_later


@pytest.mark.parametrize(
    ("version", "name", "default"),
    [
        ("0.19.0", "gpu_memory_utilization", 0.9),
        ("0.20.0", "gpu_memory_utilization", 0.92),
        ("0.9.2", "model", "facebook/opt-125m"),
        ("0.10.0", "model", "Qwen/Qwen3-0.6B"),
        ("0.10.1", "prefix_caching_hash_algo", "builtin"),
        ("0.10.2", "prefix_caching_hash_algo", "sha256"),
        ("0.12.0", "disable_hybrid_kv_cache_manager", False),
        ("0.13.0", "disable_hybrid_kv_cache_manager", None),
        ("0.13.0", "async_scheduling", False),
        ("0.14.0", "async_scheduling", None),
        ("0.13.0", "all2all_backend", None),
        ("0.14.0", "all2all_backend", "allgather_reducescatter"),
        ("0.18.0", "safetensors_load_strategy", "lazy"),
        ("0.19.0", "safetensors_load_strategy", None),
        ("0.19.0", "scheduler_reserve_full_isl", True),
        ("0.33.0", "tensor_parallel_size", 1),
        ("0.33.0", "port", 8000),
        ("0.33.0", "allowed_methods", ["*"]),
        ("0.33.0", "optimization_level", 2),
        ("0.33.0", "max_model_len", None),
    ],
)
def test_default_is_that_of_the_release(version: str, name: str, default: object) -> None:
    assert argument(version, name).default == default


@pytest.mark.parametrize("name", ["max_num_seqs", "max_num_batched_tokens", "enable_prefix_caching"])
def test_default_that_the_engine_chooses_is_said_to_be_resolved_later(name: str) -> None:
    assert isinstance(argument(NEWEST, name).default, ResolvedLater)


@pytest.mark.parametrize(
    ("name", "kind", "items"),
    [
        ("tensor_parallel_size", "int", None),
        ("gpu_memory_utilization", "float", None),
        ("enforce_eager", "bool", None),
        ("disable_log_stats", "bool", None),
        ("dtype", "enum", None),
        ("quantization", "str", None),
        ("compilation_config", "json", None),
        ("hf_overrides", "json_or_str", None),
        ("served_model_name", "list", "str"),
        ("cudagraph_capture_sizes", "list", "int"),
        ("middleware", "list", "str"),
    ],
)
def test_kind_is_what_the_command_line_reads(name: str, kind: str, items: str | None) -> None:
    found = argument(NEWEST, name)
    assert (found.kind, found.items) == (kind, items)


def test_choices_are_what_the_parser_enforces_and_known_what_it_only_suggests() -> None:
    assert {"auto", "fp8", "nvfp4"} <= set(argument("0.32.0", "kv_cache_dtype").choices)
    assert "octave_k3v4" in argument("0.33.0", "kv_cache_dtype").known
    assert argument("0.33.0", "kv_cache_dtype").choices == ()
    assert "awq" in argument(NEWEST, "quantization").known
    assert "gguf" not in argument(NEWEST, "quantization").known
    assert "FLASH_ATTN" in argument(NEWEST, "attention_backend").known
    assert argument(NEWEST, "max_lora_rank").choices == (1, 8, 16, 32, 64, 128, 256, 320, 512)


def test_choice_that_the_command_line_takes_out_is_not_offered() -> None:
    assert "mori" in argument("0.22.0", "all2all_backend").choices
    assert "mori" not in argument("0.23.0", "all2all_backend").choices


def test_bounds_are_those_of_the_configuration_field() -> None:
    bounds = argument(NEWEST, "gpu_memory_utilization").bounds
    assert bounds == Bounds(gt=0, le=1)
    assert [bounds.allow(value) for value in (0, 0.5, 1, 1.1)] == [False, True, True, False]
    assert argument(NEWEST, "tensor_parallel_size").bounds == Bounds(ge=1)


def test_suffixes_are_read_where_the_release_reads_them() -> None:
    assert argument("0.33.0", "max_model_len").reader == "human_readable_int_or_auto"
    assert argument("0.33.0", "max_num_batched_tokens").human_readable_int
    assert not argument("0.33.0", "max_num_seqs").human_readable_int
    assert not argument("0.33.0", "port").human_readable_int
    assert argument("0.8.5", "max_model_len").human_readable_int
    assert not argument("0.8.5", "max_num_batched_tokens").human_readable_int


@pytest.mark.parametrize(
    "spelling",
    [
        "gpu_memory_utilization",
        "--gpu-memory-utilization",
        "--gpu_memory_utilization",
        "--gpu-memory_utilization=0.5",
        "--device-memory-utilization",
    ],
)
def test_argument_is_found_by_every_spelling_vllm_takes(spelling: str) -> None:
    found = table(NEWEST).argument(spelling)
    assert found is not None
    assert found.flag == "--gpu-memory-utilization"


def test_short_flag_and_key_inside_json_lead_to_the_argument() -> None:
    assert argument(NEWEST, "-tp").name == "tensor_parallel_size"
    assert argument(NEWEST, "--compilation-config.pass_config.fuse_norm_quant").name == "compilation_config"


def test_unknown_spelling_leads_nowhere() -> None:
    assert table(NEWEST).argument("--tensor-paralel-size") is None
    assert table(NEWEST).argument("gpu-memory-utilization") is None


def test_switch_has_the_negations_of_its_release() -> None:
    assert argument("0.32.0", "enable_prefix_caching").no_flags == ("--no-enable-prefix-caching",)
    newest = argument("0.33.0", "enable_prefix_caching")
    assert newest.no_flag == "--no-enable-prefix-caching"
    assert argument("0.33.0", "--disable-prefix-caching") == newest
    assert table("0.32.0").argument("--disable-prefix-caching") is None


def test_switch_that_can_only_be_turned_on_has_no_negation() -> None:
    assert argument(NEWEST, "disable_log_stats").no_flag is None
    assert table(NEWEST).argument("--no-disable-log-stats") is None


def test_abbreviation_gives_all_that_argparse_would_consider() -> None:
    assert [found.name for found in table(NEWEST).by_prefix("--kv-cache-mem")] == ["kv_cache_memory_bytes"]
    assert {found.name for found in table(NEWEST).by_prefix("--max_num_q")} == {
        "max_num_queued_reqs",
        "max_num_queued_tokens",
    }
    assert table(NEWEST).by_prefix("--nothing-like-it") == ()
    assert table(NEWEST).by_prefix("-t") == ()


def test_whole_flag_is_no_abbreviation_of_a_longer_one() -> None:
    assert [found.name for found in table(NEWEST).by_prefix("--tokenizer")] == ["tokenizer"]


def test_deprecated_argument_carries_what_the_release_says() -> None:
    assert "will be removed in v0.33.0" in argument(NEWEST, "log_config_file").deprecated
    assert argument(NEWEST, "allow_deprecated_quantization").deprecated == ""


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ("0.33.0", "0.33.0"),
        ("v0.33.0", "0.33.0"),
        ("v0.33.0-cu129", "0.33.0"),
        ("0.20.2", "0.20.0"),
        ("0.10.1.1", "0.10.1"),
        ("0.11.3", "0.11.2"),
        ("0.9.1", "0.9.0"),
        ("0.8.5.post1", "0.8.5"),
        ("0.20", "0.20.0"),
    ],
)
def test_missing_patch_is_answered_by_the_nearest_of_its_minor(asked: str, answers: str) -> None:
    assert table(asked).source_version == answers
    assert vllm_tables.table_version(asked) == answers


def test_table_says_whether_it_is_that_of_the_very_release() -> None:
    assert table("v0.33.0-cu129").exact
    assert not table("0.20.2").exact


@pytest.mark.parametrize("asked", ["0.34.0", "0.7.3", "1.0.0", "latest", "nightly-0.33.0", "", "0", "0.33x"])
def test_unknown_release_has_no_table(asked: str) -> None:
    assert vllm_tables.load_table(asked) is None


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("0.34.0", ("0.33.0",)),
        ("0.7.3", ("0.8.5",)),
        ("0.20.1", ("0.20.0", "0.21.0")),
        ("latest", ("0.32.0", "0.33.0")),
    ],
)
def test_nearest_releases_are_the_ones_just_below_and_above(asked: str, nearest: tuple[str, ...]) -> None:
    assert vllm_tables.nearest_versions(asked) == nearest


def test_table_is_loaded_once() -> None:
    assert vllm_tables.load_table(NEWEST) is vllm_tables.load_table(NEWEST)


def test_import_reads_no_table() -> None:
    script = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "import controlplane.stack.vllm_tables\n"
        "print([path for path in opened if path.endswith('.json')])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_argument_names_and_flags_are_unique_within_a_release() -> None:
    for version in vllm_tables.versions():
        spellings = [
            s for n in table(version).names() for s in (*argument(version, n).flags, *argument(version, n).no_flags)
        ]
        assert len(spellings) == len(set(spellings))


def test_argument_with_closed_choices_has_some() -> None:
    for version in vllm_tables.versions():
        having = [argument(version, name) for name in table(version).names()]
        assert [found.name for found in having if found.kind == "enum" and not found.choices] == [], version


def test_registry_filled_at_run_time_closes_no_choices() -> None:
    assert argument("0.10.2", "reasoning_parser").kind == "str"
    assert argument("0.10.0", "tool_call_parser").kind == "str"


def test_default_is_a_value_its_own_argument_takes() -> None:
    for version in vllm_tables.versions():
        for name in table(version).names():
            found = argument(version, name)
            if found.choices and isinstance(found.default, str | int):
                assert found.default in found.choices, f"{version} {name}"
            if found.kind in ("int", "float") and isinstance(found.default, int | float):
                assert found.bounds.allow(found.default), f"{version} {name}"
