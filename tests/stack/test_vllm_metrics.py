"""Metrics that vLLM's servers show, release by release, by the names on the wire."""

from __future__ import annotations

import pytest

from controlplane.stack.vllm_metrics import is_vllm_metric, metric, metric_known, nearest_metric, removed_metric

NEWEST = "0.33.0"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("vllm:num_requests_running", "gauge"),
        ("vllm:num_requests_waiting", "gauge"),
        ("vllm:num_requests_waiting_by_reason", "gauge"),
        ("vllm:kv_cache_usage_perc", "gauge"),
        ("vllm:lora_requests_info", "gauge"),
        ("vllm:cache_config_info", "gauge"),
        ("vllm:prefix_cache_hits_total", "counter"),
        ("vllm:prompt_tokens_total", "counter"),
        ("vllm:request_success_total", "counter"),
        ("vllm:num_preemptions_total", "counter"),
        ("vllm:spec_decode_num_drafts_total", "counter"),
        ("vllm:estimated_flops_per_gpu_total", "counter"),
        ("vllm:kv_offload_load_bytes_total", "counter"),
        ("vllm:time_to_first_token_seconds_bucket", "histogram"),
        ("vllm:e2e_request_latency_seconds_sum", "histogram"),
        ("vllm:iteration_tokens_total_bucket", "histogram"),
        ("vllm:nixl_xfer_time_seconds_count", "histogram"),
        ("ray_vllm_kv_cache_usage_perc", "gauge"),
        ("ray_vllm:prompt_tokens_total", "counter"),
    ],
)
def test_newest_release_shows_the_metric(name: str, kind: str) -> None:
    found = metric(name, NEWEST)
    assert found is not None
    assert (found.kind, found.hidden) == (kind, False)
    assert metric_known(name, NEWEST) is True
    assert is_vllm_metric(name)


@pytest.mark.parametrize(
    "name", ["vllm:prompt_tokens", "vllm:iteration_tokens_total", "vllm:kv_cache_usage_perc_total"]
)
def test_name_with_the_wrong_suffix_is_not_shown(name: str) -> None:
    assert metric_known(name, NEWEST) is False


@pytest.mark.parametrize(
    ("name", "last_in", "gone_in", "successor"),
    [
        ("vllm:gpu_cache_usage_perc", "0.11.2", "0.12.0", "vllm:kv_cache_usage_perc"),
        ("vllm:gpu_prefix_cache_hits_total", "0.11.2", "0.12.0", "vllm:prefix_cache_hits"),
        ("vllm:gpu_prefix_cache_queries_total", "0.11.2", "0.12.0", "vllm:prefix_cache_queries"),
        ("vllm:time_per_output_token_seconds_bucket", "0.14.0", "0.15.0", "vllm:inter_token_latency_seconds"),
        ("vllm:prompt_tokens_recomputed_total", "0.19.0", "0.20.0", ""),
        ("vllm:num_requests_swapped", "0.9.0", "0.9.2", ""),
        ("vllm:cpu_cache_usage_perc", "0.9.0", "0.9.2", ""),
        ("vllm:time_in_queue_requests_bucket", "0.9.0", "0.9.2", ""),
        ("vllm:spec_decode_draft_acceptance_rate", "0.9.2", "0.10.0", ""),
    ],
)
def test_removed_metric_names_the_releases_and_the_new_family(
    name: str, last_in: str, gone_in: str, successor: str
) -> None:
    assert metric(name, last_in) is not None
    assert removed_metric(name, last_in) is None
    removal = removed_metric(name, gone_in)
    assert removal is not None
    assert (removal.last_in, removal.gone_in, removal.successor) == (last_in, gone_in, successor)
    assert removal.replacement
    if successor:
        assert any(metric(successor + suffix, gone_in) for suffix in ("", "_total", "_bucket"))


@pytest.mark.parametrize(("version", "hidden"), [("0.10.2", False), ("0.11.0", True), ("0.11.2", True)])
def test_old_name_is_hidden_before_it_goes(version: str, hidden: bool) -> None:
    found = metric("vllm:gpu_cache_usage_perc", version)
    assert found is not None
    assert found.hidden is hidden


def test_counter_that_was_spelled_otherwise_in_the_source_is_the_same_on_the_wire() -> None:
    assert all(metric("vllm:prompt_tokens_total", version) for version in ("0.8.5", "0.11.0", "0.11.1", NEWEST))


def test_misspelled_metric_has_a_nearest_one() -> None:
    assert nearest_metric("vllm:kv_cache_usage_percent", NEWEST) == "vllm:kv_cache_usage_perc"


def test_unknown_release_has_no_answer() -> None:
    assert metric_known("vllm:kv_cache_usage_perc", "0.99.0") is None
    assert metric_known("vllm:bogus", NEWEST) is False
