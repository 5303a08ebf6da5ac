"""What to use instead of an argument that is gone: typed by hand, since no release says it in a form to be read.

Read in the source and the warnings of vLLM 0.6.6 to 0.33.0 on 2026-11-29. That every flag named here exists in some
later release is a test.
"""

from __future__ import annotations

SOURCE = "typed by hand from vLLM's source, 0.6.6 to 0.33.0"
_DROP = "nothing: drop it"
_SPECULATIVE = """--speculative-config '{"method": ..., "model": ..., "num_speculative_tokens": ...}'"""

_INSTEAD: dict[str, str] = {
    "calculate_kv_scales": "KV scales in the checkpoint, or a --kv-cache-dtype that scales per token and head",
    "cuda_graph_sizes": "--cudagraph-capture-sizes",
    "device": "nothing: the platform is detected",
    "disable_async_output_proc": "nothing: it belonged to the V0 engine",
    "disable_frontend_multiprocessing": _DROP,
    "disable_log_requests": "nothing: requests are not logged unless --enable-log-requests is given",
    "disable_mm_preprocessor_cache": "--mm-processor-cache-gb 0",
    "enable_bf16x3_router_gemm": _DROP,
    "enable_lora_bias": _DROP,
    "enable_mamba_fine_grained_prefix_cache": "--prefix-match-unit or --enable-mamba-shared-prefix-checkpoint",
    "enable_multimodal_encoder_data_parallel": "--mm-encoder-tp-mode data",
    "enable_prompt_adapter": "nothing: prompt adapters are gone",
    "enable_reasoning": "--reasoning-parser alone",
    "eplb_log_balancedness": "--eplb-config.log_balancedness",
    "eplb_step_interval": "--eplb-config.step_interval",
    "eplb_window_size": "--eplb-config.window_size",
    "expand_tools_even_if_tool_choice_none": "its inverse, --exclude-tools-when-tool-choice-none",
    "guided_decoding_backend": "--structured-outputs-config.backend",
    "guided_decoding_disable_additional_properties": "--structured-outputs-config.disable_additional_properties",
    "guided_decoding_disable_any_whitespace": "--structured-outputs-config.disable_any_whitespace",
    "guided_decoding_disable_fallback": "--structured-outputs-config.disable_fallback, itself gone in 0.18",
    "logits_processor_pattern": "--logits-processors",
    "long_lora_scaling_factors": _DROP,
    "lora_extra_vocab_size": _DROP,
    "max_long_partial_prefills": "--long-prefill-token-threshold",
    "max_num_partial_prefills": "--long-prefill-token-threshold",
    "max_prompt_adapter_token": "nothing: prompt adapters are gone",
    "max_prompt_adapters": "nothing: prompt adapters are gone",
    "max_seq_len_to_capture": "--max-cudagraph-capture-size (a number of sequences, from 0.11.1)",
    "multi_step_stream_outputs": "nothing: scheduling is asynchronous",
    "num_lookahead_slots": _DROP,
    "num_redundant_experts": "--eplb-config.num_redundant_experts",
    "num_scheduler_steps": "nothing: scheduling is asynchronous",
    "override_attention_dtype": _DROP,
    "override_neuron_config": "--additional-config",
    "override_pooler_config": "--pooler-config",
    "preemption_mode": "nothing: the V1 engine always recomputes",
    "prompt_adapters": "nothing: prompt adapters are gone",
    "qlora_adapter_name_or_path": _DROP,
    "rope_scaling": """--hf-overrides '{"rope_parameters": {...}}'""",
    "rope_theta": """--hf-overrides '{"rope_parameters": {"rope_theta": ...}}'""",
    "scheduler_delay_factor": "nothing: it belonged to the V0 engine",
    "swap_space": "no equivalent; KV blocks in host memory are --kv-offloading-size GiB with --kv-offloading-backend",
    "task": "--runner generate or pooling, and for pooling --convert embed, classify or reward",
    "tokenizer_pool_extra_config": _DROP,
    "tokenizer_pool_size": _DROP,
    "tokenizer_pool_type": _DROP,
    "use_gpu_for_pooling_score": "--enable-flash-late-interaction (from 0.20)",
    "use_v2_block_manager": _DROP,
}
REPLACEMENTS: dict[str, dict[str, object]] = {
    name: {"replacement": text, "source": SOURCE} for name, text in _INSTEAD.items()
}

_BEFORE: dict[str, tuple[str, str, str]] = {
    "worker_use_ray": ("0.6.6", "0.7.0", "--distributed-executor-backend ray"),
    "quantization_param_path": ("0.6.6", "0.7.0", "KV scales in the checkpoint"),
    "speculative_model": ("0.8.2", "0.8.3", _SPECULATIVE),
    "speculative_model_quantization": ("0.8.2", "0.8.3", _SPECULATIVE),
    "num_speculative_tokens": ("0.8.2", "0.8.3", _SPECULATIVE),
    "speculative_draft_tensor_parallel_size": ("0.8.2", "0.8.3", _SPECULATIVE),
    "speculative_max_model_len": ("0.8.2", "0.8.3", _SPECULATIVE),
    "speculative_disable_by_batch_size": ("0.8.2", "0.8.3", _SPECULATIVE),
    "speculative_disable_mqa_scorer": ("0.8.2", "0.8.3", _SPECULATIVE),
    "ngram_prompt_lookup_max": ("0.8.2", "0.8.3", _SPECULATIVE),
    "ngram_prompt_lookup_min": ("0.8.2", "0.8.3", _SPECULATIVE),
    "spec_decoding_acceptance_method": ("0.8.2", "0.8.3", _SPECULATIVE),
    "typical_acceptance_sampler_posterior_threshold": ("0.8.2", "0.8.3", _SPECULATIVE),
    "typical_acceptance_sampler_posterior_alpha": ("0.8.2", "0.8.3", _SPECULATIVE),
    "disable_logprobs_during_spec_decoding": ("0.8.2", "0.8.3", _SPECULATIVE),
}
BEFORE_THE_TABLES: dict[str, dict[str, object]] = {
    name: {
        "flags": [f"--{name.replace('_', '-')}"],
        "last_in": last,
        "gone_in": gone,
        "replacement": text,
        "source": SOURCE,
    }
    for name, (last, gone, text) in _BEFORE.items()
}
"""Arguments that no table has, since they were gone before the oldest."""
