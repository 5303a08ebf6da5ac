"""Shapes of models: read from a `config.json`, or typed by hand where no configuration is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Shape = dict[str, object]

BY_HAND = "typed by hand from the config.json of each model on the Hugging Face hub"

_LLAMA = ("LlamaForCausalLM", "llama")
_QWEN2 = ("Qwen2ForCausalLM", "qwen2")
_QWEN3 = ("Qwen3ForCausalLM", "qwen3")
_QWEN3_MOE = ("Qwen3MoeForCausalLM", "qwen3_moe")
_QWEN25_VL = ("Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl")
_MISTRAL = ("MistralForCausalLM", "mistral")
_MIXTRAL = ("MixtralForCausalLM", "mixtral")
_GEMMA3 = ("Gemma3ForConditionalGeneration", "gemma3")
_DEEPSEEK_V3 = ("DeepseekV3ForCausalLM", "deepseek_v3")
_GPT_OSS = ("GptOssForCausalLM", "gpt_oss")
_GRANITE = ("GraniteForCausalLM", "granite")

# layers, attention heads, KV heads, head size, hidden size, vocabulary, positions
_Numbers = tuple[int, int, int, int, int, int, int]
_L3_8B: _Numbers = (32, 32, 8, 128, 4096, 128256, 131072)
_L3_70B: _Numbers = (80, 64, 8, 128, 8192, 128256, 131072)
_L3_405B: _Numbers = (126, 128, 8, 128, 16384, 128256, 131072)
_Q25: Mapping[str, _Numbers] = {
    "0.5B": (24, 14, 2, 64, 896, 151936, 32768),
    "1.5B": (28, 12, 2, 128, 1536, 151936, 32768),
    "3B": (36, 16, 2, 128, 2048, 151936, 32768),
    "7B": (28, 28, 4, 128, 3584, 152064, 32768),
    "14B": (48, 40, 8, 128, 5120, 152064, 32768),
    "32B": (64, 40, 8, 128, 5120, 152064, 32768),
    "72B": (80, 64, 8, 128, 8192, 152064, 32768),
}
_Q3: Mapping[str, _Numbers] = {
    "0.6B": (28, 16, 8, 128, 1024, 151936, 40960),
    "1.7B": (28, 16, 8, 128, 2048, 151936, 40960),
    "4B": (36, 32, 8, 128, 2560, 151936, 40960),
    "8B": (36, 32, 8, 128, 4096, 151936, 40960),
    "14B": (40, 40, 8, 128, 5120, 151936, 40960),
    "32B": (64, 64, 8, 128, 5120, 151936, 40960),
}
_Q3_30B: _Numbers = (48, 32, 4, 128, 2048, 151936, 40960)
_Q3_235B: _Numbers = (94, 64, 4, 128, 4096, 151936, 40960)
_PAIRS: Mapping[str, tuple[tuple[str, str], _Numbers]] = {
    "meta-llama/Llama-3.1-8B": (_LLAMA, _L3_8B),
    "meta-llama/Meta-Llama-3.1-8B": (_LLAMA, _L3_8B),
    "meta-llama/Meta-Llama-3.1-8B-Instruct": (_LLAMA, _L3_8B),
    "meta-llama/Llama-Guard-3-8B": (_LLAMA, _L3_8B),
    "deepseek-ai/DeepSeek-R1-Distill-Llama-8B": (_LLAMA, _L3_8B),
    "meta-llama/Llama-3.1-70B": (_LLAMA, _L3_70B),
    "meta-llama/Llama-3.1-70B-Instruct": (_LLAMA, _L3_70B),
    "meta-llama/Meta-Llama-3.1-70B": (_LLAMA, _L3_70B),
    "meta-llama/Meta-Llama-3.1-70B-Instruct": (_LLAMA, _L3_70B),
    "meta-llama/Llama-3.3-70B-Instruct": (_LLAMA, _L3_70B),
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B": (_LLAMA, _L3_70B),
    "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF": (_LLAMA, _L3_70B),
    "meta-llama/Llama-3.1-405B-Instruct": (_LLAMA, _L3_405B),
    "meta-llama/Meta-Llama-3.1-405B-Instruct": (_LLAMA, _L3_405B),
    "meta-llama/Llama-3.2-1B": (_LLAMA, (16, 32, 8, 64, 2048, 128256, 131072)),
    "meta-llama/Llama-3.2-1B-Instruct": (_LLAMA, (16, 32, 8, 64, 2048, 128256, 131072)),
    "meta-llama/Llama-3.2-3B": (_LLAMA, (28, 24, 8, 128, 3072, 128256, 131072)),
    "meta-llama/Llama-3.2-3B-Instruct": (_LLAMA, (28, 24, 8, 128, 3072, 128256, 131072)),
    "meta-llama/Meta-Llama-3-8B": (_LLAMA, (*_L3_8B[:6], 8192)),
    "meta-llama/Meta-Llama-3-8B-Instruct": (_LLAMA, (*_L3_8B[:6], 8192)),
    "meta-llama/Meta-Llama-3-70B": (_LLAMA, (*_L3_70B[:6], 8192)),
    "meta-llama/Meta-Llama-3-70B-Instruct": (_LLAMA, (*_L3_70B[:6], 8192)),
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": (_LLAMA, (22, 32, 4, 64, 2048, 32000, 2048)),
    "HuggingFaceTB/SmolLM2-135M-Instruct": (_LLAMA, (30, 9, 3, 64, 576, 49152, 8192)),
    "HuggingFaceTB/SmolLM2-360M-Instruct": (_LLAMA, (32, 15, 5, 64, 960, 49152, 8192)),
    "HuggingFaceTB/SmolLM2-1.7B-Instruct": (_LLAMA, (24, 32, 32, 64, 2048, 49152, 8192)),
    **{f"Qwen/Qwen2.5-{size}-Instruct": (_QWEN2, numbers) for size, numbers in _Q25.items()},
    **{
        f"Qwen/Qwen2.5-Coder-{size}-Instruct": (_QWEN2, _Q25[size])
        for size in ("0.5B", "1.5B", "3B", "7B", "14B", "32B")
    },
    **{f"Qwen/Qwen2-{size}-Instruct": (_QWEN2, _Q25[size]) for size in ("0.5B", "1.5B", "7B", "72B")},
    **{
        f"deepseek-ai/DeepSeek-R1-Distill-Qwen-{size}": (_QWEN2, (*_Q25[size][:6], 131072))
        for size in ("1.5B", "7B", "14B", "32B")
    },
    "Qwen/QwQ-32B": (_QWEN2, (*_Q25["32B"][:6], 40960)),
    **{f"Qwen/Qwen3-{size}": (_QWEN3, numbers) for size, numbers in _Q3.items()},
    "Qwen/Qwen3-4B-Instruct-2507": (_QWEN3, (*_Q3["4B"][:6], 262144)),
    "Qwen/Qwen3-4B-Thinking-2507": (_QWEN3, (*_Q3["4B"][:6], 262144)),
    "mistralai/Mistral-7B-Instruct-v0.2": (_MISTRAL, (32, 32, 8, 128, 4096, 32000, 32768)),
    "mistralai/Mistral-7B-Instruct-v0.3": (_MISTRAL, (32, 32, 8, 128, 4096, 32768, 32768)),
    "mistralai/Mistral-Small-24B-Instruct-2501": (_MISTRAL, (40, 32, 8, 128, 5120, 131072, 32768)),
    "google/gemma-3-1b-it": (("Gemma3ForCausalLM", "gemma3_text"), (26, 4, 1, 256, 1152, 262144, 32768)),
    "microsoft/phi-4": (("Phi3ForCausalLM", "phi3"), (40, 40, 10, 128, 5120, 100352, 16384)),
    "microsoft/Phi-4-mini-instruct": (("Phi3ForCausalLM", "phi3"), (32, 24, 8, 128, 3072, 200064, 131072)),
    "microsoft/Phi-3-mini-4k-instruct": (("Phi3ForCausalLM", "phi3"), (32, 32, 32, 96, 3072, 32064, 4096)),
    "microsoft/Phi-3.5-mini-instruct": (("Phi3ForCausalLM", "phi3"), (32, 32, 32, 96, 3072, 32064, 131072)),
    "ibm-granite/granite-3.3-2b-instruct": (_GRANITE, (40, 32, 8, 64, 2048, 49159, 131072)),
    "ibm-granite/granite-3.3-8b-instruct": (_GRANITE, (40, 32, 8, 128, 4096, 49159, 131072)),
    "tiiuae/falcon-7b": (("FalconForCausalLM", "falcon"), (32, 71, 1, 64, 4544, 65024, 2048)),
    "tiiuae/falcon-7b-instruct": (("FalconForCausalLM", "falcon"), (32, 71, 1, 64, 4544, 65024, 2048)),
}
_FLOAT16: Mapping[str, tuple[tuple[str, str], _Numbers]] = {
    "facebook/opt-125m": (("OPTForCausalLM", "opt"), (12, 12, 12, 64, 768, 50272, 2048)),
    "facebook/opt-1.3b": (("OPTForCausalLM", "opt"), (24, 32, 32, 64, 2048, 50272, 2048)),
    "meta-llama/Llama-2-7b-hf": (_LLAMA, (32, 32, 32, 128, 4096, 32000, 4096)),
    "meta-llama/Llama-2-7b-chat-hf": (_LLAMA, (32, 32, 32, 128, 4096, 32000, 4096)),
    "meta-llama/Llama-2-13b-hf": (_LLAMA, (40, 40, 40, 128, 5120, 32000, 4096)),
    "meta-llama/Llama-2-13b-chat-hf": (_LLAMA, (40, 40, 40, 128, 5120, 32000, 4096)),
    "meta-llama/Llama-2-70b-hf": (_LLAMA, (80, 64, 8, 128, 8192, 32000, 4096)),
    "meta-llama/Llama-2-70b-chat-hf": (_LLAMA, (80, 64, 8, 128, 8192, 32000, 4096)),
}
_QUANTIZED: Mapping[str, tuple[str, tuple[str, str], _Numbers]] = {
    **{f"Qwen/Qwen2.5-{size}-Instruct-AWQ": ("awq", _QWEN2, numbers) for size, numbers in _Q25.items()},
    **{f"Qwen/Qwen3-{size}-FP8": ("fp8", _QWEN3, numbers) for size, numbers in _Q3.items()},
    "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4": ("awq", _LLAMA, _L3_8B),
    "hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4": ("awq", _LLAMA, _L3_70B),
    "meta-llama/Llama-3.1-405B-Instruct-FP8": ("fbgemm_fp8", _LLAMA, _L3_405B),
}
_EXPERTS: Mapping[str, tuple[int, str, tuple[str, str], _Numbers]] = {
    "mistralai/Mixtral-8x7B-Instruct-v0.1": (8, "", _MIXTRAL, (32, 32, 8, 128, 4096, 32000, 32768)),
    "mistralai/Mixtral-8x22B-Instruct-v0.1": (8, "", _MIXTRAL, (56, 48, 8, 128, 6144, 32768, 65536)),
    "Qwen/Qwen3-30B-A3B": (128, "", _QWEN3_MOE, _Q3_30B),
    "Qwen/Qwen3-30B-A3B-FP8": (128, "fp8", _QWEN3_MOE, _Q3_30B),
    "Qwen/Qwen3-30B-A3B-Instruct-2507": (128, "", _QWEN3_MOE, (*_Q3_30B[:6], 262144)),
    "Qwen/Qwen3-30B-A3B-Thinking-2507": (128, "", _QWEN3_MOE, (*_Q3_30B[:6], 262144)),
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": (128, "", _QWEN3_MOE, (*_Q3_30B[:6], 262144)),
    "Qwen/Qwen3-235B-A22B": (128, "", _QWEN3_MOE, _Q3_235B),
    "Qwen/Qwen3-235B-A22B-FP8": (128, "fp8", _QWEN3_MOE, _Q3_235B),
    "Qwen/Qwen3-235B-A22B-Instruct-2507": (128, "", _QWEN3_MOE, (*_Q3_235B[:6], 262144)),
    "Qwen/Qwen3-Coder-480B-A35B-Instruct": (160, "", _QWEN3_MOE, (62, 96, 8, 128, 6144, 151936, 262144)),
    "openai/gpt-oss-20b": (32, "mxfp4", _GPT_OSS, (24, 64, 8, 64, 2880, 201088, 131072)),
    "openai/gpt-oss-120b": (128, "mxfp4", _GPT_OSS, (36, 64, 8, 64, 2880, 201088, 131072)),
    "zai-org/GLM-4.5-Air": (128, "", ("Glm4MoeForCausalLM", "glm4_moe"), (46, 96, 8, 128, 4096, 151552, 131072)),
    "zai-org/GLM-4.5": (160, "", ("Glm4MoeForCausalLM", "glm4_moe"), (92, 96, 8, 128, 5120, 151552, 131072)),
}
_LATENT: Mapping[str, tuple[int, tuple[str, str], _Numbers]] = {
    **{
        f"deepseek-ai/DeepSeek-{name}": (256, _DEEPSEEK_V3, (61, 128, 128, 192, 7168, 129280, 163840))
        for name in ("V3", "V3-0324", "R1", "R1-0528", "V3.1")
    },
    "moonshotai/Kimi-K2-Instruct": (384, _DEEPSEEK_V3, (61, 64, 64, 192, 7168, 163840, 131072)),
}
_MULTIMODAL: Mapping[str, tuple[tuple[str, str], _Numbers]] = {
    **{
        f"Qwen/Qwen2.5-VL-{size}-Instruct": (_QWEN25_VL, (*_Q25[size][:6], 128000))
        for size in ("3B", "7B", "32B", "72B")
    },
    "google/gemma-3-4b-it": (_GEMMA3, (34, 8, 4, 256, 2560, 262208, 131072)),
    "google/gemma-3-12b-it": (_GEMMA3, (48, 16, 8, 256, 3840, 262208, 131072)),
    "google/gemma-3-27b-it": (_GEMMA3, (62, 32, 16, 128, 5376, 262208, 131072)),
}
INNER: Mapping[tuple[str, int, int, int], tuple[int, bool]] = {
    ("llama", 16, 2048, 128256): (8192, True),
    ("llama", 28, 3072, 128256): (8192, True),
    ("llama", 32, 4096, 128256): (14336, False),
    ("llama", 80, 8192, 128256): (28672, False),
    ("llama", 126, 16384, 128256): (53248, False),
    ("llama", 32, 4096, 32000): (11008, False),
    ("llama", 40, 5120, 32000): (13824, False),
    ("llama", 80, 8192, 32000): (28672, False),
    ("qwen2", 28, 3584, 152064): (18944, False),
    ("qwen2", 48, 5120, 152064): (13824, False),
    ("qwen2", 64, 5120, 152064): (27648, False),
    ("qwen2", 80, 8192, 152064): (29568, False),
    ("qwen3", 36, 2560, 151936): (9728, True),
    ("qwen3", 36, 4096, 151936): (12288, False),
    ("qwen3", 40, 5120, 151936): (17408, False),
    ("qwen3", 64, 5120, 151936): (25600, False),
    ("mistral", 32, 4096, 32000): (14336, False),
    ("mistral", 32, 4096, 32768): (14336, False),
    ("mistral", 40, 5120, 131072): (32768, False),
    ("phi3", 40, 5120, 100352): (17920, False),
}
"""(model type, layers, hidden size, vocabulary) -> width of the MLP, and whether both embeddings are one."""

_NAMES = (
    "layers",
    "attention_heads",
    "kv_heads",
    "head_size",
    "hidden_size",
    "vocab_size",
    "max_position_embeddings",
)


def by_hand() -> Iterator[tuple[str, Shape]]:
    """The models typed in this file."""
    for name, (kind, numbers) in _PAIRS.items():
        yield name, _shape(kind, numbers)
    for name, (kind, numbers) in _FLOAT16.items():
        yield name, _shape(kind, numbers, dtype="float16")
    for name, (method, kind, numbers) in _QUANTIZED.items():
        yield name, _shape(kind, numbers, dtype="float16" if method == "awq" else "bfloat16", quantization=method)
    for name, (experts, method, kind, numbers) in _EXPERTS.items():
        quantized: Shape = {"quantization": method} if method else {}
        yield name, _shape(kind, numbers) | {"experts": experts} | quantized
    for name, (experts, kind, numbers) in _LATENT.items():
        yield name, _shape(kind, numbers, experts=experts, quantization="fp8", latent_attention=True)
    for name, (kind, numbers) in _MULTIMODAL.items():
        yield name, _shape(kind, numbers, multimodal=True)


def _shape(kind: tuple[str, str], numbers: _Numbers, *, dtype: str = "bfloat16", **more: object) -> Shape:
    sizes = dict(zip(_NAMES, numbers, strict=True))
    return {"architecture": kind[0], "model_type": kind[1], **sizes, "dtype": dtype, **more}


def has_attention(config: Mapping[str, Any]) -> bool:
    """Whether a configuration is that of a transformer, as `from_config` reads them."""
    return "num_attention_heads" in config.get("text_config", config)


def from_config(config: Mapping[str, Any]) -> Shape:
    """The shape that a `config.json` gives; the text model's where it has several parts."""
    text: Mapping[str, Any] = config.get("text_config", config)
    heads, hidden = text["num_attention_heads"], text["hidden_size"]
    latent = text.get("kv_lora_rank") is not None
    size = text["qk_nope_head_dim"] + text["qk_rope_head_dim"] if latent else text.get("head_dim") or hidden // heads
    shape: Shape = {
        "architecture": next(iter(config.get("architectures", ())), ""),
        "model_type": config["model_type"],
        "layers": text["num_hidden_layers"],
        "attention_heads": heads,
        "kv_heads": text.get("num_key_value_heads") or heads,
        "head_size": size,
        "hidden_size": hidden,
        "vocab_size": text["vocab_size"],
        "max_position_embeddings": text.get("max_position_embeddings", 0),
        "dtype": config.get("torch_dtype") or config.get("dtype") or "",
    }
    method = (config.get("quantization_config") or {}).get("quant_method")
    experts = text.get("n_routed_experts") or text.get("num_local_experts") or text.get("num_experts")
    found = {"quantization": method, "experts": experts, "latent_attention": latent}
    found["multimodal"] = "text_config" in config
    return shape | {key: value for key, value in found.items() if value}
