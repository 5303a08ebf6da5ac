"""Keys of the JSON objects that vLLM's arguments take, release by release."""

from __future__ import annotations

import pytest

from controlplane.stack import vllm_tables
from controlplane.stack.vllm_json_keys import class_of, key, key_since, keys_of, nearest_key, removed_key

NEWEST = "0.33.0"


@pytest.mark.parametrize(
    ("config_class", "name", "gone_in", "replacement"),
    [
        ("CompilationConfig", "use_cudagraph", "0.11.1", '"cudagraph_mode": "NONE" for false'),
        ("CompilationConfig", "full_cuda_graph", "0.11.1", '"cudagraph_mode": "FULL"'),
        ("CompilationConfig", "use_inductor", "0.12.0", '"backend": "inductor" or "eager"'),
        ("CompilationConfig", "level", "0.18.0", "mode"),
        ("PassConfig", "enable_fusion", "0.13.0", "fuse_norm_quant and fuse_act_quant"),
        ("PassConfig", "enable_noop", "0.13.0", "eliminate_noops"),
        ("PassConfig", "enable_attn_fusion", "0.13.0", "fuse_attn_quant"),
        ("PassConfig", "enable_fi_allreduce_fusion", "0.13.0", "fuse_allreduce_rms"),
        ("PassConfig", "enable_sp", "0.32.0", "nothing: the pass is gone"),
        ("PassConfig", "fuse_gemm_comms", "0.32.0", "nothing: the pass is gone"),
        ("SpeculativeConfig", "disable_by_batch_size", "0.17.0", "num_speculative_tokens_per_batch_size"),
        ("PoolerConfig", "softmax", "0.16.0", "use_activation"),
        ("PoolerConfig", "normalize", "0.16.0", "use_activation"),
        ("KVTransferConfig", "kv_rank", "0.32.0", "nothing: drop it"),
        ("KVTransferConfig", "kv_parallel_size", "0.32.0", "nothing: drop it"),
        ("StructuredOutputsConfig", "disable_fallback", "0.18.0", "nothing: there is no fallback to another backend"),
    ],
)
def test_removed_key_names_the_release_and_the_replacement(
    config_class: str, name: str, gone_in: str, replacement: str
) -> None:
    assert name not in (keys_of(config_class, gone_in) or ())
    removal = removed_key(config_class, name, gone_in)
    assert removal is not None
    assert (removal.name, removal.gone_in, removal.replacement) == (name, gone_in, replacement)
    assert name in (keys_of(config_class, removal.last_in) or ())
    assert removed_key(config_class, name, removal.last_in) is None
    if removal.successor:
        assert removal.successor in (keys_of(config_class, gone_in) or ())


def test_every_class_that_an_argument_fills_has_keys() -> None:
    for version in vllm_tables.versions():
        table = vllm_tables.load_table(version)
        assert table is not None
        for argument in table.arguments.values():
            if argument.json_of:
                assert keys_of(argument.json_of, version), (version, argument.name)


def test_class_of_an_old_release_is_known_by_the_argument() -> None:
    assert class_of("speculative_config") == "SpeculativeConfig"
    assert class_of("hf_overrides") == ""
    assert class_of("speculative_config", "Other") == "Other"
    assert "num_speculative_tokens" in (keys_of("SpeculativeConfig", "0.8.5") or ())


def test_key_says_what_it_takes() -> None:
    tokens = key("SpeculativeConfig", "num_speculative_tokens", NEWEST)
    assert tokens is not None
    assert tokens.kind == "int"
    assert not tokens.bounds.allow(0)
    method = key("SpeculativeConfig", "method", NEWEST)
    assert method is not None
    assert {"ngram", "eagle3", "mtp"} <= set(method.choices)
    inner = key("CompilationConfig", "pass_config", NEWEST)
    assert inner is not None
    assert inner.json_of == "PassConfig"
    role = key("KVTransferConfig", "kv_role", NEWEST)
    assert role is not None
    assert role.choices == ("kv_both", "kv_consumer", "kv_producer")


def test_fields_that_nobody_may_set_are_no_keys() -> None:
    keys = keys_of("SpeculativeConfig", NEWEST) or frozenset()
    assert keys.isdisjoint({"target_model_config", "draft_model_config"})
    assert "static_forward_context" not in (keys_of("CompilationConfig", "0.8.5") or ())


def test_misspelled_key_has_a_nearest_one() -> None:
    assert nearest_key("SpeculativeConfig", "num_speculative_token", NEWEST) == "num_speculative_tokens"


def test_unknown_class_or_release_has_no_answer() -> None:
    assert keys_of("NoSuchConfig", NEWEST) is None
    assert keys_of("SpeculativeConfig", "0.99.0") is None
    assert key("SpeculativeConfig", "nothing", NEWEST) is None
    assert key_since("EPLBConfig", "use_async") is not None
