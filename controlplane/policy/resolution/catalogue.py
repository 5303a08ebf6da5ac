"""Sizes and shapes of well-known checkpoints, from the generated catalogue."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from controlplane.stack.facts import ABSENT, Fact, Known, Table
from controlplane.stack.model_catalogue import model as model_shape

_BYTES_OF_A_WEIGHT = {"bfloat16": 2, "float16": 2}


@functools.cache
def _models() -> dict[str, Any]:
    table = resources.files("controlplane").joinpath("schemas", "catalogue", "models.json")
    models: dict[str, Any] = json.loads(table.read_text("utf-8"))["models"]
    return models


def estimated_weights(model: str) -> Fact[int]:
    """Bytes of a model's weights, estimated from its configuration; absent if the catalogue does not have it."""
    entry, shape = _models().get(model), model_shape(model)
    counted = shape.parameters * _BYTES_OF_A_WEIGHT.get(shape.dtype, 0) if shape else 0
    size = int(entry["weight_bytes"]) if entry else counted
    return Known(size, Table("model catalogue (estimate)", model)) if size else ABSENT


def attention_heads(model: str) -> Fact[int]:
    """Attention heads of a model as its configuration says; absent if the catalogue does not have it."""
    shape = model_shape(model)
    heads = shape.attention_heads if shape else _models().get(model, {}).get("from", {}).get("num_attention_heads")
    return Known(int(heads), Table("model catalogue", model)) if heads else ABSENT
