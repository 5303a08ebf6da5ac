"""Shapes of well-known models."""

from __future__ import annotations

import pytest

from controlplane.stack.model_catalogue import model, models


@pytest.mark.parametrize(
    ("name", "heads", "kv_heads", "layers", "positions"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 32, 8, 32, 131072),
        ("meta-llama/Llama-3.3-70B-Instruct", 64, 8, 80, 131072),
        ("Qwen/Qwen2.5-7B-Instruct", 28, 4, 28, 32768),
        ("Qwen/Qwen3-235B-A22B", 64, 4, 94, 40960),
        ("openai/gpt-oss-120b", 64, 8, 36, 131072),
        ("deepseek-ai/DeepSeek-R1", 128, 128, 61, 163840),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", 32, 8, 40, 131072),
        ("tiiuae/falcon-7b", 71, 1, 32, 2048),
    ],
)
def test_shape_is_that_of_the_configuration(
    name: str, heads: int, kv_heads: int, layers: int, positions: int
) -> None:
    shape = model(name)
    assert shape is not None
    found = (shape.attention_heads, shape.kv_heads, shape.layers, shape.max_position_embeddings)
    assert found == (heads, kv_heads, layers, positions)


def test_names_are_compared_without_case_and_paths_are_unknown() -> None:
    assert model("qwen/qwen3-8b") is model("Qwen/Qwen3-8B")
    assert model("/models/Qwen/Qwen3-8B") is None
    assert model("Qwen3-8B") is None


def test_kinds_of_models_are_told_apart() -> None:
    by_name = {shape.name: shape for shape in models()}
    assert by_name["deepseek-ai/DeepSeek-V2-Lite-Chat"].latent_attention
    assert by_name["google/gemma-3-27b-it"].multimodal
    assert by_name["mistralai/Mistral-Small-3.1-24B-Instruct-2503"].multimodal
    assert by_name["Qwen/Qwen3-30B-A3B"].experts == 128
    assert by_name["RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic"].quantization == "compressed-tensors"
    assert by_name["Qwen/Qwen3-8B"].by_hand is False


def test_shapes_are_possible() -> None:
    for shape in models():
        assert shape.attention_heads % shape.kv_heads == 0, shape
        assert 0 < shape.kv_heads <= shape.attention_heads, shape
        assert shape.layers > 0, shape
        assert shape.head_size in (48, 64, 80, 96, 128, 192, 256), shape
        assert shape.architecture.endswith(("ForCausalLM", "ForConditionalGeneration")), shape
