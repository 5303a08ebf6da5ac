"""Write `schemas/catalogue/models.json`: how many bytes the weights of well-known models have.

    python -m tools.schemas.model_catalogue --configs FOLDER --date 2026-11-29
    python -m tools.schemas.model_catalogue --check

FOLDER holds `ORGANISATION--MODEL/config.json`, as the Hugging Face hub has them. The bytes are an estimate: the
parameters of the architecture, two bytes each; a checkpoint with 8-bit weights (`compressed-tensors`, one scale an
output channel) has one byte for each weight of a linear layer. What goes in is kept in the table, so `--check` can
compute it again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.schemas.model_shapes import BY_HAND, INNER, Shape, by_hand, from_config, has_attention

TABLE = Path(__file__).parents[2] / "schemas" / "catalogue" / "models.json"
FAMILIES = ("llama", "qwen2", "qwen3", "gemma2", "granite")
"""Architectures whose tensors are counted exactly: dense decoders with gated MLPs."""

_KEPT = (
    "model_type",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "vocab_size",
    "tie_word_embeddings",
)


def essentials(config: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a configuration that decide the number of parameters, with transformers' defaults filled in."""
    kept = {key: config.get(key) for key in _KEPT}
    if kept["head_dim"] is None:
        kept["head_dim"] = config["hidden_size"] // config["num_attention_heads"]
    if kept["tie_word_embeddings"] is None:
        kept["tie_word_embeddings"] = config["model_type"] == "gemma2"
    kept["linear_bytes"] = _linear_bytes(config)
    return kept


def _linear_bytes(config: Mapping[str, Any]) -> int:
    quantization = config.get("quantization_config")
    if quantization is None:
        return 2
    groups = quantization["config_groups"].values()
    bits = {group["weights"]["num_bits"] for group in groups}
    if quantization.get("quant_method") != "compressed-tensors" or bits != {8}:
        raise ValueError("only 8-bit compressed-tensors checkpoints are counted")
    return 1


def linear_shapes(model: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(inputs, outputs) of the linear layers of one decoder layer."""
    hidden, inner = model["hidden_size"], model["intermediate_size"]
    heads = model["num_attention_heads"] * model["head_dim"]
    kv = model["num_key_value_heads"] * model["head_dim"]
    attention = [(hidden, heads), (hidden, kv), (hidden, kv), (heads, hidden)]
    return [*attention, (hidden, inner), (hidden, inner), (inner, hidden)]


def other_parameters(model: Mapping[str, Any]) -> int:
    """Parameters outside the linear layers: embeddings, norms, biases."""
    hidden: int = model["hidden_size"]
    layers: int = model["num_hidden_layers"]
    embeddings: int = model["vocab_size"] * hidden * (1 if model["tie_word_embeddings"] else 2)
    norms: int = layers * hidden * (4 if model["model_type"] == "gemma2" else 2) + hidden
    return embeddings + norms + layers * _extras(model)


def _extras(model: Mapping[str, Any]) -> int:
    """What a family has in each layer beyond linear weights and norms."""
    heads = model["num_attention_heads"] * model["head_dim"]
    kv = model["num_key_value_heads"] * model["head_dim"]
    counts: dict[str, int] = {"qwen2": heads + 2 * kv, "qwen3": 2 * model["head_dim"]}
    return counts.get(model["model_type"], 0)


def entry(model: Mapping[str, Any]) -> dict[str, Any]:
    """The catalogue's entry for the essentials of a configuration."""
    layers, width = model["num_hidden_layers"], model["linear_bytes"]
    shapes = linear_shapes(model)
    linear = layers * sum(inputs * outputs for inputs, outputs in shapes)
    scales = layers * sum(outputs for _, outputs in shapes) * 2 if width == 1 else 0
    others = other_parameters(model)
    return {
        "parameters": linear + others,
        "weight_bytes": linear * width + scales + others * 2,
        "estimate": True,
        "from": dict(model),
    }


def with_parameters(name: str, shape: Shape, models: Mapping[str, Any]) -> Shape:
    """A shape with the number of its weights, where they are counted and all of `dtype`."""
    if name in models:
        counted = models[name]["parameters"] if models[name]["from"]["linear_bytes"] == 2 else None
        return shape | {"parameters": counted} if counted else shape
    numbers: Any = shape
    size = (numbers["model_type"], numbers["layers"], numbers["hidden_size"], numbers["vocab_size"])
    if size not in INNER or shape.get("quantization"):
        return shape
    inner, tied = INNER[size]
    essential = {
        "model_type": numbers["model_type"],
        "hidden_size": numbers["hidden_size"],
        "intermediate_size": inner,
        "num_hidden_layers": numbers["layers"],
        "num_attention_heads": numbers["attention_heads"],
        "num_key_value_heads": numbers["kv_heads"],
        "head_dim": numbers["head_size"],
        "vocab_size": numbers["vocab_size"],
        "tie_word_embeddings": tied,
        "linear_bytes": 2,
    }
    return shape | {"parameters": entry(essential)["parameters"]}


def table(configs: Mapping[str, Mapping[str, Any]], date: str) -> str:
    """The catalogue as text; only configurations of some families have their tensors counted."""
    models = {
        name: entry(essentials(config))
        for name, config in sorted(configs.items())
        if config.get("model_type") in FAMILIES
    }
    read = {name: from_config(config) for name, config in configs.items() if has_attention(config)}
    read = {name: with_parameters(name, shape, models) for name, shape in read.items()}
    typed = {name: shape for name, shape in _typed().items() if name not in read}
    content = {
        "source": f"config.json of each model on the Hugging Face hub, read {date}; bytes are computed from it",
        "by_hand": f"{BY_HAND}, {date}",
        "made_by": "tools/schemas/model_catalogue.py",
        "models": models,
    }
    shapes = sorted((read | typed).items(), key=lambda pair: pair[0].casefold())
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(shape)}" for name, shape in shapes)
    return f'{json.dumps(content, indent=2)[:-2]},\n  "shapes": {{\n{lines}\n  }}\n}}\n'


def _typed() -> dict[str, Shape]:
    return {name: with_parameters(name, shape | {"by_hand": True}, {}) for name, shape in by_hand()}


def consistent(content: Mapping[str, Any]) -> bool:
    """Whether every entry is what its configuration gives, and every shape typed here is in the catalogue."""
    shapes = content["shapes"]
    computed = all(entry(model["from"]) == model for model in content["models"].values())
    typed = _typed()
    return computed and all(
        shapes[name] == typed[name] if shapes.get(name, {}).get("by_hand") else name in shapes for name in typed
    )


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.model_catalogue", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="only compute the entries again")
    parser.add_argument("--configs", type=Path, help="folder with ORGANISATION--MODEL/config.json")
    parser.add_argument("--date", help="the day the configurations were read, YYYY-MM-DD")
    options = parser.parse_args(arguments)
    if options.check:
        return 0 if consistent(json.loads(TABLE.read_text("utf-8"))) else 1
    if options.configs is None or options.date is None:
        parser.error("--configs and --date are needed to write the catalogue")
    configs = {
        path.parent.name.replace("--", "/", 1): json.loads(path.read_text("utf-8"))
        for path in options.configs.glob("*/config.json")
    }
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(table(configs, options.date), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
