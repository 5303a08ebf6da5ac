"""What to use instead of variables, metrics and JSON keys of vLLM that are gone: typed by hand.

Read in the source and the warnings of vLLM 0.8.5 to 0.33.0 on 2026-11-29. That each was once there, and is gone now,
is checked when the tables are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

SOURCE = "typed by hand from vLLM's source, 0.8.5 to 0.33.0"
Replacements = Mapping[str, Mapping[str, str]]
"""By name: `replacement` in words, empty where the name is dropped; `successor`, a name of the same kind that takes
the same values."""

_PROFILER = "--profiler-config."
_ATTENTION = "--attention-config."
_DROP = "nothing: drop it"

_FLAGS = {
    "VLLM_ALL2ALL_BACKEND": "--all2all-backend",
    "VLLM_ATTENTION_BACKEND": "--attention-backend",
    "VLLM_DISABLE_FLASHINFER_PREFILL": f"{_ATTENTION}disable_flashinfer_prefill, itself gone in 0.22",
    "VLLM_DISABLE_NCCL_FOR_DP_SYNCHRONIZATION": "--disable-nccl-for-dp-synchronization",
    "VLLM_FLASHINFER_ALLREDUCE_FUSION_THRESHOLDS_MB": (
        "--compilation-config.pass_config.fi_allreduce_fusion_max_size_mb"
    ),
    "VLLM_FLASHINFER_DISABLE_Q_QUANTIZATION": f"{_ATTENTION}disable_flashinfer_q_quantization",
    "VLLM_FLASHINFER_MOE_BACKEND": "--moe-backend",
    "VLLM_FLASH_ATTN_MAX_NUM_SPLITS_FOR_CUDA_GRAPH": f"{_ATTENTION}flash_attn_max_num_splits_for_cuda_graph",
    "VLLM_FLASH_ATTN_VERSION": f"{_ATTENTION}flash_attn_version",
    "VLLM_MM_HASHER_ALGORITHM": "--mm-hasher-algorithm",
    "VLLM_MM_INPUT_CACHE_GIB": "--mm-processor-cache-gb",
    "VLLM_MXFP4_USE_MARLIN": "--moe-backend marlin",
    "VLLM_NVFP4_GEMM_BACKEND": "--linear-backend",
    "VLLM_PREFIX_CACHE_RETENTION_INTERVAL": "--prefix-cache-retention-interval",
    "VLLM_PROFILER_DELAY_ITERS": f"{_PROFILER}delay_iterations",
    "VLLM_PROFILER_MAX_ITERS": f"{_PROFILER}max_iterations",
    "VLLM_TORCH_CUDA_PROFILE": f"{_PROFILER}profiler cuda",
    "VLLM_TORCH_PROFILER_DIR": f"{_PROFILER}profiler torch and {_PROFILER}torch_profiler_dir",
    "VLLM_TORCH_PROFILER_DISABLE_ASYNC_LLM": f"{_PROFILER}ignore_frontend",
    "VLLM_TORCH_PROFILER_DUMP_CUDA_TIME_TOTAL": f"{_PROFILER}torch_profiler_dump_cuda_time_total",
    "VLLM_TORCH_PROFILER_RECORD_SHAPES": f"{_PROFILER}torch_profiler_record_shapes",
    "VLLM_TORCH_PROFILER_USE_GZIP": f"{_PROFILER}torch_profiler_use_gzip",
    "VLLM_TORCH_PROFILER_WITH_FLOPS": f"{_PROFILER}torch_profiler_with_flops",
    "VLLM_TORCH_PROFILER_WITH_PROFILE_MEMORY": f"{_PROFILER}torch_profiler_with_memory",
    "VLLM_TORCH_PROFILER_WITH_STACK": f"{_PROFILER}torch_profiler_with_stack",
    "VLLM_USE_CUDNN_PREFILL": f"{_ATTENTION}use_cudnn_prefill, itself gone in 0.22",
    "VLLM_USE_FBGEMM": "--linear-backend fbgemm",
    "VLLM_USE_FLASHINFER_MOE_FP16": "--moe-backend",
    "VLLM_USE_FLASHINFER_MOE_FP4": "--moe-backend",
    "VLLM_USE_FLASHINFER_MOE_FP8": "--moe-backend",
    "VLLM_USE_FLASHINFER_MOE_MXFP4_BF16": "--moe-backend",
    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8": "--moe-backend",
    "VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8_CUTLASS": "--moe-backend",
    "VLLM_USE_NVFP4_CT_EMULATIONS": "--linear-backend emulation",
    "VLLM_USE_TRTLLM_ATTENTION": f"{_ATTENTION}use_trtllm_attention",
    "VLLM_USE_TRTLLM_RAGGED_DEEPSEEK_PREFILL": (
        f"{_ATTENTION}use_trtllm_ragged_deepseek_prefill, itself gone in 0.22"
    ),
    "VLLM_V1_USE_PREFILL_DECODE_ATTENTION": f"{_ATTENTION}use_prefill_decode_attention, itself gone in 0.29",
    "VLLM_USE_RAY_COMPILED_DAG": "nothing: the engine decides it",
    "VLLM_USE_RAY_SPMD_WORKER": "nothing: it is always so",
    "VLLM_USE_RAY_V2_EXECUTOR_BACKEND": "nothing: it is the only Ray executor",
    "VLLM_USE_RAY_WRAPPED_PP_COMM": "nothing: the Ray executor no longer uses compiled graphs",
    "VLLM_USE_RAY_COMPILED_DAG_CHANNEL_TYPE": "nothing: the Ray executor no longer uses compiled graphs",
    "VLLM_USE_RAY_COMPILED_DAG_OVERLAP_COMM": "nothing: the Ray executor no longer uses compiled graphs",
    "VLLM_USE_V1": "nothing: V1 is the only engine",
    "VLLM_V0_USE_OUTLINES_CACHE": "nothing: it belonged to the V0 engine",
    "VLLM_RPC_TIMEOUT": _DROP,
    "VLLM_SLEEP_WHEN_IDLE": _DROP,
    "VLLM_ENGINE_ITERATION_TIMEOUT_S": _DROP,
    "VLLM_SKIP_DEEP_GEMM_WARMUP": "VLLM_DEEP_GEMM_WARMUP=skip",
}
_RENAMED = {
    "VLLM_TRITON_ATTN_USE_TD": "VLLM_TRITON_USE_TD",
    "VLLM_USE_AITER_UNIFIED_ATTENTION": "VLLM_ROCM_USE_AITER_UNIFIED_ATTENTION",
}
_METRICS_RENAMED = {
    "vllm:gpu_cache_usage_perc": "vllm:kv_cache_usage_perc",
    "vllm:gpu_prefix_cache_queries": "vllm:prefix_cache_queries",
    "vllm:gpu_prefix_cache_hits": "vllm:prefix_cache_hits",
    "vllm:time_per_output_token_seconds": "vllm:inter_token_latency_seconds",
}
_METRICS_GONE = {
    "vllm:gpu_prefix_cache_hit_rate": "the rate of vllm:prefix_cache_hits_total over vllm:prefix_cache_queries_total",
    "vllm:time_in_queue_requests": "vllm:request_queue_time_seconds",
    "vllm:num_requests_swapped": "nothing: the V1 engine never swaps; see vllm:num_preemptions_total",
    "vllm:cpu_cache_usage_perc": "nothing: it belonged to the V0 engine",
    "vllm:cpu_prefix_cache_hit_rate": "nothing: it belonged to the V0 engine",
    "vllm:model_forward_time_milliseconds": "nothing: it belonged to the V0 engine",
    "vllm:model_execute_time_milliseconds": "nothing: it belonged to the V0 engine",
    "vllm:spec_decode_draft_acceptance_rate": (
        "the rate of vllm:spec_decode_num_accepted_tokens_total over vllm:spec_decode_num_draft_tokens_total"
    ),
    "vllm:spec_decode_efficiency": (
        "the rate of vllm:spec_decode_num_accepted_tokens_total over vllm:spec_decode_num_draft_tokens_total"
    ),
    "vllm:spec_decode_num_emitted_tokens": "vllm:spec_decode_num_accepted_tokens_total",
    "vllm:prompt_tokens_recomputed": "nothing: it is no longer counted",
}
_KEYS_RENAMED = {
    "CompilationConfig.level": "mode",
    "CompilationConfig.compile_ranges_split_points": "compile_ranges_endpoints",
    "CompilationConfig.encoder_cudagraph_max_images_per_batch": "encoder_cudagraph_max_vision_items_per_batch",
    "PassConfig.enable_noop": "eliminate_noops",
    "PassConfig.enable_attn_fusion": "fuse_attn_quant",
    "PassConfig.enable_fi_allreduce_fusion": "fuse_allreduce_rms",
    "PoolerConfig.activation": "use_activation",
    "PoolerConfig.normalize": "use_activation",
    "PoolerConfig.softmax": "use_activation",
    "PoolerConfig.logit_bias": "logit_mean",
}
_KEYS_GONE = {
    "AttentionConfig.use_fp4_indexer_cache": "indexer_kv_dtype",
    "AttentionConfig.use_trtllm_ragged_deepseek_prefill": "mla_prefill_backend",
    "AttentionConfig.use_cudnn_prefill": "mla_prefill_backend",
    "AttentionConfig.disable_flashinfer_prefill": "mla_prefill_backend",
    "CompilationConfig.full_cuda_graph": '"cudagraph_mode": "FULL"',
    "CompilationConfig.use_cudagraph": '"cudagraph_mode": "NONE" for false',
    "CompilationConfig.use_inductor": '"backend": "inductor" or "eager"',
    "PassConfig.enable_fusion": "fuse_norm_quant and fuse_act_quant",
    "PassConfig.enable_async_tp": "fuse_gemm_comms, itself gone in 0.32",
    "PassConfig.enable_sequence_parallelism": "enable_sp, itself gone in 0.32",
    "PassConfig.enable_sp": "nothing: the pass is gone",
    "PassConfig.fuse_gemm_comms": "nothing: the pass is gone",
    "PassConfig.sp_min_token_num": "nothing: the pass is gone",
    "PassConfig.fi_allreduce_fusion_max_token_num": "fi_allreduce_fusion_max_size_mb",
    "PoolerConfig.logit_scale": "logit_sigma, its inverse",
    "SpeculativeConfig.disable_by_batch_size": "num_speculative_tokens_per_batch_size",
    "SpeculativeConfig.synthetic_acceptance_rate": "synthetic_acceptance_rates, a list",
    "SpeculativeConfig.acceptance_method": "nothing: it belonged to the V0 engine",
    "SpeculativeConfig.disable_mqa_scorer": "nothing: it belonged to the V0 engine",
    "SpeculativeConfig.disable_logprobs": "nothing: it belonged to the V0 engine",
    "SpeculativeConfig.posterior_alpha": "nothing: it belonged to the V0 engine",
    "SpeculativeConfig.posterior_threshold": "nothing: it belonged to the V0 engine",
    "StructuredOutputsConfig.disable_fallback": "nothing: there is no fallback to another backend",
    "KVTransferConfig.kv_ip": _DROP,
    "KVTransferConfig.kv_rank": _DROP,
    "KVTransferConfig.kv_parallel_size": _DROP,
    "KVTransferConfig.kv_buffer_size": _DROP,
    "ECTransferConfig.ec_rank": _DROP,
    "ECTransferConfig.ec_parallel_size": _DROP,
}
ELSEWHERE: tuple[str, ...] = (
    "VLLM_HPU_",
    "VLLM_USE_HPU_",
    "VLLM_TPU_",
    "VLLM_NEURON_",
    "VLLM_ASCEND_",
    "VLLM_GAUDI_",
    "VLLM_METAL_",
    "VLLM_RBLN_",
    "VLLM_SPYRE_",
    "VLLM_OMNI_",
    "VLLM_PROMPT_",
    "VLLM_DECODE_",
    "VLLM_GRAPH_",
    "VLLM_XLA_",
    "VLLM_CONTIGUOUS_PA",
    "VLLM_DELAYED_SAMPLING",
    "VLLM_PT_PROFILE",
    "VLLM_REGIONAL_COMPILATION",
    "VLLM_SKIP_WARMUP",
)
"""Beginnings of variables that plug-ins of hardware vendors read, some of them once vLLM's own: never judged."""


def _said(gone: Mapping[str, str], renamed: Mapping[str, str]) -> Replacements:
    told: dict[str, Mapping[str, str]] = {name: {"replacement": text} for name, text in gone.items()}
    return told | {name: {"replacement": new, "successor": new} for name, new in renamed.items()}


VARIABLES = _said(_FLAGS, _RENAMED)
METRICS = _said(_METRICS_GONE, _METRICS_RENAMED)
KEYS = _said(_KEYS_GONE, _KEYS_RENAMED)


def astray(gone: Iterable[str], replacements: Replacements) -> list[str]:
    """Names with a replacement that are not gone, or never were there: a fault of this file."""
    return sorted(replacements.keys() - set(gone))
