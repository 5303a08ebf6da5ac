"""Bytes of checkpoints, computed from their configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.schemas import model_catalogue
from tools.schemas.model_catalogue import TABLE, consistent, entry, essentials, main

MODELS = json.loads(TABLE.read_text("utf-8"))["models"]


def test_table_is_what_its_configurations_give() -> None:
    assert main(["--check"]) == 0


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 8_030_261_248),
        ("Qwen/Qwen2.5-7B-Instruct", 7_615_616_512),
        ("Qwen/Qwen3-8B", 8_190_735_360),
        ("google/gemma-2-9b-it", 9_241_705_984),
        ("codellama/CodeLlama-7b-hf", 6_738_546_688),
    ],
)
def test_parameters_are_those_that_the_publisher_states(name: str, parameters: int) -> None:
    assert MODELS[name]["parameters"] == parameters
    assert MODELS[name]["weight_bytes"] == 2 * parameters
    assert MODELS[name]["estimate"] is True


def test_eight_bit_checkpoint_is_about_half_as_large() -> None:
    small, large = MODELS["RedHatAI/Qwen2.5-7B-Instruct-fp8-dynamic"], MODELS["Qwen/Qwen2.5-7B-Instruct"]
    assert small["parameters"] == large["parameters"]
    assert 0.5 < small["weight_bytes"] / large["weight_bytes"] < 0.6


TINY = {
    "model_type": "llama",
    "hidden_size": 4,
    "intermediate_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "vocab_size": 10,
    "tie_word_embeddings": True,
}


def test_tiny_model_is_counted_by_hand() -> None:
    attention, mlp = 16 + 8 + 8 + 16, 3 * 32
    assert entry(essentials(TINY))["parameters"] == 10 * 4 + attention + mlp + 2 * 4 + 4


def test_other_quantization_is_refused() -> None:
    four_bits = {"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 4}}}}
    with pytest.raises(ValueError, match="8-bit"):
        essentials({**TINY, "quantization_config": four_bits})


def test_entry_that_does_not_follow_from_its_configuration_is_found() -> None:
    model = entry(essentials(TINY))
    shapes = json.loads(TABLE.read_text("utf-8"))["shapes"]
    assert consistent({"models": {"tiny": model}, "shapes": shapes})
    assert not consistent({"models": {"tiny": {**model, "weight_bytes": 1}}, "shapes": shapes})
    changed = {**shapes, "Qwen/Qwen3-14B": {**shapes["Qwen/Qwen3-14B"], "kv_heads": 4}}
    assert not consistent({"models": {"tiny": model}, "shapes": changed})


def test_catalogue_is_written_from_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, config in (("org--tiny", TINY), ("org--other", {"model_type": "mamba"})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config), "utf-8")
    monkeypatch.setattr(model_catalogue, "TABLE", tmp_path / "out" / "models.json")
    assert main(["--configs", str(tmp_path), "--date", "2026-11-29"]) == 0
    written = json.loads((tmp_path / "out" / "models.json").read_text("utf-8"))
    assert list(written["models"]) == ["org/tiny"]
    assert written["shapes"]["org/tiny"]["kv_heads"] == 1
    assert "org/other" not in written["shapes"]
    assert "2026-11-29" in written["source"]


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("meta-llama/Llama-3.1-405B-Instruct", 405853388800),
        ("meta-llama/Llama-3.1-70B", 70553706496),
        ("meta-llama/Llama-2-13b-hf", 13015864320),
        ("meta-llama/Llama-3.2-3B", 3212749824),
        ("Qwen/Qwen2.5-14B-Instruct", 14770033664),
        ("Qwen/Qwen2.5-72B-Instruct", 72706203648),
        ("Qwen/Qwen3-32B", 32762123264),
        ("Qwen/Qwen3-4B", 4022468096),
        ("mistralai/Mistral-7B-Instruct-v0.3", 7248023552),
        ("microsoft/phi-4", 14659507200),
    ],
)
def test_counted_parameters_are_those_of_the_published_checkpoints(name: str, parameters: int) -> None:
    """As the hub shows them of the checkpoints' safetensors."""
    assert json.loads(TABLE.read_text("utf-8"))["shapes"][name]["parameters"] == parameters


def test_quantized_checkpoints_have_no_count() -> None:
    shapes = json.loads(TABLE.read_text("utf-8"))["shapes"]
    assert not any("parameters" in shape for shape in shapes.values() if shape.get("quantization"))
